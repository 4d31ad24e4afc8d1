"""The files for contributors and hosted services name tools, versions and commands that exist."""

from __future__ import annotations

import configparser
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
DEPENDABOT = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TEMPLATES = sorted((ROOT / ".github").rglob("*.md"))
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def matrix(name: str) -> list[str]:
    """The values of one axis of the workflow's test matrix."""
    found = re.search(rf"^ +{name}: \[(.+)\]$", WORKFLOW, re.MULTILINE)
    assert found, f"the workflow has no matrix of {name}"
    return re.findall(r'"([^"]+)"', found.group(1))


def test_ci_covers_the_python_versions_that_the_package_declares() -> None:
    declared = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert matrix("python") == declared
    assert PROJECT["project"]["requires-python"] == f">={declared[0]}"
    assert PROJECT["tool"]["mypy"]["python_version"] == declared[0]


def test_ci_covers_the_postgresql_versions_that_the_documents_promise() -> None:
    decision = next((ROOT / "docs" / "decisions").glob("0001-*.md")).read_text(encoding="utf-8")
    promised = re.search(r"Versions (\d+) to (\d+)", decision)
    assert promised
    oldest, newest = (int(one) for one in promised.groups())
    assert matrix("postgresql") == [str(version) for version in range(oldest, newest + 1)]


def test_ci_runs_make_test_and_gives_the_tests_the_server_of_its_matrix() -> None:
    runs = re.findall(r"make (\w+)", WORKFLOW)
    assert runs == ["test"] * len(runs)
    assert len(runs) == len(re.findall(r"^  [a-z]+:\n    name:", WORKFLOW, re.MULTILINE))
    assert "postgres:${{ matrix.postgresql }}" in WORKFLOW
    variable = re.search(r"^ +(\w+): postgresql\+asyncpg://", WORKFLOW, re.MULTILINE)
    assert variable
    assert f'environ.get("{variable.group(1)}")' in (ROOT / "tests" / "conftest.py").read_text(
        encoding="utf-8"
    )
    for name in re.findall(r"make test (\w+)=\S+ (\w+)=", WORKFLOW)[0]:
        assert re.search(rf"^{name} \?=", MAKEFILE, re.MULTILINE), f"make has no variable {name}"


def test_hooks_call_the_tools_of_make_check() -> None:
    entries = re.findall(r"^ +entry: (.+)$", HOOKS, re.MULTILINE)
    lint = MAKEFILE.split("\nlint:")[1].replace("$(IN)", ".venv/bin/python")
    tools = re.findall(r"\.venv/bin/(?:python -m (?:ruff \w+|\w+)|[\w-]+)", lint)
    for tool in tools:
        assert any(entry.startswith(tool) for entry in entries), f"no hook calls {tool}"
    for entry in entries:
        target = re.fullmatch(r"make (\w+)", entry)
        assert target.group(1) in TARGETS if target else entry.startswith(tuple(tools)), entry
    assert set(re.findall(r"repo: (\S+)", HOOKS)) == {"local"}


@pytest.mark.parametrize("tool", re.findall(r"entry: (\.venv/bin/[\w-]+)", HOOKS))
def test_the_tool_of_a_hook_is_installed(tool: str) -> None:
    assert (ROOT / tool).exists(), "run: make setup"


def test_dependency_updates_cover_every_list_of_packages() -> None:
    folders = {"/" if path.parent == ROOT else f"/{path.parent.name}" for path in lists_of_packages()}
    pip = DEPENDABOT.split("package-ecosystem: pip")[1].split("package-ecosystem:")[0]
    assert set(re.findall(r'"(/[\w/]*)"', pip)) == folders
    assert "package-ecosystem: github-actions" in DEPENDABOT


def lists_of_packages() -> list[Path]:
    return [ROOT / "pyproject.toml", *(ROOT / "requirements").glob("*.txt")]


def test_the_editor_settings_agree_with_the_formatter() -> None:
    settings = configparser.ConfigParser()
    settings.read_string("[top]\n" + (ROOT / ".editorconfig").read_text(encoding="utf-8"))
    assert settings["*.py"]["max_line_length"] == str(PROJECT["tool"]["ruff"]["line-length"])
    assert settings["*.py"]["indent_size"] == "4"
    assert settings["Makefile"]["indent_style"] == "tab"


@pytest.mark.parametrize("page", TEMPLATES, ids=lambda page: page.name)
def test_a_template_names_commands_that_exist(page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z-]+)`", written)) <= TARGETS
    for command in re.findall(r"`\./scrapersky ([a-z ]+)`", written):
        answer = subprocess.run(
            [ROOT / "scrapersky", *command.split(), "--help"], capture_output=True, text=True, timeout=60
        )
        assert answer.returncode == 0, answer.stderr
    for file in re.findall(r"`([\w/]+\.\w+)`", written):
        assert (ROOT / file).exists(), f"{page.name} names {file}"
