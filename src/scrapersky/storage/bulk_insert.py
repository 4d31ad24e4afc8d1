"""Inserts of many rows as one statement of a fixed text, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table, func, select
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, Insert, insert

from scrapersky.engine.database import unnest_rows


def bulk_insert(table: Table, names: Sequence[str]) -> Insert:
    """An insert of the rows that `values_of` prepares."""
    types = {name: table.c[name].type for name in names}
    # PostgreSQL has no array of arrays of different lengths, so lists travel as JSON.
    lists = {name for name, kind in types.items() if isinstance(kind, ARRAY)}
    sent = {
        name: JSONB(none_as_null=True) if name in lists or isinstance(kind, JSONB) else kind
        for name, kind in types.items()
    }
    sets = unnest_rows(**sent)
    read = [_as_list(sets, name) if name in lists else sets.c[name] for name in names]
    return insert(table).from_select(list(names), select(*read), include_defaults=False)


def _as_list(sets: Any, name: str) -> Any:
    elements = func.jsonb_array_elements_text(sets.c[name]).column_valued("element")
    return func.array(select(elements).correlate(sets).scalar_subquery())


def column_arrays(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {f"{name}_list": [row.get(name) for row in rows] for name in names}
