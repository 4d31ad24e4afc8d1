"""Folders: how many modules they hold, the five layers they form, and tests that mirror them."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from source_code import ROOT, SRC, python_files

LARGEST_FOLDER = 20
# Tests of several parts at once, and what tests read.
OTHER_TESTS = {"journeys", "browser", "fuzz"}
# Interfaces, application, infrastructure, engine, pure; a layer may hold more parts than these.
LAYERS = [
    {"__main__", "cli", "web", "processes", "wiring"},
    {"pipeline", "stages", "actions", "queries", "maintenance"},
    {"fetch", "sandbox", "tables", "sources", "destinations", "database", "embedded"},
    {"engine", "errors"},
    {"extract", "settings", "declarations", "log"},
]


def test_no_folder_holds_more_than_20_modules() -> None:
    sizes = Counter(path.parent for path in python_files("src") if path.name != "__init__.py")
    large = {str(folder.relative_to(ROOT)) for folder, size in sizes.items() if size > LARGEST_FOLDER}
    assert not large, f"Split into packages: {large}"


def test_every_folder_of_tests_has_the_name_of_what_it_tests() -> None:
    folders = {
        path.parent.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")
    }
    parts = {path.relative_to(SRC).as_posix() for path in SRC.rglob("*") if path.is_dir()}
    parts |= {path.name.removeprefix("scrapersky_") for path in SRC.parent.iterdir()}
    lost = folders - parts - OTHER_TESTS - {"."}
    assert not lost, f"Tests of what? {sorted(lost)}"


def test_the_layers_contract_has_the_five_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    assert len(layers) == len(LAYERS)
    for layer, parts in zip(layers, LAYERS, strict=True):
        assert parts <= set(layer.split(" : "))
