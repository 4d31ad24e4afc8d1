"""Bundles: a style sheet of each folder, one sprite and one main script of the small files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scrapersky.web.assets import load_assets
from scrapersky.web.bundles import bundle

MAX_OWN_BYTES = 12_000
SOURCES = {
    "js/main.js": b'import { start } from "./one.js";\nstart();\n',
    "js/one.js": b'// About.\nimport { two } from "./two.js";\nexport function start() {\n  two();\n}\n',
    "js/two.js": b"const name = 1;\nexport async function two() {\n  return name;\n}\n",
    "js/page.js": b'import { two } from "./two.js";\nimport { other } from "./other.js";\n  two(other);\n',
    "js/other.js": b"export function other() {}\n",
    "css/console/tokens.css": b"/* Colours. */\n:root {\n  --a: red;\n}\n",
    "css/console/jobs.css": b".job { color: var(--a); }\n",
    "css/list/rows.css": b".row { margin: 0; }\n",
    "css/plain.css": b"p { margin: 0; }\n",
    "vendor/lucide/x.svg": b'<svg width="24"><path d="M1 1"/></svg>',
}


def served(name: str) -> str:
    return bundle(SOURCES)[name].decode()


def test_parts_of_a_bundle_are_not_served_themselves() -> None:
    assert set(bundle(SOURCES)) == {
        "js/main.js", "js/page.js", "js/other.js", "css/plain.css", "css/console.css", "css/list.css",
        "icons.svg",
    }  # fmt: skip


def test_the_main_script_holds_its_parts_in_order_and_exports_them() -> None:
    main = served("js/main.js")
    assert main.index("const { two }") < main.index("const { start }") < main.index("start();\nexport")
    assert main.endswith("export { two, start };\n")
    assert "import" not in main
    assert "//" not in main


def test_other_scripts_import_the_parts_from_the_main_script() -> None:
    imports = 'import { two } from "./main.js";\nimport { other } from "./other.js";\n'
    assert served("js/page.js") == f"{imports}two(other);\n"


def test_styles_are_layered_and_trimmed() -> None:
    styles = served("css/console.css")
    assert styles.startswith("@layer tokens, base, frame, parts, pages;")
    assert "@layer pages{.job{color:var(--a)}}" in styles
    assert "@layer tokens{:root{--a:red}}" in styles
    assert "Colours" not in styles
    assert served("css/list.css") == "@layer tokens, base, frame, parts, pages;\n@layer pages{.row{margin:0}}"


def test_blanks_that_mean_something_stay() -> None:
    source = b"a :is(b, .c), d > e { margin: calc(100% - 2px) auto; &:hover { font: 1px/2 x, y; } }"
    trimmed = bundle({**SOURCES, "css/console/jobs.css": source})["css/console.css"].decode()
    assert "a :is(b,.c),d > e{margin:calc(100% - 2px) auto;&:hover{font:1px/2 x,y}}" in trimmed


def test_a_page_loads_at_most_twelve_kilobytes_of_our_own_styles_and_of_our_own_scripts() -> None:
    """Compressed; every page has the common files and at most one of its own, and may open the palette."""
    sizes = {name: len(asset.compressed or b"") for name, asset in load_assets().files.items()}
    always = ("js/main.js", "js/theme.js", "js/palette.js")
    own = max(size for name, size in sizes.items() if name.startswith("js/") and name not in always)
    assert sizes["css/console.css"] + max(sizes["css/list.css"], sizes["css/pages.css"]) <= MAX_OWN_BYTES
    assert sum(sizes[name] for name in always) + own <= MAX_OWN_BYTES


def test_icons_are_symbols() -> None:
    assert '<symbol id="x" viewBox="0 0 24 24"><path d="M1 1"/></symbol>' in served("icons.svg")


def test_every_script_of_ours_can_be_trimmed() -> None:
    """A text over several lines would lose its indentation."""
    for path in (Path(__file__).parents[2] / "src/scrapersky/web/static/js").glob("*.js"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert line.count("`") % 2 == 0, f"{path.name}:{number}"


@pytest.mark.skipif(not shutil.which("node"), reason="needs node to parse scripts")
def test_served_scripts_parse(tmp_path: Path) -> None:
    assets = load_assets()
    for name in assets.files:
        if name.startswith("js/"):
            script = tmp_path / f"{Path(name).stem}.mjs"
            script.write_text(assets.read(name))
            subprocess.run(["node", "--check", script], check=True)


def test_imports_between_served_scripts_lead_somewhere() -> None:
    assets = load_assets()
    for name in assets.files:
        if name.startswith("js/"):
            for needed in re.findall(r'(?:from |import\()"\./([\w.]+)"', assets.read(name)):
                assert f"js/{needed}" in assets.files
