"""Puts small source files together before they are served: a few style sheets, one sprite, one main script.

Nothing is compiled: the files work as they are, and a bundle is their text with fewer requests and comments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ICONS, SPRITE = "vendor/lucide/", "icons.svg"
# Every folder is one style sheet, in layers of which later ones win; other files than these are pages'.
STYLES = re.compile(r"css/(\w+)/(\w+)\.css")
LAYERS = ("tokens", "base", "frame", "parts")
SCRIPTS, MAIN = "js/", "js/main.js"
SVG = '<svg xmlns="http://www.w3.org/2000/svg">'
SHAPES = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?function (\w+))", re.MULTILINE)
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Blanks that mean nothing: around brackets and semicolons, and after a colon or comma that follows a word.
CSS_BLANKS = re.compile(r"\s*([{};])\s*|(?<=[\w)%\-\]])([:,]) ")


def bundle(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """What is served: the bundles, and every file that is not a part of one."""
    parts = [f"{SCRIPTS}{name}.js" for name in _main_parts(contents)]
    kept = {
        name: body
        for name, body in contents.items()
        if not name.startswith(ICONS) and not STYLES.fullmatch(name) and name not in parts
    }
    for name in [name for name in kept if name.startswith(SCRIPTS)]:
        kept[name] = _trim_script(_import_from_main(contents, contents[name].decode())).encode()
    return {
        **kept,
        SPRITE: _sprite(contents).encode(),
        **_style_sheets(contents),
        MAIN: _trim_script(_main_script(contents)).encode(),
    }


# ---- icons and styles


def _sprite(contents: Mapping[str, bytes]) -> str:
    """All icons in one file, each a symbol by the name of its file."""
    symbols = []
    for name, body in contents.items():
        if name.startswith(ICONS) and (shapes := SHAPES.search(body.decode())):
            icon = name.removeprefix(ICONS).removesuffix(".svg")
            symbols.append(f'<symbol id="{icon}" viewBox="0 0 24 24">{shapes[1].strip()}</symbol>')
    return f"{SVG}{''.join(symbols)}</svg>"


def _style_sheets(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of each folder as one, so that a page needs one request for them."""
    sheets: dict[str, list[str]] = {}
    for name in sorted(contents):
        if match := STYLES.fullmatch(name):
            layer = match[2] if match[2] in LAYERS else "pages"
            blocks = sheets.setdefault(f"css/{match[1]}.css", [f"@layer {', '.join(LAYERS)}, pages;"])
            blocks.append(f"@layer {layer}{{{_trim_style(contents[name].decode())}}}")
    return {name: "\n".join(blocks).encode() for name, blocks in sheets.items()}


def _trim_style(text: str) -> str:
    """Without comments and blanks; no source has a text with brackets or blanks in it."""
    text = CSS_BLANKS.sub(r"\1\2", CSS_COMMENT.sub("", text))
    return text.replace(";}", "}").strip()


# ---- scripts


def _main_parts(contents: Mapping[str, bytes]) -> list[str]:
    """The modules that the main script imports, those that others need first."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        for _, needed in IMPORT.findall(contents[f"{SCRIPTS}{name}.js"].decode()):
            visit(needed)
        if name not in ordered:
            ordered.append(name)

    visit("main")
    return ordered[:-1]


def _main_script(contents: Mapping[str, bytes]) -> str:
    """Each module in a function of its own, whose result are its exports."""
    blocks, exported = [], []
    for name in _main_parts(contents):
        text = IMPORT.sub("", contents[f"{SCRIPTS}{name}.js"].decode())
        names = ", ".join(EXPORT.findall(text))
        exported.append(names)
        blocks.append(
            f"const {{ {names} }} = (() => {{\n{EXPORT.sub('', text)}return {{ {names} }};\n}})();\n"
        )
    main = IMPORT.sub("", contents[MAIN].decode())
    return f"{''.join(blocks)}{main}export {{ {', '.join(exported)} }};\n"


def _import_from_main(contents: Mapping[str, bytes], text: str) -> str:
    """The parts of the main script have no address of their own."""
    parts = _main_parts(contents)
    return IMPORT.sub(
        lambda match: f'import {{ {match[1]} }} from "./{"main" if match[2] in parts else match[2]}.js";\n',
        text,
    )


def _trim_script(text: str) -> str:
    """Without indentation and comment lines; no source has a text that spans lines."""
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"
