"""The way from a fresh checkout to a running command: `make run` in copies that need no package at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

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


@pytest.mark.reliability
def test_an_environment_that_was_copied_along_is_made_anew(checkout: Path) -> None:
    """Its tools would start the original's Python."""
    make(checkout, "env-run")
    copy = checkout.parent / "another copy"
    shutil.copytree(checkout, copy, symlinks=True)

    assert "Creating .venv" in make(copy, "env-run").stderr

    question = "import scrapersky; print(scrapersky.__file__)"
    command = [copy / ".venv" / "bin" / "python", "-c", question]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert answer.stdout == f"{copy / 'src' / 'scrapersky' / '__init__.py'}\n"


def test_a_missing_python_is_one_clear_line(checkout: Path) -> None:
    answer = make(checkout, "run", "PYTHON=no-such-python")
    assert answer.returncode != 0
    assert (
        answer.stderr.splitlines()[0]
        == "Python 3.11 or newer is needed: apt-get install python3 python3-venv"
    )
