"""Rules that tables share: lengths, sane moments, vocabularies, links inside one tenant, and storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint, text
from sqlalchemy.schema import SchemaItem

from scrapersky.declarations import COLUMN_OWNERS, DECLARATIONS, Queue
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


def lengths(**most: int) -> list[CheckConstraint]:
    """Text of strangers is bounded by the database too."""
    return [CheckConstraint(f"char_length({name}) <= {n}", name=f"{name}_length") for name, n in most.items()]


def sane_moments(*names: str) -> list[CheckConstraint]:
    """A moment told by a stranger lies between 1970 and 2200."""
    return [
        CheckConstraint(
            f"{name} >= '1970-01-01 00:00:00+00' AND {name} < '2200-01-01 00:00:00+00'", name=f"{name}_sane"
        )
        for name in names
    ]


def word_of(column: str, statuses: Sequence[str]) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in statuses)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_word")


def same_tenant(column: str, parent: str, *, cascade: bool = False) -> ForeignKeyConstraint:
    """A link to a row of the same tenant; the database refuses any other."""
    return ForeignKeyConstraint(
        ["tenant_id", column],
        [f"{parent}.tenant_id", f"{parent}.id"],
        ondelete="CASCADE" if cascade else None,
    )


def linkable() -> UniqueConstraint:
    """What `same_tenant` of another table points at.

    No other whole index of such a table begins with the tenant: before the first statistics the planner takes
    all of them for equally good, and a link would be checked by reading every row of the tenant.
    """
    return UniqueConstraint("tenant_id", "id")


def trigram_index(name: str, *columns: str) -> Index:
    """An index for text anywhere in these columns; a server without `pg_trgm` is left without it.

    Every change of a row's status writes it again, so only columns that are sought in long tables have one.
    """
    return Index(
        name, *columns, postgresql_using="gin", postgresql_ops=dict.fromkeys(columns, "gin_trgm_ops")
    )


def queue_parts(table: str) -> list[SchemaItem]:
    """The columns, checks and indexes of every stage whose queue is in this table."""
    stages = [stage for stage in DECLARATIONS if stage.table == table]
    parts: list[SchemaItem] = []
    for stage in (stage for stage in stages if stage in COLUMN_OWNERS):
        default = stage.statuses.queued if stage.queued_by_default else None
        parts += [*queue_columns(stage, default=default), *queue_checks(stage)]
    for stage in stages:
        dead = text(dead_letter(stage))
        finished_at = stage.column("finished_at")
        parts += queue_indexes(stage)
        parts.append(Index(f"ix_{stage.name}_dead", "tenant_id", finished_at, postgresql_where=dead))
    return parts


def dead_letter(queue: Queue) -> str:
    """The condition under which a row is one of the work's dead letters, as SQL."""
    dead = f"{queue.status} = '{queue.statuses.failed}'"
    return f"{dead} AND {queue.condition}" if queue.condition else dead
