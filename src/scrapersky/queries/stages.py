"""The status of each stage: rows, activity in the last hour, live workers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from math import inf
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.declarations.queue import Queue
from scrapersky.queries.read_model import Query, queue_table
from scrapersky.tables.counts import oldest_due, stage_counts
from scrapersky.tables.health_tables import errors_since

HOUR = timedelta(hours=1)

# Lines with a queue length are written by maintenance, not by a worker.
LAST_HOUR = text("""
SELECT stage, sum(done) AS done, sum(failed) AS failed, sum(runs) AS runs, sum(repaired) AS repaired,
       sum(ms_sum) / nullif(sum(done), 0) AS mean_ms,
       sum(run_ms_sum) / nullif(sum(runs), 0) AS run_ms_mean,
       max(run_ms_max) AS run_ms_max,
       (array_agg(run_ms_last ORDER BY minute DESC) FILTER (WHERE waiting IS NULL))[1] AS run_ms_last
FROM stage_stats WHERE minute > now() - interval '1 hour' GROUP BY stage
""")
LIVE_WORKERS = text("""
SELECT stage, count(*) AS workers FROM workers, unnest(stages) AS stage
WHERE heartbeat_at > now() - interval '1 minute' GROUP BY stage
""")
SCHEDULED_JOBS = text("""
SELECT DISTINCT job FROM workers, unnest(scheduled_jobs) AS job
WHERE heartbeat_at > now() - interval '1 minute'
""")
PAUSED_STAGES = text("SELECT stage, reason FROM stage_controls WHERE paused")


@dataclass(frozen=True, slots=True)
class StageCounts:
    """Rows of a stage by state; excluded rows do not wait."""

    waiting: int = 0
    running: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class StageActivity:
    """The live workers of a stage and its figures of the last hour; cheap at any size."""

    stage: str
    job_id: str
    done_hour: int
    failed_hour: int
    mean_ms: float
    runs: int
    run_ms_last: float
    run_ms_mean: float
    run_ms_max: float
    workers: int
    scheduled: bool
    paused: bool
    pause_reason: str | None
    errors: dict[str, int]
    repaired: int


@dataclass(frozen=True, slots=True)
class StageStatus(StageActivity):
    """The activity of a stage and the number of its rows."""

    waiting: int
    running: int
    failed: int
    oldest: datetime | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Remaining:
    """What remains of a queue, or of some of its rows, and when the next row may be claimed."""

    waiting: int
    running: int
    next_at: datetime | None
    now: datetime
    paused: bool
    reason: str | None

    @property
    def wait_seconds(self) -> float:
        """The time until the next row may be claimed; infinite if none will be."""
        if self.paused or self.next_at is None:
            return inf
        return max(0.0, (self.next_at - self.now).total_seconds())


class StageQuery(Query):
    async def statuses(self) -> list[StageStatus]:
        """All stages in the order of the pipeline."""
        counts = await self.counts()
        statuses = []
        for stage, activity in zip(DECLARATIONS, await self.activity(), strict=True):
            rows = counts[stage.name]
            oldest = await self.scalar(oldest_due(stage)) if rows.waiting else None
            statuses.append(StageStatus(**asdict(activity), **asdict(rows), oldest=oldest))
        return statuses

    async def counts(self) -> dict[str, StageCounts]:
        """Exact counts by stage, as fast with a million rows as with none."""
        return count_by_stage(await self.rows(stage_counts()))

    async def counts_by_tenant(self) -> dict[UUID, dict[str, StageCounts]]:
        """The same for every tenant that has rows; for engines that see them all."""
        tenants = defaultdict[UUID, list[Any]](list)
        for row in await self.rows(stage_counts()):
            tenants[row.tenant_id].append(row)
        return {tenant_id: count_by_stage(rows) for tenant_id, rows in tenants.items()}

    async def remaining(self, queue: Queue, ids: Sequence[Any] | None = None) -> Remaining:
        """What remains to do for a stage, or for these rows of it, by the database's clock."""
        if ids is None:
            counts = (await self.counts())[queue.name]
            waiting, running = counts.waiting, counts.running
        else:
            table = queue_table(queue)
            in_work = table.c[queue.status] == queue.statuses.processing
            numbers = func.count().filter(text(queue.claimable())), func.count().filter(in_work)
            [numbers_of_ids] = await self.rows(select(*numbers).where(table.c.id.in_(ids)))
            waiting, running = tuple(numbers_of_ids)
        next_at = await self.scalar(_next_claim(queue, ids)) if waiting else None
        now = await self.scalar(select(func.now()))
        paused = {row.stage: row.reason for row in await self.rows(PAUSED_STAGES)}
        return Remaining(waiting, running, next_at, now, queue.name in paused, paused.get(queue.name))

    async def activity(self) -> list[StageActivity]:
        """All stages in the order of the pipeline, without counting their rows."""
        paused = {row.stage: row.reason for row in await self.rows(PAUSED_STAGES)}
        workers = {row.stage: row.workers for row in await self.rows(LIVE_WORKERS)}
        jobs = await self.scheduled_jobs()
        figures = {row.stage: row for row in await self.rows(LAST_HOUR)}
        errors: dict[str, dict[str, int]] = defaultdict(dict)
        for row in await self.rows(errors_since(HOUR)):
            errors[row.stage][row.error_class] = int(row.number)
        return [
            _activity(
                stage,
                figures.get(stage.name),
                workers=workers.get(stage.name, 0),
                scheduled=stage.compat.job_id in jobs,
                paused=stage.name in paused,
                pause_reason=paused.get(stage.name) or None,
                errors=errors[stage.name],
            )
            for stage in DECLARATIONS
        ]

    async def scheduled_jobs(self) -> set[str]:
        """The jobs that the schedule of a live worker will run again."""
        return {row.job for row in await self.rows(SCHEDULED_JOBS)}


def count_by_stage(rows: Iterable[Any]) -> dict[str, StageCounts]:
    waiting, others = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], int](int)
    for row in rows:
        others[row.stage, row.status] += row.number
        if not row.is_excluded:
            waiting[row.stage, row.status] += row.number
    return {
        stage.name: StageCounts(
            waiting[stage.name, stage.statuses.queued],
            others[stage.name, stage.statuses.processing],
            others[stage.name, stage.statuses.failed],
        )
        for stage in DECLARATIONS
    }


def _next_claim(queue: Queue, ids: Sequence[Any] | None) -> Any:
    """When the next row is due and its host may be called."""
    table, hosts = queue_table(queue), tables.hosts.c
    due = table.c[queue.column("due_at")]
    if ids is None:
        if not queue.host:
            return oldest_due(queue)
        waiting_since = hosts[queue.waiting_since]
        next_at = func.min(func.greatest(hosts.next_allowed_at, hosts.paused_until, waiting_since))
        return select(next_at).where(waiting_since.is_not(None))
    claimable = table.c.id.in_(ids), text(queue.claimable())
    if not queue.host:
        return select(func.min(due)).where(*claimable)
    allowed = func.greatest(due, hosts.next_allowed_at, hosts.paused_until)
    joined = select(func.min(allowed)).join_from(table, tables.hosts, hosts.host == table.c[queue.host])
    return joined.where(*claimable)


def _activity(
    stage: StageDeclaration,
    hour: Any,
    *,
    workers: int,
    scheduled: bool,
    paused: bool,
    pause_reason: str | None,
    errors: dict[str, int],
) -> StageActivity:
    def figure(name: str, digits: int) -> float:
        return round(float(getattr(hour, name) or 0), digits) if hour else 0.0

    return StageActivity(
        stage=stage.name,
        job_id=stage.compat.job_id,
        done_hour=int(hour.done) if hour else 0,
        failed_hour=int(hour.failed) if hour else 0,
        mean_ms=figure("mean_ms", 2),
        runs=int(hour.runs) if hour else 0,
        run_ms_last=figure("run_ms_last", 1),
        run_ms_mean=figure("run_ms_mean", 1),
        run_ms_max=figure("run_ms_max", 1),
        workers=workers,
        scheduled=scheduled,
        paused=paused,
        pause_reason=pause_reason,
        errors=errors,
        repaired=int(hour.repaired) if hour else 0,
    )
