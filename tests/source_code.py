"""Our own code as the checks of its structure see it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "scrapersky"


def python_files(*folders: str) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "__pycache__" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def where(path: Path, node: ast.AST | int) -> str:
    line = node if isinstance(node, int) else getattr(node, "lineno", 1)
    return f"{path.relative_to(ROOT)}:{line}"


def part(path: Path) -> str:
    """The top-level part of the package that a file belongs to: engine, fetch, settings …"""
    parts = path.relative_to(SRC.parent).parts
    return (parts[1] if parts[0] == SRC.name else parts[0]).removesuffix(".py")
