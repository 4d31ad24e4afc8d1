"""Commands are found by their module and load when they are run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from scrapersky.cli import main
from scrapersky.cli.lazy import LazyGroup, Section, lazy_module, short_help

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "module",
    [
        "operate.status",
        "operate.job",
        "operate.stage",
        "operate.db",
        "data.search",
        "data.export",
        "data.domain",
        "data.contact",
    ],
)
def test_a_short_command_loads_neither_pipeline_nor_readers(module: str) -> None:
    """Each second of start is waited for by a person, and paid again by every script."""
    code = f"""
import sys
import scrapersky.cli.{module}, scrapersky.cli.runtime
import scrapersky.database, scrapersky.queries, scrapersky.actions
heavy = ("scrapersky.pipeline", "scrapersky.stage_context", "aiohttp", "selectolax", "fastapi")
heavy += ("phonenumbers",)
print(*[name for name in heavy if name in sys.modules])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert told.stdout.strip() == ""


def test_a_module_in_a_package_of_commands_is_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is registered: the name of the file is the command, its first line the short help."""
    package = tmp_path / "some_commands"
    (package / "group").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "group" / "__init__.py").write_text('"""A group."""\n')
    source = '"""Say hello."""\nimport click\n\n\n@click.command()\ndef hello():\n    click.echo("hello")\n'
    (package / "hello.py").write_text(source)
    monkeypatch.setattr("scrapersky.cli.lazy.ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("main", sections=[Section("Greet", ("some_commands", "absent"), first=("hello",))])

    shown = CliRunner().invoke(group, ["--help"]).output
    assert "Greet:\n  hello  Say hello.\n  group  A group.\n" in shown
    assert "some_commands.hello" not in sys.modules
    assert CliRunner().invoke(group, ["hello"]).output == "hello\n"
    assert CliRunner().invoke(group, ["absent"]).exit_code == 2


def test_every_command_has_a_short_help_of_one_line() -> None:
    for name, module in main.modules.items():
        text = short_help(module)
        assert text.endswith("."), name
        assert len(text) <= 80, name


def test_the_program_works_without_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    product = [replace(section, packages=section.packages[:1]) for section in main.sections]
    monkeypatch.setattr(main, "sections", product)
    assert "demo" not in CliRunner().invoke(main, ["--help"]).output
    assert CliRunner().invoke(main, ["version"]).exit_code == 0


def test_a_lazy_module_loads_at_its_first_use() -> None:
    colors = lazy_module("colorsys")
    sys.modules.pop("colorsys", None)
    assert "colorsys" not in sys.modules
    assert colors.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "colorsys" in sys.modules
