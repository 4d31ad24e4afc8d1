"""An operation as its runner sees it: what it does, how far it is, and the lease under which it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from scrapersky import tables
from scrapersky.actions.operations.changes import RowChange
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.queries.rows.filters import Filters


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What one chunk did; `cursor` is the last row that it looked at."""

    changed: int = 0
    queued: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    cursor: UUID | None = None
    is_last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    id: UUID
    tenant_id: UUID
    entity: Entity
    action: str
    value: str | None
    filters: Filters
    ids: tuple[UUID, ...] | None
    columns: tuple[str, ...]
    grace: timedelta
    user_id: UUID | None
    created_at: datetime
    undo_of: UUID | None
    rule_id: UUID | None
    token: UUID | None
    cursor: UUID | None
    followed_cursor: UUID | None
    matched: int
    changed: int
    queued: int
    skipped: dict[str, int]
    cancel_requested: bool = False
    is_at_end: bool = False
    correlation_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_row(cls, row: Any) -> Operation:
        return cls(
            id=row.id,
            tenant_id=row.tenant_id,
            entity=entity_of(row.table_name),
            action=row.action,
            value=row.value,
            filters=Filters.from_json(row.filters),
            ids=None if row.ids is None else tuple(row.ids),
            columns=tuple(row.journaled_columns),
            grace=timedelta(seconds=row.grace_seconds),
            user_id=row.created_by,
            created_at=row.created_at,
            undo_of=row.undo_of,
            rule_id=row.rule_id,
            token=row.lease_token,
            cursor=row.cursor,
            followed_cursor=row.followed_cursor,
            matched=row.matched,
            changed=row.changed,
            queued=row.queued,
            skipped=dict(row.skipped),
            cancel_requested=row.cancel_requested,
            correlation_id=row.correlation_id,
            options=dict(row.options),
        )

    @property
    def change(self) -> RowChange:
        return RowChange(self.entity, self.action, self.value, self.user_id, self.grace)

    @property
    def journal_id(self) -> UUID:
        """The operation whose journal names the rows."""
        return self.undo_of or self.id

    @property
    def moves_rows_below(self) -> bool:
        """Whether rows below the changed domains must leave or enter their queues."""
        return self.entity.table is tables.domains and self.entity.curation_column in self.columns

    def after(self, progress: Progress) -> Operation:
        return replace(
            self,
            cursor=progress.cursor or self.cursor,
            changed=self.changed + progress.changed,
            queued=self.queued + progress.queued,
            skipped=dict(Counter(self.skipped) + Counter(progress.skipped)),
            is_at_end=progress.is_last,
        )


def entity_of(table_name: str) -> Entity:
    return next(entity for entity in ENTITIES.values() if entity.table.name == table_name)
