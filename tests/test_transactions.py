"""The one way to connect and to change: the rules of ARCHITECTURE.md that a machine can check."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from source_code import SRC, part, python_files, tree, where

# Migration works before there is a right schema, and waits for others in a transaction of its own making.
MIGRATION = {SRC / "tables" / "migrate.py", SRC / "tables" / "migrations" / "env.py"}
MAKES_ENGINES = {SRC / "database.py", *MIGRATION}
# The demo is a program of its own, which fills a tenant with its rows.
BEGINS = ("engine", "actions", "maintenance", "scrapersky_demo")
OPENS = (*BEGINS, "processes")


def called_on(path: Path, *names: str) -> Iterator[tuple[ast.Call, str]]:
    """Calls of methods of these names, with what they are called on."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node, ast.unparse(node.func.value)


@pytest.mark.req("R193")
def test_one_place_makes_the_connections_to_the_database() -> None:
    """R193: everybody else is handed an engine, with its pool and its limits of time."""
    bad = [
        f"{where(path, node)} {ast.unparse(node.func)}"
        for path in python_files("src")
        if path not in MAKES_ENGINES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1]
        in ("create_async_engine", "create_engine", "async_sessionmaker", "sessionmaker", "AsyncSession")
    ]
    assert not bad, "Take the engine that database.py makes:\n" + "\n".join(bad)


@pytest.mark.req("R193")
def test_transactions_begin_and_end_in_one_way() -> None:
    """R193: `async with engine.begin()`, never inside another, never ended by hand."""
    allowed = {SRC / "tables" / "batches.py", SRC / "queries" / "read_model.py"}
    bad = []
    for path in python_files("src"):
        if path in MIGRATION or part(path) == "embedded":
            continue
        bad += [where(path, node) for node, _ in called_on(path, "commit", "rollback", "begin_nested")]
        for node, on in called_on(path, "begin"):
            if not on.endswith("engine") or (part(path) not in BEGINS and path not in allowed):
                bad.append(f"{where(path, node)} {on}.begin()")
        for node, on in called_on(path, "connect"):
            if on.endswith("engine") and part(path) not in OPENS and path not in allowed:
                bad.append(f"{where(path, node)} {on}.connect()")
    assert not bad, 'See "Connections and transactions" in ARCHITECTURE.md:\n' + "\n".join(bad)


@pytest.mark.req("R194")
def test_who_is_given_a_connection_works_in_its_transaction() -> None:
    """R194: the outermost function opens the transaction; what it calls takes `connection` and opens none."""
    functions = [
        (path, node)
        for path in python_files("src")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(argument.arg == "connection" for argument in node.args.args + node.args.kwonlyargs)
    ]
    bad = [
        f"{where(path, inner)} in {function.name}"
        for path, function in functions
        if path not in MIGRATION
        for inner in ast.walk(function)
        if isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Attribute)
        and inner.func.attr in ("begin", "commit", "rollback", "begin_nested", "in_transaction")
    ]
    assert len(functions) > 20
    assert not bad, "Work in the transaction you were given:\n" + "\n".join(bad)
