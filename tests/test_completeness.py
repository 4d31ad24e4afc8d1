"""Nothing is declared that the product does not use: settings, tables and stages."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stage import Stage
from scrapersky.pipeline import STAGES
from scrapersky.settings import Settings
from scrapersky.stage_context import GATE_SETTINGS
from scrapersky.stages.run_job import JOB_TYPES
from source_code import SRC, part, python_files, tree

PRODUCT = [path for path in python_files("src") if part(path) not in ("settings", "scrapersky_demo")]
CREATES = {"insert", "bulk_insert", "Upsert"}
CHANGES = {"update", "Update"}
READS = {"select", "exists", "join", "outerjoin", "select_from", "scalar_subquery"}


# Settings


def settings_read() -> set[str]:
    """Every setting that the product reads: by attribute, by a property, or by a stage's prefix."""
    found: set[str] = set()
    names: set[str] = set()
    for path in PRODUCT:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] == "settings":
                found.add(node.attr)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "option":
                names |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
    found |= {f"{stage.compat.settings_prefix}_{word}" for stage in DECLARATIONS for word in names}
    # The wiring reads every gate that a declaration names.
    found |= GATE_SETTINGS
    for node in ast.walk(tree(SRC / "settings" / "model.py")):
        if isinstance(node, ast.FunctionDef) and node.name in found:
            found |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return found


@pytest.mark.req("R190")
def test_every_setting_is_read_outside_the_settings() -> None:
    unread = sorted(set(Settings.model_fields) - settings_read())
    assert not unread, "Read it where the product is built, or remove it: " + ", ".join(unread)


# Tables


def aliases(module: ast.Module) -> dict[str, str]:
    """Names that stand for a table in a file: `job = tables.jobs`, also `.c` and `.alias()` of it."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if not isinstance(node, ast.Assign):
            continue
        targets = node.targets[0]
        pairs = (
            zip(targets.elts, node.value.elts, strict=False)
            if isinstance(targets, ast.Tuple) and isinstance(node.value, ast.Tuple)
            else [(targets, node.value)]
        )
        for target, value in pairs:
            named = tables_in(value, {}) if isinstance(value, ast.Attribute | ast.Call) else set()
            if isinstance(target, ast.Name) and len(named) == 1 and ast.unparse(value).startswith("tables."):
                found[target.id] = named.pop()
    return found


def tables_in(node: ast.AST, known: dict[str, str]) -> set[str]:
    """The tables that an expression names: as `tables.pages`, or by an imported or local name."""
    names = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "tables"
    }
    names |= {known.get(one.id, one.id) for one in ast.walk(node) if isinstance(one, ast.Name)}
    return names & set(tables.metadata.tables)


@dataclass
class Uses:
    """The tables that product code reads, writes, and makes rows in."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    created: set[str] = field(default_factory=set)
    # The words of the statements that insert into a table: what they give its rows.
    inserted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def note_call(self, node: ast.Call, known: dict[str, str]) -> None:
        name = ast.unparse(node.func).split(".")[-1]
        if name in CREATES | CHANGES and node.args:
            self.written |= tables_in(node.args[0], known)
        if name in CREATES and node.args:
            self.created |= tables_in(node.args[0], known)
        if name in READS:
            self.read |= tables_in(node, known)

    def note_sql(self, text: str) -> None:
        created = set(re.findall(r"\bINSERT INTO (\w+)", text))
        self.created |= created
        for table in created:
            self.inserted[table] |= set(re.findall(r"\w+", text))
        self.written |= created | set(re.findall(r"\bUPDATE (\w+)", text))
        self.read |= set(re.findall(r"\b(?:FROM|JOIN|USING) (\w+)", text))


@cache
def uses() -> Uses:
    found = Uses(read={stage.table.name for stage in STAGES})
    for path in PRODUCT:
        module = tree(path)
        known = aliases(module)
        for node in ast.walk(module):
            if isinstance(node, ast.Call):
                found.note_call(node, known)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.note_sql(node.value)
    return found


def check(unused: set[str], lack: str) -> None:
    assert not unused, f"{lack}: {sorted(unused)}"


def test_every_table_is_read() -> None:
    check(set(tables.metadata.tables) - uses().read, "Nothing in the product reads")


def test_every_table_is_written() -> None:
    unwritten = set(tables.metadata.tables) - uses().written
    check(unwritten, "Nothing in the product writes")


# Stages


def words_assigned(*, except_in: str) -> dict[str, set[str]]:
    """For each name that is a key of a dict or a keyword somewhere, the files where it is given a value."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in PRODUCT:
        if part(path) == "engine" or path.stem == except_in:
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Dict):
                for key in node.keys:
                    if isinstance(key, ast.Constant):
                        found[str(key.value)].add(path.name)
            elif isinstance(node, ast.keyword) and node.arg:
                found[node.arg].add(path.name)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                key = node.targets[0].slice
                if isinstance(key, ast.Constant):
                    found[str(key.value)].add(path.name)
    return found


def has_producer(stage: Stage) -> bool:
    """Something makes rows that are born queued, or gives others this stage's status."""
    if stage.name == "run_job":
        return bool(job_types_submitted() - {"sitemap"})
    if stage.name in handed_over():
        return True
    queue = stage.queue
    default = stage.table.c[queue.status].server_default
    born_queued = default is not None and f"'{queue.statuses.queued}'" in str(default.arg)  # type: ignore[attr-defined]
    if born_queued and queue.table in uses().created:
        return True
    if queue.status in uses().inserted[queue.table]:
        return True
    own_file = stage.run.__module__.split(".")[-1]
    return not born_queued and bool(words_assigned(except_in=own_file)[queue.status])


def handed_over() -> set[str]:
    """The stages that another stage hands rows over to: `context.handover.status(THIS, NEXT)`."""
    return {
        ast.unparse(node.args[1]).lower()
        for path in PRODUCT
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("context.handover.status", "context.handover.fields")
        and ast.unparse(node.args[0]) != ast.unparse(node.args[1])
    }


def test_every_declared_hand_over_is_made_and_no_other() -> None:
    declared = {following.stage for stage in DECLARATIONS for following in stage.queues}
    assert handed_over() == declared


def job_types_submitted() -> set[str]:
    """The job types that the product submits."""
    return {
        str(word.value.value)
        for path in PRODUCT
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "submit_job"
        for word in node.keywords
        if word.arg == "job_type" and isinstance(word.value, ast.Constant)
    }


def test_every_job_type_is_submitted_and_known() -> None:
    assert job_types_submitted() - {"sitemap"} == set(JOB_TYPES)


def test_every_stage_has_a_producer() -> None:
    without = {stage.name for stage in STAGES if not has_producer(stage)}
    check(without, "Nothing in the product queues work for")
