"""Static files: what others made is unchanged and licensed, and the address of all follows their content."""

from __future__ import annotations

import re
import tomllib
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.web.assets import load_assets

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/scrapersky/web/static"
VENDOR = STATIC / "vendor"
PACKAGES = tomllib.loads((VENDOR / "vendor.toml").read_text(encoding="utf-8"))["package"]
LICENCES = {"0BSD", "MIT", "OFL-1.1", "ISC"}
# In pieces, so that this file does not find itself.
REGISTRIES = re.compile(r"registry\.npm" + r"js|npmjs\.or" + "g|yarnpk" + "g")


# ---- files of others


def test_every_file_is_listed_and_unchanged() -> None:
    listed = {
        f"{package['folder']}/{name}": file["sha256"]
        for package in PACKAGES
        for name, file in package["files"].items()
    }
    lying = {path.relative_to(VENDOR).as_posix(): path for path in VENDOR.rglob("*") if path.is_file()}
    del lying["vendor.toml"]
    assert set(lying) == set(listed), "run: make vendor ARGS=FOLDER"
    changed = [name for name, path in lying.items() if sha256(path.read_bytes()).hexdigest() != listed[name]]
    assert changed == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: str(package["name"]))
def test_each_package_names_its_version_archive_and_licence(package: dict[str, str]) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", package["version"])
    assert package["archive"].endswith(f"-{package['version']}.tgz")
    assert re.fullmatch(r"[0-9a-f]{128}", package["sha512"])
    assert package["licence"] in LICENCES
    licence = (VENDOR / package["folder"] / "LICENSE").read_text(encoding="utf-8")
    assert re.search("permission|permitted|provided", licence, re.IGNORECASE)


def test_the_decided_versions_are_there() -> None:
    versions = {package["npm_package"]: package["version"] for package in PACKAGES}
    assert versions == {
        "htmx.org": "4.0.1",
        "uplot": "1.6.32",
        "@fontsource-variable/inter": "5.3.0",
        "lucide-static": "1.62.0",
    }


def test_nothing_names_a_registry() -> None:
    kinds = {".py", ".js", ".css", ".html", ".toml", ".md", ".svg", ".txt", ".yml", ".yaml", ""}
    folders = [ROOT / name for name in ("src", "scripts", "docs", "tests", "deploy", ".github")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    ours = [path for path in files if path.suffix in kinds and "data/wappalyzer" not in path.as_posix()]
    named = [
        str(path.relative_to(ROOT))
        for path in ours
        if "extract" not in path.parts
        and REGISTRIES.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert named == []


def test_our_scripts_and_styles_load_nothing_from_outside() -> None:
    own = [
        path for path in STATIC.rglob("*") if path.suffix in (".js", ".css") and VENDOR not in path.parents
    ]
    assert len(own) > 5
    outside = re.compile(
        r"""@import|url\((?!["']?(?:\.\.?/|data:))|import\((?!"\./)|https?://(?!www\.w3\.org/)"""
    )
    assert [path.name for path in own if outside.search(path.read_text(encoding="utf-8"))] == []


# ---- what is served


def test_the_vendored_library_stays_small() -> None:
    """What is ours has its budget in test_bundles.py."""
    assert len(load_assets().files["vendor/htmx/htmx.min.js"].compressed or b"") <= 20 * 1024


def test_every_icon_that_a_template_names_exists() -> None:
    sprite = load_assets().files["icons.svg"].body.decode()
    icons = set(re.findall(r'<symbol id="([^"]+)"', sprite))
    templates = "".join(
        path.read_text(encoding="utf-8") for path in (STATIC.parent / "templates").rglob("*.html")
    )
    assert set(re.findall(r'\bicon\("([a-z0-9-]+)"', templates)) <= icons


def test_the_address_changes_with_the_content() -> None:
    assets = load_assets()
    assert assets.url("js/main.js") == f"/static/{assets.version}/js/main.js"
    assert load_assets().version == assets.version
    with pytest.raises(KeyError):
        assets.url("js/missing.js")


async def test_files_are_served_for_ever_and_compressed(db: AsyncEngine, browse: object) -> None:
    assets = load_assets()
    async with browse(db) as client:  # type: ignore[operator]
        answer: httpx.Response = await client.get(assets.url("css/console.css"))
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"].startswith("text/css")
        assert answer.headers["x-content-type-options"] == "nosniff"
        plain = await client.get(assets.url("js/main.js"), headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.content == assets.files["js/main.js"].body
        for path in ("/static/0123456789ab/css/console.css", assets.url("js/main.js") + "x"):
            assert (await client.get(path)).status_code == 404
        for name in ("vendor/vendor.toml", "vendor/htmx/LICENSE", "vendor/lucide/x.svg"):
            assert (await client.get(f"/static/{assets.version}/{name}")).status_code == 404
