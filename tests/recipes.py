"""Follows a recipe on a copy of the tree: applies its edits, runs its commands, compares their output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "scripts", "docs", "pyproject.toml", "Makefile", ".env.example", "scrapersky")
COPIED_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The last file that the text before a block says to create or to edit.
FILE = re.compile(r"\b(Create|In) `([\w./-]+)`")
MAKE_DOCS = ("scripts/docs.py", "scripts/requirements.py")


@dataclass
class Recipe:
    """One page, followed in a copy of the tree."""

    page: str
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    edited: set[str] = field(default_factory=set)

    def follow(self, *, run: bool = True) -> None:
        """Do what the page says, from top to bottom; without `run` only its edits."""
        text, end = (ROOT / self.page).read_text(encoding="utf-8"), 0
        for block in BLOCK.finditer(text):
            before, end = text[end : block.start()], block.end()
            language, content = block.groups()
            if language == "console":
                if run:
                    self._run_block(content)
            elif files := FILE.findall(before):
                self._edit(*files[-1], language, content)

    def _edit(self, verb: str, name: str, language: str, content: str) -> None:
        path = self.folder / name
        assert (verb == "In") == path.exists(), f"{self.page}: {verb} {name}, exists: {path.exists()}"
        assert (verb == "In") == (language == "diff"), f"{self.page}: show the edit of {name} as a diff"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = patched(path.read_text(encoding="utf-8"), content, name) if language == "diff" else content
        path.write_text(new, encoding="utf-8")
        self.edited.add(name)

    def _run_block(self, block: str) -> None:
        """Run each line after a dollar; the lines below it must be in its output, … stands for anything."""
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            output = self.run(command)
            for line in filter(None, expected):
                pattern = r"[^\n]*".join(re.escape(piece.strip()) for piece in line.split("…"))
                assert re.search(pattern, output), f"{self.page}: {command}\nhas no line {line!r}:\n{output}"

    def run(self, command: str) -> str:
        """A command of a checkout, run by the Python of these tests in the copy."""
        return "\n".join(self.run_python(*arguments) for arguments in as_python(command))

    def run_python(self, *arguments: str) -> str:
        # The tests of the copy are a run of their own, with their own template database.
        ours = ("SCRAPERSKY_", "PYTEST_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        environment |= {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        answer = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment | self.environment,
            capture_output=True,
            text=True,
            timeout=250,
        )
        output = answer.stdout + answer.stderr
        assert answer.returncode == 0, f"{self.page}: {' '.join(arguments)}\n{output[-8000:]}"
        return output

    def python_files(self) -> list[str]:
        return sorted(name for name in self.edited if name.endswith(".py"))


def as_python(command: str) -> list[list[str]]:
    """A command of a checkout as arguments of Python, which needs no environment in the copy."""
    words = shlex.split(command)
    if command == "make docs":
        return [[script] for script in MAKE_DOCS]
    if command == "make schema":
        return [["-m", "scrapersky.tables.migrations.render_first"]]
    if words[:2] == ["make", "test"]:
        return [["-m", "pytest", "-q", "-p", "no:cacheprovider", *words[2].removeprefix("ARGS=").split()]]
    assert words[0] == "./scrapersky", f"a recipe runs {command!r}"
    return [["-m", "scrapersky", *words[1:]]]


def patched(text: str, diff: str, name: str) -> str:
    """The text with each hunk of a diff applied; a line with @@ separates hunks."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = [line or " " for line in hunk.splitlines()]
        before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        if lines:
            assert text.count(before) == 1, f"{name} has {text.count(before)} times:\n{before}"
            text = text.replace(before, after)
    return text


def copy_tree(folder: Path) -> Path:
    """A copy of the tree without its environment and caches."""
    for name in (*COPIED, *COPIED_PAGES):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder
