"""The stages: what waits, what runs, what was done, and who works on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from math import inf
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import aggregate_order_by

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.queue import Queue
from scrapersky.queries.read_model import Query, queue_table
from scrapersky.tables.counts import oldest_due, stage_counts
from scrapersky.tables.monitoring_tables import errors_since

ALIVE = timedelta(seconds=60)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class StageActivity:
    """How a stage's runs go: who works on it, and what it did in the last hour. Cheap at any size."""

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
    paused: bool
    errors: dict[str, int]
    repaired: int


@dataclass(frozen=True, slots=True)
class StageStatus(StageActivity):
    """One line of the status: how the stage's runs go, and its rows counted."""

    waiting: int
    running: int
    failed: int
    oldest: datetime | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Remaining:
    """What is left of a queue, or of some of its rows: how many wait, and when the next may be claimed."""

    waiting: int
    running: int
    next_at: datetime | None
    now: datetime
    paused: bool
    reason: str | None

    @property
    def wait_seconds(self) -> float:
        """How long until the next row may be claimed; endless when none will be."""
        if self.paused or self.next_at is None:
            return inf
        return max(0.0, (self.next_at - self.now).total_seconds())


class StageQuery(Query):
    async def lines(self) -> list[StageStatus]:
        """All stages in the order of the pipeline, their rows counted."""
        queues = {queue.name: queue for queue in DECLARATIONS}
        counts = await self.counts()
        found = []
        for activity in await self.activity():
            mine = counts[activity.stage]
            first = await self.one(oldest_due(queues[activity.stage])) if mine["waiting"] else None
            oldest = first[0] if first else None
            found.append(StageStatus(**{**asdict(activity), **mine, "oldest": oldest}))
        return found

    async def counts(self) -> dict[str, dict[str, int]]:
        """What waits, runs and failed, by stage; exact, and as quick with a million rows as with none."""
        names = {
            (queue.name, word): name
            for queue in DECLARATIONS
            for name, word in (
                ("waiting", queue.statuses.queued),
                ("running", queue.statuses.processing),
                ("failed", queue.statuses.failed),
            )
        }
        found = {queue.name: {"waiting": 0, "running": 0, "failed": 0} for queue in DECLARATIONS}
        for row in await self.rows(stage_counts()):
            name = names.get((row.stage, row.status))
            if name and not (name == "waiting" and row.is_excluded):
                found[row.stage][name] += row.number
        return found

    async def remaining(self, queue: Queue, ids: Sequence[Any] | None = None) -> Remaining:
        """What is left to do for a stage, or for these rows of it, by the database's clock."""
        if ids is None:
            counts = (await self.counts())[queue.name]
            waiting, running = counts["waiting"], counts["running"]
        else:
            table = queue_table(queue)
            runs = table.c[queue.status] == queue.statuses.processing
            numbers = func.count().filter(text(queue.claimable())), func.count().filter(runs)
            waiting, running = tuple((await self.rows(select(*numbers).where(table.c.id.in_(ids))))[0])
        first = await self.rows(_next_claim(queue, ids)) if waiting else []
        now = (await self.rows(select(func.now())))[0][0]
        paused = await self.one(
            select(tables.stage_controls.c.reason).where(
                tables.stage_controls.c.stage == queue.name, tables.stage_controls.c.paused
            )
        )
        next_at = first[0][0] if first else None
        return Remaining(waiting, running, next_at, now, paused is not None, paused[0] if paused else None)

    async def activity(self) -> list[StageActivity]:
        """All stages in the order of the pipeline, without a look at their rows."""
        controls = {
            row.stage: row.paused
            for row in await self.rows(select(tables.stage_controls.c.stage, tables.stage_controls.c.paused))
        }
        workers = await self._workers()
        hours = {row.stage: row for row in await self.rows(_last_hour())}
        errors: dict[str, dict[str, int]] = defaultdict(dict)
        for row in await self.rows(errors_since(HOUR)):
            errors[row.stage][row.error_class] = int(row.number)
        repaired = {row.stage: int(row.number) for row in await self.rows(_repaired())}
        return [
            _turning(
                queue.name, queue.compat.job_id, hours.get(queue.name), workers.get(queue.name, 0), controls,
                errors[queue.name], repaired.get(queue.name, 0),
            )
            for queue in DECLARATIONS
        ]  # fmt: skip

    async def _workers(self) -> dict[str, int]:
        alive = tables.workers.c.heartbeat_at > func.now() - ALIVE
        stage = func.unnest(tables.workers.c.stages).label("stage")
        each = select(stage).where(alive).subquery()
        query = select(each.c.stage, func.count().label("number")).group_by(each.c.stage)
        return {row.stage: row.number for row in await self.rows(query)}


def _next_claim(queue: Queue, ids: Sequence[Any] | None) -> Any:
    """When the next row may be claimed: when it is due, and when its host may be called."""
    table, hosts = queue_table(queue), tables.hosts.c
    due = table.c[queue.column("due_at")]
    if ids is None:
        if not queue.host:
            return oldest_due(queue)
        waiting_since = hosts[queue.waiting_since]
        return select(func.min(func.greatest(hosts.next_allowed_at, waiting_since))).where(
            waiting_since.is_not(None)
        )
    mine = table.c.id.in_(ids), text(queue.claimable())
    if not queue.host:
        return select(func.min(due)).where(*mine)
    free = func.greatest(due, hosts.next_allowed_at)
    return (
        select(func.min(free)).join_from(table, tables.hosts, hosts.host == table.c[queue.host]).where(*mine)
    )


def _last_hour() -> Any:
    done = func.sum(tables.stage_stats.c.done)
    runs = func.sum(tables.stage_stats.c.runs)
    return (
        select(
            tables.stage_stats.c.stage,
            done.label("done"),
            func.sum(tables.stage_stats.c.failed).label("failed"),
            (func.sum(tables.stage_stats.c.ms_sum) / func.nullif(done, 0)).label("mean_ms"),
            runs.label("runs"),
            (func.sum(tables.stage_stats.c.run_ms_sum) / func.nullif(runs, 0)).label("run_ms_mean"),
            func.max(tables.stage_stats.c.run_ms_max).label("run_ms_max"),
            (func.array_agg(_newest_first())[1]).label("run_ms_last"),
        )
        .where(tables.stage_stats.c.minute > func.now() - HOUR, tables.stage_stats.c.waiting.is_(None))
        .group_by(tables.stage_stats.c.stage)
    )


def _repaired() -> Any:
    """How many rows the safety net queued in the last hour, by stage."""
    query = select(tables.stage_stats.c.stage, func.sum(tables.stage_stats.c.repaired).label("number"))
    return query.where(
        tables.stage_stats.c.minute > func.now() - HOUR, tables.stage_stats.c.repaired > 0
    ).group_by(tables.stage_stats.c.stage)


def _newest_first() -> Any:
    return aggregate_order_by(tables.stage_stats.c.run_ms_last, tables.stage_stats.c.minute.desc())


def _turning(
    stage: str,
    job_id: str,
    hour: Any,
    workers: int,
    controls: dict[str, bool],
    errors: dict[str, int],
    repaired: int,
) -> StageActivity:
    def figure(name: str, digits: int) -> float:
        return round(float(getattr(hour, name) or 0), digits) if hour else 0.0

    return StageActivity(
        stage=stage,
        job_id=job_id,
        done_hour=int(hour.done) if hour else 0,
        failed_hour=int(hour.failed) if hour else 0,
        mean_ms=figure("mean_ms", 2),
        runs=int(hour.runs) if hour else 0,
        run_ms_last=figure("run_ms_last", 1),
        run_ms_mean=figure("run_ms_mean", 1),
        run_ms_max=figure("run_ms_max", 1),
        workers=workers,
        paused=bool(controls.get(stage)),
        errors=errors,
        repaired=repaired,
    )
