"""The row types of stages name exactly the columns that their declarations read."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from scrapersky import tables
from scrapersky.engine.stage import Stage
from scrapersky.pipeline import STAGES

# Columns that other rows of the table leave empty, but never those of this queue.
ALWAYS_SET = {("discover_sitemaps", "domain_id"), ("validate_email", "email")}


def row_type(stage: Stage) -> Any:
    module = inspect.getmodule(stage.run)
    assert isinstance(module, ModuleType)
    [found] = [
        kind
        for name, kind in vars(module).items()
        if name.endswith("Row") and getattr(kind, "__module__", "") == module.__name__
    ]
    return found


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_row_type_has_the_columns_that_its_stage_reads(stage: Stage) -> None:
    # The engine adds the host of a polite stage.
    given = {*stage.reads, *(["host"] if stage.queue.host else [])}
    declared = set(get_type_hints(row_type(stage)))

    assert declared - given == set(), "add it to `reads` of the declaration"
    assert set(stage.reads) - declared == set(), "remove it from `reads` or add it to the row type"


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_column_that_may_be_null_may_be_none(stage: Stage) -> None:
    columns = tables.metadata.tables[stage.queue.table].c
    for name, hint in get_type_hints(row_type(stage)).items():
        if (stage.name, name) not in ALWAYS_SET and columns[name].nullable:
            assert type(None) in getattr(hint, "__args__", ()), f"{name} can be NULL"
