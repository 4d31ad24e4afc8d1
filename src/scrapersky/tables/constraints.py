"""Constraints that tables share: lengths, value lists, ranges, keys inside one tenant, queues, storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlalchemy.schema import SchemaItem

from scrapersky.declarations import COLUMN_OWNERS, DECLARATIONS, Queue
from scrapersky.declarations.facets import FACETS
from scrapersky.engine.ddl import queue_checks, queue_columns, queue_indexes

# Rows whose status changes often: room for the new version on the same page, and brisk cleaning. A table that
# has just got its first rows is counted at once, because plans made for an empty one read all of a full one.
HIGH_CHURN_STORAGE: dict[str, Any] = {
    "postgresql_with": {
        "fillfactor": 80,
        "autovacuum_vacuum_scale_factor": 0,
        "autovacuum_vacuum_threshold": 5000,
        "autovacuum_analyze_scale_factor": 0.05,
        "autovacuum_analyze_threshold": 50,
    }
}


def max_lengths(**limits: int) -> list[CheckConstraint]:
    """Text that others wrote is bounded by the database too."""
    return [
        CheckConstraint(f"char_length({name}) <= {limit}", name=f"{name}_length")
        for name, limit in limits.items()
    ]


def timestamp_range(*names: str) -> list[CheckConstraint]:
    """A time that others state lies between 1970 and 2200."""
    return [
        CheckConstraint(
            f"{name} >= '1970-01-01 00:00:00+00' AND {name} < '2200-01-01 00:00:00+00'", name=f"{name}_range"
        )
        for name in names
    ]


def one_of(column: str, values: Sequence[str]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_allowed")


def tenant_foreign_key(column: str, parent: str, *, cascade: bool = False) -> ForeignKeyConstraint:
    """A reference to a row of the same tenant; the database refuses any other."""
    return ForeignKeyConstraint(
        ["tenant_id", column],
        [f"{parent}.tenant_id", f"{parent}.id"],
        ondelete="CASCADE" if cascade else None,
    )


def tenant_key() -> UniqueConstraint:
    """What `tenant_foreign_key` of another table references.

    No other whole index of such a table begins with the tenant: before the first statistics the planner takes
    all of them for equally good, and a reference would be checked by reading every row of the tenant.
    """
    return UniqueConstraint("tenant_id", "id")


def trigram_index(name: str, *columns: str) -> Index:
    """An index for text anywhere in these columns; a server without `pg_trgm` is left without it.

    Every change of a row's status writes it again, so only columns that are sought in long tables have one.
    What is new waits in the index's list of pending entries, at PostgreSQL's own limits: storing a page took
    28 us without the index, 45 with it, 69 with a list of 64 kB and 215 without a list.
    """
    return Index(
        name, *columns, postgresql_using="gin", postgresql_ops=dict.fromkeys(columns, "gin_trgm_ops")
    )


def filled_index(name: str, column: str, *more: str) -> Index:
    """An index of the rows that have a value in the column.

    A change of status writes every index of its row again, and among many rows without a value that is slow:
    with an index of nothing but NULL, a worker's two changes took a third longer.
    """
    return Index(name, column, *more, postgresql_where=text(f"{column} IS NOT NULL"))


# True of every row, but only who says so gets the index: see `tenant_key`.
LISTED_SINCE: ColumnElement[Any] = literal_column("'-infinity'")


def list_indexes(table: str) -> list[Index]:
    """The indexes of a list: by facets and then by id, by the time of the last change, and of the errors.

    A list knows from the row counts which combinations of facets its filters match, and takes the first rows
    of each. So every filter on facets is answered by a few short reads, however rare or old the rows are.
    """
    columns: dict[str, list[Any]] = {
        "facets": [*FACETS[table], text("id DESC")],
        "updated": ["updated_at", "id"],
    }
    errors = [stage.error for stage in reversed(DECLARATIONS) if stage.table == table]
    error = errors[0] if len(errors) == 1 else f"coalesce({', '.join(errors)})"
    with_error = Index(f"ix_{table}_errors", "tenant_id", "id", postgresql_where=text(f"{error} IS NOT NULL"))
    return [*(list_index(table, name, *parts) for name, parts in columns.items()), with_error]


def list_index(table: str, name: str, *parts: Any) -> Index:
    """An index for one order of a list; see `LISTED_SINCE`."""
    listed = text("created_at >= '-infinity'")
    return Index(f"ix_{table}_{name}", "tenant_id", *parts, postgresql_where=listed)


def queue_parts(table: str) -> list[SchemaItem]:
    """The columns, checks and indexes of every stage whose queue is in this table."""
    stages = [stage for stage in DECLARATIONS if stage.table == table]
    parts: list[SchemaItem] = []
    for stage in (stage for stage in stages if stage in COLUMN_OWNERS):
        default = stage.statuses.queued if stage.queued_by_default else None
        parts += [*queue_columns(stage, default=default), *queue_checks(stage)]
    for stage in stages:
        failed = text(dead_letter_condition(stage))
        finished_at = stage.column("finished_at")
        parts += queue_indexes(stage)
        parts.append(
            Index(f"ix_{stage.name}_dead_letters", "tenant_id", finished_at, postgresql_where=failed)
        )
    return parts


def dead_letter_condition(queue: Queue) -> str:
    """The condition under which a row is a dead letter of the queue, as SQL."""
    failed = f"{queue.status} = '{queue.statuses.failed}'"
    return f"{failed} AND {queue.condition}" if queue.condition else failed
