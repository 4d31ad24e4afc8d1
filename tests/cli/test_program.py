"""The command line's own name: commands that people read can be typed as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import scrapersky
from scrapersky.cli import main
from scrapersky.cli.program import program, with_program_name

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _forget_the_name() -> None:
    program.cache_clear()


def copy_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with its command, as the one that this program runs from."""
    (folder / "src" / "scrapersky").mkdir(parents=True)
    command = folder / "scrapersky"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setattr(scrapersky, "__file__", str(folder / "src" / "scrapersky" / "__init__.py"))
    return command


def test_commands_are_named_as_they_work_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = copy_of(tmp_path / "my copy", monkeypatch)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(command.parent)
    assert with_program_name("run `scrapersky db migrate`; see scrapersky.log") == (
        "run `./scrapersky db migrate`; see scrapersky.log"
    )
    program.cache_clear()
    monkeypatch.chdir("/")
    assert with_program_name("scrapersky up") == f"'{command}' up"
    program.cache_clear()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "scrapersky").symlink_to(command)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin")
    assert with_program_name("scrapersky up") == "scrapersky up"


def test_help_and_errors_show_commands_that_work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapersky.cli.program.program", lambda: "./scrapersky")
    assert "Example: ./scrapersky find" in CliRunner().invoke(main, ["find", "--help"]).output
    environment = {"PATH": "/usr/bin:/bin"}
    told = subprocess.run(
        [ROOT / ".venv" / "bin" / "scrapersky", "find", "--nonsense"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Try './scrapersky find --help'" in told.stderr


@pytest.mark.parametrize(
    ("given", "meant"),
    [(["finf"], "find"), (["stats"], "status"), (["stage", "lst"], "list"), (["extract", "page"], "pages")],
)
def test_an_unknown_command_is_answered_with_the_nearest(given: list[str], meant: str) -> None:
    told = CliRunner().invoke(main, given)
    assert told.exit_code == 2
    assert "Did you mean" in told.output
    assert f"'{meant}'" in told.output


def test_bash_completes_commands_by_path_and_imports_none_of_them() -> None:
    source = {"_SCRAPERSKY_COMPLETE": "bash_source", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "scrapersky"]
    script = subprocess.run(command, env=source, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "-F _scrapersky_completion scrapersky" in script.stdout
    asked = {"_SCRAPERSKY_COMPLETE": "bash_complete", "COMP_WORDS": "./scrapersky st", "COMP_CWORD": "1"}
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "scrapersky"],
        env={**asked, "PATH": os.environ["PATH"]}, cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert told.stdout.split() == ["plain,status", "plain,stage"]
    assert "scrapersky.cli.operate.status" not in told.stderr
