"""The way from a fresh checkout to a running command: `make run` in copies that need no package at all."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
COMMAND = (
    '"""Says what it was asked."""\n\nimport sys\n\n\ndef main() -> None:\n    print("asked", sys.argv[1:])\n'
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of ours with an empty list of packages, in a folder that only its owner may enter."""
    home = tmp_path_factory.mktemp("home")
    home.chmod(0o700)
    copy = home / "my own copy"
    package = copy / "src" / "scrapersky"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""A stand-in."""\n')
    (package / "cli.py").write_text(COMMAND)
    (copy / "requirements").mkdir()
    for name in ("run", "dev"):
        (copy / "requirements" / f"{name}.txt").write_text("")
    shutil.copy(ROOT / "Makefile", copy)
    shutil.copy(ROOT / "scrapersky", copy)
    shutil.copytree(ROOT / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def make(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # Whatever the caller's environment says about Python and caches must not matter.
    strange = {
        "PIP_USER": "1",
        "PYTHONPATH": "/nonexistent",
        "PIP_CACHE_DIR": "/proc/no-cache",
        **environment,
    }
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "ARGS"))
    }
    command = ["make", "-s", *arguments]
    return subprocess.run(
        command, cwd=checkout, env={**clean, **strange}, capture_output=True, text=True, timeout=120
    )


def test_the_first_run_makes_the_environment_and_the_second_uses_it(checkout: Path) -> None:
    first = make(checkout, "run")
    assert first.stdout == "asked ['up']\n", first.stderr
    assert "Creating .venv" in first.stderr

    second = make(checkout, "run", "ARGS=--port 1")
    assert second.stdout == "asked ['up', '--port', '1']\n"
    assert second.stderr == ""

    (checkout / "requirements" / "run.txt").write_text("# The list has changed.\n")
    third = make(checkout, "run")
    assert "Installing" in third.stderr
    assert "Creating" not in third.stderr

    link = checkout.parent / "command"
    link.symlink_to(checkout / ".venv" / "bin" / "scrapersky")
    answer = subprocess.run([link, "find"], cwd="/", capture_output=True, text=True, timeout=30)
    assert answer.stdout == "asked ['find']\n", answer.stderr


def output(*command: object) -> str:
    answer = subprocess.run(
        [str(one) for one in command], cwd="/", capture_output=True, text=True, timeout=60
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_a_moved_or_copied_checkout_works_at_once_with_its_own_environment(checkout: Path) -> None:
    make(checkout, "env-run")
    copy = checkout.parent / "plain-copy"
    shutil.copytree(checkout, copy, symlinks=True)
    moved = checkout.parent / "moved, with spaces"
    checkout.rename(moved)
    try:
        for place in (copy, moved):
            commands = place / ".venv" / "bin"
            assert output(place / "scrapersky", "find") == "asked ['find']\n"
            assert output(commands / "scrapersky", "find") == "asked ['find']\n"
            assert str(place) in output(commands / "pip", "--version")
            where = "import scrapersky; print(scrapersky.__file__)"
            assert output(commands / "python", "-c", where).startswith(str(place))

            answer = make(place, "run")
            assert answer.stdout == "asked ['up']\n"
            assert "has moved" in answer.stderr
            assert "Installing" not in answer.stderr
            assert str(place) in (commands / "activate").read_text()
            assert make(place, "run").stderr == ""
    finally:
        moved.rename(checkout)


def test_the_command_in_the_checkout_installs_what_it_needs(checkout: Path) -> None:
    shutil.rmtree(checkout / ".venv", ignore_errors=True)
    link = checkout.parent / "linked"
    link.symlink_to(checkout / "scrapersky")
    answer = subprocess.run([link, "find"], cwd="/", capture_output=True, text=True, timeout=120)
    assert answer.stdout == "asked ['find']\n"
    assert "Creating .venv" in answer.stderr
    assert output(link, "demo") == "asked ['demo']\n"


def bootstrap_script() -> Any:
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "scripts" / "bootstrap.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PIP = ["Collecting one==1 (from -r run.txt (line 1))", "  Using cached one-1-py3-none-any.whl"]
PIP += ["Requirement already satisfied: two==2 in /somewhere", "Installing collected packages: one"]


def test_the_installation_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = bootstrap_script()
    monkeypatch.setattr(script, "SECONDS_BETWEEN_LINES", 0.0)
    for live, expected in ((False, "\n"), (True, "\r")):
        monkeypatch.setattr(sys.stderr, "isatty", lambda live=live: live, raising=False)
        progress = script.Progress(2)
        for line in PIP:
            progress.read(line)
        progress.end()
        told = [one.strip() for one in capsys.readouterr().err.split(expected) if one.strip()]
        assert told == [
            "1 of 2 packages: one",
            "2 of 2 packages: two",
            "2 of 2 packages downloaded; unpacking",
        ]


def test_packages_that_cannot_be_installed_are_named(checkout: Path) -> None:
    wanted = checkout / "requirements" / "run.txt"
    before = wanted.read_text()
    wanted.write_text(f"no-such-package==1.0 --hash=sha256:{'0' * 64}\n")
    try:
        answer = make(checkout, "run", PIP_NO_INDEX="1")
    finally:
        wanted.write_text(before)
    assert answer.returncode != 0
    assert "No matching distribution found for no-such-package==1.0" in answer.stderr
    assert "Installing the packages failed" in answer.stderr


def test_a_missing_python_is_one_clear_line(checkout: Path) -> None:
    answer = make(checkout, "run", "PYTHON=no-such-python")
    assert answer.returncode != 0
    assert (
        answer.stderr.splitlines()[0]
        == "Python 3.11 or newer is needed: apt-get install python3 python3-venv"
    )
