"""Fills the tests column of docs/requirements.md from the R numbers tests cite; --check only compares."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"^\| (R\d{3}) \| (.+) \| (.+) \|$")
RANGE = re.compile(r"\bR(\d{3})\b(?:\s*(?:to|-|–|\.\.)\s*R(\d{3})\b)?")
IN_NAME = re.compile(r"(?<![a-z0-9])r(\d{3})(?:_to_r(\d{3}))?(?![0-9])")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main(arguments: list[str]) -> int:
    text = TABLE.read_text(encoding="utf-8")
    fresh = filled(text, citations(ROOT / "tests"))
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
    without = before if before.startswith("open") else "open"
    return f"| {number} | {what} | {', '.join(cited[number]) or without} |"


def citations(folder: Path) -> dict[str, list[str]]:
    """For each number the tests that cite it, as pytest names them."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if not re.search(r"r\d{3}", source, re.IGNORECASE):
            continue
        comments = comments_of(source)
        for test, first in tests_of(ast.parse(source), comments):
            for number in sorted(cited_by(test, first, comments)):
                found[number].append(f"`{path.relative_to(ROOT).as_posix()}::{test.name}`")
    return found


def tests_of(module: ast.Module, comments: dict[int, str]) -> Iterator[tuple[Function, int]]:
    """Each test, with the first line that belongs to it: its decorators and the comments directly above."""
    for node in ast.walk(module):
        if isinstance(node, Function) and node.name.startswith("test_"):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            while first - 1 in comments:
                first -= 1
            yield node, first


def cited_by(test: Function, first: int, comments: dict[int, str]) -> set[str]:
    inside = [text for line, text in comments.items() if first <= line <= (test.end_lineno or first)]
    said = RANGE.findall("\n".join([*inside, ast.get_docstring(test) or ""]))
    spans = [(int(start), int(end or start)) for start, end in IN_NAME.findall(test.name) + said]
    return {f"R{number:03}" for start, end in spans for number in range(start, end + 1)}


def comments_of(source: str) -> dict[int, str]:
    """Comments that stand alone on their line or end one, by line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
