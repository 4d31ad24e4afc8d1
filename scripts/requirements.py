"""Fills the tests column of docs/requirements.md from the R numbers tests cite; --check only compares."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SO_FAR = "; so far "
TABLE = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"^\| (R\d{3}) \| (.+) \| (.+) \|$")


def main(arguments: list[str]) -> int:
    text = TABLE.read_text(encoding="utf-8")
    fresh = filled(text, citations(ROOT / "tests"))
    rows = [row for line in fresh.split("\n") if (row := ROW.match(line))]
    print(f"{sum(not row[3].startswith('open') for row in rows)} of {len(rows)} requirements are proven")
    if fresh == text:
        return 0
    if "--check" in arguments:
        print("docs/requirements.md is not what the tests cite; run: make docs", file=sys.stderr)
        return 1
    TABLE.write_text(fresh, encoding="utf-8")
    print("wrote docs/requirements.md")
    return 0


def filled(text: str, cited: dict[str, list[str]]) -> str:
    return "\n".join(filled_line(line, cited) for line in text.split("\n"))


def filled_line(line: str, cited: dict[str, list[str]]) -> str:
    row = ROW.match(line)
    if not row:
        return line
    number, what, before = row.groups()
    tests = ", ".join(cited[number])
    # A reason stays until a person removes it: tests of one part do not prove the whole line.
    if before.startswith("open:"):
        reason = before.split(SO_FAR)[0]
        return f"| {number} | {what} | {reason + SO_FAR + tests if tests else reason} |"
    return f"| {number} | {what} | {tests or 'open'} |"


def citations(folder: Path) -> dict[str, list[str]]:
    """For each number the tests that cite it, as pytest names them."""
    tests: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "mark.req(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for number in cited_by(node):
                    tests[number].append(f"`{path.relative_to(ROOT).as_posix()}::{node.name}`")
    return tests


def cited_by(test: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The numbers in the test's `@pytest.mark.req(...)` markers."""
    markers = [mark for mark in test.decorator_list if ast.unparse(mark).startswith("pytest.mark.req(")]
    return {number for mark in markers for number in ast.literal_eval(f"[{_arguments(mark)}]")}


def _arguments(mark: ast.expr) -> str:
    return ast.unparse(mark).removeprefix("pytest.mark.req(").removesuffix(")")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
