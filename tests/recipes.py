"""Follows a page of docs/how-to on a copy of the tree: writes its code blocks to the files that it names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOW_TO = ROOT / "docs" / "how-to"
COPIED = (
    "src",
    "tests",
    "scripts",
    "docs",
    "pyproject.toml",
    "Makefile",
    "README.md",
    "ARCHITECTURE.md",
    ".env.example",
)
# "Create `path`" or "In `path`", then text, then the first block of code.
STEP = re.compile(
    r"\b(Create|In) `([\w./]+)`[^`\n]*(?:`[^`\n]+`[^`\n]*)*\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMANDS = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MAKE_DOCS = ("scripts/docs.py", "scripts/requirements.py")


@dataclass
class Recipe:
    """One page, followed in a copy of the tree."""

    page: str
    folder: Path
    edited: set[str] = field(default_factory=set)

    def follow(self) -> None:
        """Write every block of the page to its file."""
        steps = STEP.findall((HOW_TO / self.page).read_text(encoding="utf-8"))
        assert steps, f"{self.page} has no steps"
        for verb, name, language, block in steps:
            path = self.folder / name
            assert path.exists() == (verb == "In"), (
                f"{self.page}: {verb} {name}, which is {'' if path.exists() else 'not '}there"
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            if language == "diff":
                path.write_text(patched(path.read_text(encoding="utf-8"), block, name), encoding="utf-8")
            else:
                assert verb == "Create", f"{self.page}: an edit of {name} is shown as a diff"
                path.write_text(block, encoding="utf-8")
            self.edited.add(name)

    def commands(self) -> list[str]:
        """The commands that the page tells to run, without their output."""
        blocks = COMMANDS.findall((HOW_TO / self.page).read_text(encoding="utf-8"))
        return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]

    def run_commands(self, **environment: str) -> str:
        """Run what the page says, each as this copy's own program; return all output."""
        return "\n".join(self.run(command, **environment) for command in self.commands())

    def run(self, command: str, **environment: str) -> str:
        return "\n".join(self.run_python(*arguments, **environment) for arguments in as_python(command))

    def run_python(self, *arguments: str, **environment: str) -> str:
        # The tests of the copy are a run of their own, with their own template database.
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SCRAPERSKY_", "PYTEST_"))
        }
        inherited |= {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        answer = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=inherited,
            capture_output=True,
            text=True,
            timeout=250,
        )
        assert answer.returncode == 0, f"{arguments}\n{answer.stdout[-6000:]}\n{answer.stderr[-3000:]}"
        return answer.stdout

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def as_python(command: str) -> list[list[str]]:
    """A command of a checkout as arguments of the Python that runs these tests."""
    words = command.split()
    if command == "make docs":
        return [[script] for script in MAKE_DOCS]
    if words[:2] == ["make", "test"]:
        return [["-m", "pytest", "-q", "-p", "no:cacheprovider", *words[2].removeprefix("ARGS=").split(",")]]
    assert words[0] == "./scrapersky", f"a recipe runs {command!r}"
    return [["-m", "scrapersky", *words[1:]]]


def patched(text: str, diff: str, name: str) -> str:
    """The text with each hunk of a diff applied; hunks are separated by a line with @@."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = [line or " " for line in hunk.splitlines()]
        if not lines:
            continue
        before = "".join(line[1:] + "\n" for line in lines if line[0] in " -")
        after = "".join(line[1:] + "\n" for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"{name} has {text.count(before)} times:\n{before}"
        text = text.replace(before, after)
    return text


def follow(page: str, folder: Path) -> Recipe:
    """Copy the tree and follow the page there."""
    recipe = Recipe(page, copy_tree(folder))
    recipe.follow()
    return recipe


def copy_tree(folder: Path) -> Path:
    """A copy of the tree without its environment and caches."""
    for name in COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, folder / name, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
        else:
            shutil.copy2(place, folder / name)
    return folder
