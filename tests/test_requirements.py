"""The list of requirements names each of them once, and only tests that exist."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (R\d{3}) \| (.+) \| (.+) \|$", TABLE, re.MULTILINE)


def test_all_270_numbers_are_listed_once_and_in_order() -> None:
    numbers = [number for number, _, _ in ROWS]

    assert [number for number, count in Counter(numbers).items() if count > 1] == []
    assert numbers == [f"R{number:03}" for number in range(1, 271)]


def test_all_20_decisions_are_listed() -> None:
    assert re.findall(r"^- \*\*(D\d+)\*\* \S", TABLE, re.MULTILINE) == [
        f"D{number}" for number in range(1, 21)
    ]


def test_every_line_names_tests_or_says_open() -> None:
    named = re.compile(r"`tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)*")
    partly = re.compile(rf"open(: [^;]+(; so far {named.pattern})?)?")
    bad = [number for number, _, tests in ROWS if not (partly.fullmatch(tests) or named.fullmatch(tests))]
    assert not bad, f"Neither tests nor open: {bad}"


def test_every_named_test_exists() -> None:
    known = {
        f"{path.relative_to(ROOT).as_posix()}::{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    named = {name for _, _, tests in ROWS for name in re.findall(r"`([^`]+::[^`]+)`", tests)}
    assert named <= known, f"docs/requirements.md names tests that do not exist: {sorted(named - known)}"


def test_the_table_says_what_the_tests_cite() -> None:
    command = [sys.executable, "scripts/requirements.py", "--check"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
