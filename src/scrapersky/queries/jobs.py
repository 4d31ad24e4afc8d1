"""Jobs: lists, one job by number, UUID or the newest, and the five figures of the dashboard."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, and_, desc, func, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import RUN_JOB
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query

HOUR = timedelta(hours=1)
COLUMNS = (
    "id", "job_id", "job_type", "status", "error", "progress", "progress_percent", "progress_message",
    "retry_count", "max_retries", "next_retry_at", "result_data", "created_by", "created_at", "updated_at",
)  # fmt: skip


class JobQuery(Query):
    """The jobs of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id

    async def pending(self, job_type: str, limit: int = 10) -> list[dict[str, Any]]:
        """Jobs of a type that wait, oldest first (R168)."""
        query = (
            self._all()
            .where(tables.jobs.c.job_type == job_type, tables.jobs.c.status == RUN_JOB.statuses.queued)
            .order_by(tables.jobs.c.created_at)
        )
        return [dict(row._mapping) for row in await self.rows(query.limit(limit))]

    async def newest(self, *, status: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        query = self._all().order_by(desc(tables.jobs.c.id)).limit(limit)
        if status:
            query = query.where(tables.jobs.c.status == status)
        return [dict(row._mapping) for row in await self.rows(query)]

    async def stuck(self, pending: timedelta, running: timedelta) -> list[dict[str, Any]]:
        """Jobs that wait or run too long (R024, R025); one whose retry is not due is not among them."""
        due = tables.jobs.c.next_retry_at
        waits = and_(
            tables.jobs.c.status == RUN_JOB.statuses.queued,
            func.greatest(tables.jobs.c.created_at, due) < func.now() - pending,
        )
        runs = and_(
            tables.jobs.c.status == RUN_JOB.statuses.processing,
            tables.jobs.c.updated_at < func.now() - running,
        )
        return [
            dict(row._mapping)
            for row in await self.rows(self._all().where(or_(waits, runs)).order_by(tables.jobs.c.id))
        ]

    async def show(self, which: str) -> dict[str, Any]:
        """One job by its number, its UUID, or `latest` (R177, R221)."""
        row = await self.one(
            self._all().where(_is(which))
            if which != "latest"
            else self._all().order_by(desc(tables.jobs.c.id)).limit(1)
        )
        if row is None:
            raise NotFound(f"There is no job {which}")
        return dict(row._mapping)

    async def metrics(self, pending: timedelta, running: timedelta) -> dict[str, Any]:
        """Created, completed and failed in the last hour, stuck now, and the average time (R029 to R033)."""
        hour = func.now() - HOUR
        finished = tables.jobs.c.finished_at
        row = await self.one(
            select(
                func.count().filter(tables.jobs.c.created_at > hour).label("created"),
                func.count()
                .filter(tables.jobs.c.status == RUN_JOB.statuses.done, finished > hour)
                .label("completed"),
                func.count()
                .filter(tables.jobs.c.status == RUN_JOB.statuses.failed, finished > hour)
                .label("failed"),
                func.avg(func.extract("epoch", finished - tables.jobs.c.created_at))
                .filter(tables.jobs.c.status == RUN_JOB.statuses.done, finished > hour)
                .label("average_seconds"),
            ).where(tables.jobs.c.tenant_id == self._tenant_id)
        )
        figures = dict(row._mapping) if row else {}
        average = figures.get("average_seconds")
        stuck = len(await self.stuck(pending, running))
        return {
            **figures,
            "average_seconds": round(float(average), 3) if average is not None else None,
            "stuck": stuck,
        }

    def _all(self) -> Select[Any]:
        columns = tables.jobs.c
        return select(*(columns[name] for name in COLUMNS)).where(columns.tenant_id == self._tenant_id)


def _is(which: str) -> Any:
    if which.isascii() and which.isdigit() and len(which) < 19:
        return tables.jobs.c.id == int(which)
    try:
        return tables.jobs.c.job_id == UUID(which)
    except ValueError:
        raise NotFound(f"{which!r} is neither a job number nor a UUID") from None
