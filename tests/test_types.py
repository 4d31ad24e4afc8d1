"""A stage that does not fit the engine's loop is found by the type checker that `make check` runs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STAGE = """
from scrapersky.declarations import READ_PAGE
from scrapersky.engine.stage import Result, Item, Stage
from scrapersky import tables
from scrapersky.stage_context.context import StageContext

{function}

stage = Stage({queue}, {table}, run)
"""
GOOD = "async def run(item: Item, context: StageContext) -> Result:\n    return Result()"
FAULTS = {
    "not a coroutine": (GOOD.removeprefix("async "), "READ_PAGE", "tables.pages"),
    "another argument": (
        GOOD.replace("context: StageContext", "context: StageContext, more: int"),
        "READ_PAGE",
        "tables.pages",
    ),
    "another result": (
        GOOD.replace("-> Result", "-> str").replace("Result()", "''"),
        "READ_PAGE",
        "tables.pages",
    ),
    "a name for the queue": (GOOD, "READ_PAGE.status", "tables.pages"),
    "a name for the table": (GOOD, "READ_PAGE", "tables.pages.name"),
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
    whole = [STAGE.format(function=GOOD, queue="READ_PAGE", table="tables.pages")]
    whole += [
        STAGE.format(function=function, queue=queue, table=table)
        for function, queue, table in FAULTS.values()
    ]

    told = checked(tmp_path, *whole)

    assert "stage_0.py" not in told, told
    for number, fault in enumerate(FAULTS, 1):
        assert f"stage_{number}.py" in told, f"{fault} was not seen:\n{told}"
