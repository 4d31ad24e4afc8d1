"""A stage that does not fit the engine's loop is found by the type checker that `make check` runs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STAGE = """
from scrapersky.engine.stage import Done, Item, Stage
from scrapersky.tables import Page, table_of, works
from scrapersky.tools import Tools

{function}

stage = Stage(works.{work}, {table}, run)
"""
GOOD = "async def run(item: Item, tools: Tools) -> Done:\n    return Done()"
FAULTS = {
    "not a coroutine": (GOOD.removeprefix("async "), "PAGE_PROCESSING", "table_of(Page)"),
    "another argument": (
        GOOD.replace("tools: Tools", "tools: Tools, more: int"),
        "PAGE_PROCESSING",
        "table_of(Page)",
    ),
    "another result": (
        GOOD.replace("-> Done", "-> str").replace("Done()", "''"),
        "PAGE_PROCESSING",
        "table_of(Page)",
    ),
    "a word for the work": (GOOD, "PAGE_PROCESSING.status", "table_of(Page)"),
    "a class for the table": (GOOD, "PAGE_PROCESSING", "Page"),
}


def checked(tmp_path: Path, *codes: str) -> str:
    files = []
    for number, code in enumerate(codes):
        file = tmp_path / f"stage_{number}.py"
        file.write_text(code)
        files.append(str(file))
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", *files]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300).stdout


@pytest.mark.req("R250")
def test_the_type_checker_refuses_a_stage_that_does_not_fit(tmp_path: Path) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert settings["strict"] is True
    assert "mypy" in (ROOT / "Makefile").read_text(encoding="utf-8")
    whole = [STAGE.format(function=GOOD, work="PAGE_PROCESSING", table="table_of(Page)")]
    whole += [
        STAGE.format(function=function, work=work, table=table) for function, work, table in FAULTS.values()
    ]

    told = checked(tmp_path, *whole)

    assert "stage_0.py" not in told, told
    for number, fault in enumerate(FAULTS, 1):
        assert f"stage_{number}.py" in told, f"{fault} was not seen:\n{told}"
