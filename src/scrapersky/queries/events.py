"""What has changed since the last look, for everybody who watches: counts, jobs, operations, alerts.

One look serves all clients of a process, of every tenant, so the engine is the owner's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, desc, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import ENDED_JOBS, RUN_JOB
from scrapersky.queries.decisions.operations import ENTITY_OF_TABLE
from scrapersky.queries.read_model import Query, in_array
from scrapersky.queries.stages import StageQuery

# More than this at once is not followed row by row; the counts show it.
MAX_ROWS = 500
JOB = tables.jobs.c
OPERATION = tables.operations.c
ALERT = tables.alerts.c
JOB_COLUMNS = (
    JOB.id, JOB.job_id, JOB.tenant_id, JOB.job_type, JOB.status, JOB.progress_percent,
    JOB.progress_message, JOB.error,
)  # fmt: skip
OPERATION_COLUMNS = (
    OPERATION.id, OPERATION.tenant_id, OPERATION.action, OPERATION.table_name, OPERATION.value,
    OPERATION.status, OPERATION.matched, OPERATION.changed, OPERATION.queued, OPERATION.error,
    OPERATION.finished_at,
)  # fmt: skip
ALERT_COLUMNS = (
    ALERT.id, ALERT.kind, ALERT.subject, ALERT.severity, ALERT.message, ALERT.created_at,
    ALERT.acknowledged_at, ALERT.resolved_at,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """An event; without a tenant it concerns the whole installation."""

    event: str
    tenant_id: UUID | None
    data: dict[str, Any]


class ChangeQuery:
    """Remembers what it has seen, so that each look returns only what is new."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._query, self._stages = Query(engine), StageQuery(engine)
        self.counts: dict[UUID, dict[str, Any]] = {}
        self._jobs = _Followed(JOB_COLUMNS, JOB.id, start=0)
        self._operations = _Followed(OPERATION_COLUMNS, OPERATION.id, start=UUID(int=0))
        self._alerts: dict[UUID, dict[str, Any]] | None = None

    async def changes(self) -> list[ChangeEvent]:
        jobs = await self._jobs.changes(self._query, is_open=JOB.status == RUN_JOB.statuses.processing)
        operations = await self._operations.changes(self._query, is_open=OPERATION.finished_at.is_(None))
        self._jobs.forget(row["id"] for row in jobs if row["status"] in ENDED_JOBS)
        self._operations.forget(row["id"] for row in operations if row["finished_at"])
        return [
            *await self._count_changes(),
            *(ChangeEvent("job", row.pop("tenant_id"), row) for row in map(dict, jobs)),
            *(
                ChangeEvent("operation", row.pop("tenant_id"), _operation(row))
                for row in map(dict, operations)
            ),
            *await self._alert_changes(),
        ]

    async def _count_changes(self) -> list[ChangeEvent]:
        counted = await self._stages.counts_by_tenant()
        now = {
            tenant: {stage: asdict(numbers) for stage, numbers in stages.items()}
            for tenant, stages in counted.items()
        }
        changed = [tenant for tenant, stages in now.items() if self.counts.get(tenant) != stages]
        self.counts = now
        return [ChangeEvent("counts", tenant, {"stages": now[tenant]}) for tenant in changed]

    async def _alert_changes(self) -> list[ChangeEvent]:
        before, is_first = self._alerts or {}, self._alerts is None
        is_watched = or_(ALERT.resolved_at.is_(None), in_array(ALERT.id, before))
        rows = await self._query.dicts(select(*ALERT_COLUMNS).where(is_watched).limit(MAX_ROWS))
        self._alerts = {row["id"]: row for row in rows if row["resolved_at"] is None}
        changed = [] if is_first else [row for row in rows if before.get(row["id"]) != row]
        return [ChangeEvent("alert", None, row) for row in changed]


def _operation(row: dict[str, Any]) -> dict[str, Any]:
    """As the API shows it: the kind of rows, not their table."""
    return {"entity": ENTITY_OF_TABLE[row.pop("table_name")], **row}


class _Followed:
    """Rows of a table that are new, are open, or were so when last seen; identifiers rise with time."""

    def __init__(self, columns: tuple[Any, ...], key: Any, *, start: Any) -> None:
        self._columns, self._key, self._start = columns, key, start
        self._last: Any = None
        self._seen: dict[Any, dict[str, Any]] = {}

    async def changes(self, query: Query, *, is_open: ColumnElement[bool]) -> list[dict[str, Any]]:
        """The rows that changed; the first look only remembers what is open."""
        is_first = self._last is None
        if is_first:
            newest = await query.scalar(select(self._key).order_by(desc(self._key)).limit(1))
            self._last = self._start if newest is None else newest
            condition = is_open
        else:
            # Also rows that waited for long and have just begun.
            condition = or_(self._key > self._last, in_array(self._key, self._seen), is_open)
        rows = await query.dicts(
            select(*self._columns).where(condition).order_by(desc(self._key)).limit(MAX_ROWS)
        )
        before, self._seen = self._seen, {row[self._key.name]: row for row in rows}
        if self._seen and not is_first:
            self._last = max(self._last, *self._seen)
        changed = [row for row in rows if before.get(row[self._key.name]) != row]
        return [] if is_first else changed[::-1]

    def forget(self, ids: Iterable[Any]) -> None:
        for row_id in ids:
            self._seen.pop(row_id, None)
