"""Jobs: lists, one job by number, UUID or the newest, and the figures of the dashboard."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, desc, func, or_, select, text

from scrapersky import tables
from scrapersky.declarations import IMPORT_SITEMAP, RUN_JOB
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import TenantRowsQuery

MAX_IMPORTS = 50
JOB_COLUMNS = (
    "id", "job_id", "job_type", "status", "error", "progress", "progress_percent", "progress_message",
    "retry_count", "max_retries", "next_retry_at", "result_data", "created_by", "created_at", "updated_at",
)  # fmt: skip
METRICS = text("""
SELECT count(*) FILTER (WHERE created_at > now() - interval '1 hour') AS created,
       count(*) FILTER (WHERE status = :done AND finished_at > now() - interval '1 hour') AS completed,
       count(*) FILTER (WHERE status = :failed AND finished_at > now() - interval '1 hour') AS failed,
       round(avg(extract(epoch FROM finished_at - created_at)) FILTER (
         WHERE status = :done AND finished_at > now() - interval '1 hour'), 3)::float AS average_seconds
FROM jobs WHERE tenant_id = :tenant_id
""")


class JobQuery(TenantRowsQuery):
    """The jobs of one tenant."""

    async def pending(self, job_type: str, limit: int = 10) -> list[dict[str, Any]]:
        """Jobs of a type that wait, oldest first (R168)."""
        jobs = tables.jobs.c
        is_pending = jobs.job_type == job_type, jobs.status == RUN_JOB.statuses.queued
        return await self.dicts(self._jobs().where(*is_pending).order_by(jobs.created_at).limit(limit))

    async def newest(self, *, status: str | None = None, limit: int = 50) -> list[dict[str, Any]]:
        query = self._jobs().order_by(desc(tables.jobs.c.id)).limit(limit)
        return await self.dicts(query.where(tables.jobs.c.status == status) if status else query)

    async def stuck(self, pending: timedelta, running: timedelta) -> list[dict[str, Any]]:
        """Jobs that wait or run too long (R024, R025); a job whose retry is not due is not stuck."""
        jobs = tables.jobs.c
        waits_long = and_(
            jobs.status == RUN_JOB.statuses.queued,
            func.greatest(jobs.created_at, jobs.next_retry_at) < func.now() - pending,
        )
        runs_long = and_(jobs.status == RUN_JOB.statuses.processing, jobs.updated_at < func.now() - running)
        return await self.dicts(self._jobs().where(or_(waits_long, runs_long)).order_by(jobs.id))

    async def imports(self, job_id: UUID) -> list[dict[str, Any]]:
        """The sitemap files that a job found, as long as they were imported: from when until when."""
        files = tables.sitemap_files.c
        finished_at = files[IMPORT_SITEMAP.column("finished_at")]
        query = select(files.id, files.url, files.created_at, finished_at.label("finished_at")).where(
            files.tenant_id == self._tenant_id, files.job_id == job_id, finished_at.is_not(None)
        )
        return await self.dicts(query.order_by(finished_at, files.id).limit(MAX_IMPORTS))

    async def import_notes(self, which: str) -> list[dict[str, Any]]:
        """What an import of another database could not take as it was, row by row."""
        job, notes = await self.show(which), tables.import_notes.c
        query = select(notes.table_name, notes.legacy_id, notes.outcome, notes.reason).where(
            notes.tenant_id == self._tenant_id, notes.job_id == job["job_id"]
        )
        return await self.dicts(query.order_by(notes.table_name, notes.outcome, notes.legacy_id))

    async def show(self, which: str) -> dict[str, Any]:
        """One job by its number, its UUID, or `latest` (R177, R221)."""
        query = self._jobs().order_by(desc(tables.jobs.c.id)).limit(1)
        rows = await self.dicts(query if which == "latest" else query.where(_is_job(which)))
        if not rows:
            raise NotFound(f"There is no job {which}")
        return rows[0]

    async def metrics(self, pending: timedelta, running: timedelta) -> dict[str, Any]:
        """Created, completed and failed in the last hour, stuck now, and the average time (R029 to R033)."""
        statuses = RUN_JOB.statuses
        params = {"done": statuses.done, "failed": statuses.failed, "tenant_id": self._tenant_id}
        [figures] = await self.dicts(METRICS, params)
        return {**figures, "stuck": len(await self.stuck(pending, running))}

    def _jobs(self) -> Select[Any]:
        columns = tables.jobs.c
        return select(*(columns[name] for name in JOB_COLUMNS)).where(columns.tenant_id == self._tenant_id)


def _is_job(which: str) -> ColumnElement[bool]:
    if which.isascii() and which.isdigit() and len(which) < 19:
        return tables.jobs.c.id == int(which)
    try:
        return tables.jobs.c.job_id == UUID(which)
    except ValueError:
        raise NotFound(f"Invalid job {which!r}; expected a job number, a UUID or 'latest'") from None
