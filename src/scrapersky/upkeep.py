"""What the fleet does for itself now and then: safety net, cleanup, and looks for what is stuck or silent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Table, Text, and_, cast, delete, func, literal, or_, select, text, union_all, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.engine.ticks import Ticks
from scrapersky.engine.work import Work
from scrapersky.tables import Alert, Job, PageBody, Row, Schedule, Sitemap, StageStat, WorkerProcess, Zombie
from scrapersky.tables.row import table_of
from scrapersky.tables.works import WORKS

Report = Callable[[list[dict[str, Any]]], None]
# A machine that slept goes on under its old number, so its row has to outlive a night and a weekend.
# Every row of these stages that is done leaves something behind.
FRUITFUL = ("deep_scan", "read_metadata", "submit_domain", "import_sitemap", "read_page")
DEAD_WORKER = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Rules:
    """How often, how long and how many; every figure is a setting. None keeps for ever."""

    safety_net: timedelta = timedelta(minutes=5)
    stuck_check: timedelta = timedelta(minutes=5)
    cleanup: timedelta = timedelta(hours=1)
    batch: int = 5_000
    keep_jobs: timedelta | None = timedelta(days=30)
    keep_dead: timedelta | None = timedelta(days=90)
    keep_statistics: timedelta | None = timedelta(days=90)
    keep_alerts: timedelta | None = timedelta(days=90)
    pending: timedelta = timedelta(minutes=5)
    running: timedelta = timedelta(minutes=30)
    processing: timedelta = timedelta(minutes=30)
    stall: timedelta = timedelta(minutes=15)
    barren: int = 50


class Upkeep:
    def __init__(self, engine: AsyncEngine, rules: Rules, report: Report) -> None:
        self.engine, self.rules, self.report = engine, rules, report
        self.ticks = Ticks(engine, table_of(Schedule))

    def jobs(self) -> list[tuple[str, Callable[[], Awaitable[object]], timedelta]]:
        """What to put on the schedule: name, call and interval."""
        return [
            ("queue_forgotten_sitemaps", self.safety_net, self.rules.safety_net),
            ("clean_up", self.clean_up, self.rules.cleanup),
            ("look_for_stuck_rows", self.look_for_stuck, self.rules.stuck_check),
        ]

    async def safety_net(self) -> int | None:
        """Queue sitemaps that have no import status (R003); says how many it repaired (R007)."""
        done = await self.ticks.run("queue_forgotten_sitemaps", self.rules.safety_net, queue_forgotten)
        if done:
            self.report([{"event": "safety_net", "level": "warning", "repaired": done}])
        return done

    async def clean_up(self) -> dict[str, int]:
        """Delete what is past its time, a bounded batch per transaction; says how many rows went (R021)."""
        mine = await self.ticks.run("clean_up", self.rules.cleanup, _nothing)
        return await self.clean_up_now() if mine is not None else {}

    async def clean_up_now(self) -> dict[str, int]:
        removed: dict[str, int] = {}
        for row, condition in self._expired():
            name, total = row.__tablename__, 0
            while gone := await self._delete_batch(row, condition):
                total += gone
            removed[name] = removed.get(name, 0) + total
        self.report([{"event": "cleanup", "removed": removed}])
        return removed

    def _expired(self) -> list[tuple[type[Row], Any]]:
        rules = self.rules
        over = and_(
            Job.status.in_(("complete", "failed", "cancelled")), _older(Job.created_at, rules.keep_jobs)
        )
        return [
            (Job, over),
            (PageBody, PageBody.expires_at < func.now()),
            (Zombie, _older(Zombie.created_at, rules.keep_dead)),
            (StageStat, _older(StageStat.minute, rules.keep_statistics)),
            (Alert, and_(Alert.over_at.is_not(None), _older(Alert.created_at, rules.keep_alerts))),
            (WorkerProcess, WorkerProcess.heartbeat_at < func.now() - DEAD_WORKER),
        ]

    async def _delete_batch(self, row: type[Row], condition: Any) -> int:
        table = table_of(row)
        key = list(table.primary_key.columns)
        batch = (
            select(*key)
            .where(condition)
            .limit(self.rules.batch)
            .with_for_update(skip_locked=True)
            .cte("batch")
        )
        same = and_(*(column == batch.c[column.name] for column in key))
        async with self.engine.begin() as connection:
            result = await connection.execute(delete(table).where(same))
            return int(result.rowcount)

    async def look_for_stuck(self) -> list[dict[str, Any]]:
        """Report what is stuck or silent, raise alerts for it, and end the alerts of what has passed."""
        found: list[dict[str, Any]] = []

        async def look(connection: AsyncConnection) -> int:
            found.extend(await stuck_rows(connection, self.rules))
            found.extend(await silent_stages(connection, self.rules))
            found.extend(await barren_stages(connection, self.rules))
            await _raise_alerts(connection, found)
            return len(found)

        await self.ticks.run("look_for_stuck_rows", self.rules.stuck_check, look)
        jobs = [one for one in found if one["table"] == "jobs"]
        if jobs:
            line = {"event": "stuck_jobs", "level": "error", "count": len(jobs)}
            self.report([{**line, "jobs": [one["id"] for one in jobs[:50]]}])
        others = [one for one in found if one["table"] != "jobs"]
        self.report([{"event": "stuck", "level": "error", **one} for one in others])
        return found


def _older(moment: Any, keep: timedelta | None) -> Any:
    return literal(False) if keep is None else moment < func.now() - keep


async def _nothing(connection: AsyncConnection) -> int:
    return 0


async def queue_forgotten(connection: AsyncConnection) -> int:
    columns = table_of(Sitemap).c
    # What once came to an end and has no status was discarded by a person.
    forgotten = and_(columns.sitemap_import_status.is_(None), columns.sitemap_import_finished_at.is_(None))
    statement = update(Sitemap).where(forgotten)
    result = await connection.execute(statement.values(sitemap_import_status="Queued"))
    return int(result.rowcount)


async def stuck_rows(connection: AsyncConnection, rules: Rules) -> list[dict[str, Any]]:
    """Jobs that wait or run too long (R024, R025), and rows of every queue in work too long (R159)."""
    jobs = table_of(Job).c
    waiting = and_(jobs.status == "pending", jobs.created_at < func.now() - rules.pending)
    waiting = and_(waiting, jobs.next_retry_at < func.now() - rules.pending)
    running = and_(jobs.status == "running", jobs.updated_at < func.now() - rules.running)
    query = select(jobs.id, jobs.job_type, jobs.created_at, jobs.status).where(or_(waiting, running))
    found = [
        {
            "table": "jobs",
            "stage": row.job_type,
            "id": str(row.id),
            "since": row.created_at,
            "status": row.status,
        }
        for row in await connection.execute(query.order_by(jobs.created_at).limit(1_000))
    ]
    parts = [_processing_too_long(work, rules) for work in WORKS if work.table != "jobs"]
    for row in await connection.execute(union_all(*parts).limit(1_000)):
        found.append(
            {
                "table": row.table_name,
                "stage": row.stage,
                "id": row.id,
                "since": row.since,
                "status": row.status,
            }
        )
    return found


def _processing_too_long(work: Work, rules: Rules) -> Any:
    table = _table(work)
    columns = table.c
    lease = columns[work.column("lease_until")]
    return select(
        literal(work.table).label("table_name"),
        literal(work.name).label("stage"),
        cast(columns.id, Text).label("id"),
        columns.updated_at.label("since"),
        columns[work.status].label("status"),
    ).where(lease.is_not(None), columns.updated_at < func.now() - rules.processing)


async def silent_stages(connection: AsyncConnection, rules: Rules) -> list[dict[str, Any]]:
    """Stages with work that is due and nothing finished for a long time: the silent stall (I20)."""
    found = []
    for work in WORKS:
        columns = _table(work).c
        due = columns[work.column("due_at")]
        long_due = and_(text(work.claimable()), due < func.now() - rules.stall)
        oldest = await connection.scalar(select(func.min(due)).where(long_due))
        if oldest is None:
            continue
        did = select(func.coalesce(func.sum(StageStat.done + StageStat.failed), 0)).where(
            StageStat.stage == work.name, StageStat.minute > func.now() - rules.stall
        )
        if not await connection.scalar(did):
            line = {"table": work.table, "stage": work.name, "id": "", "since": oldest}
            found.append({**line, "status": "has due work and finishes nothing"})
    return found


async def barren_stages(connection: AsyncConnection, rules: Rules) -> list[dict[str, Any]]:
    """Stages that call row after row done and write nothing: the stall that looks like work (A30)."""
    done, out = func.sum(StageStat.done), func.sum(StageStat.rows_out)
    query = (
        select(StageStat.stage, done.label("done"), func.min(StageStat.minute).label("since"))
        .where(StageStat.minute > func.now() - rules.stall, StageStat.stage.in_(FRUITFUL))
        .group_by(StageStat.stage)
        .having(and_(done >= rules.barren, out == 0))
    )
    tables = {work.name: work.table for work in WORKS}
    return [
        {"table": tables[row.stage], "stage": row.stage, "id": "", "since": row.since,
         "status": f"called {row.done} rows done and wrote nothing"}
        for row in await connection.execute(query)
    ]  # fmt: skip


async def raise_alert(engine: AsyncEngine, kind: str, subject: str, message: str) -> None:
    """Open an alert, or count one that is open already."""
    async with engine.begin() as connection:
        await _raise(connection, kind, subject, message)


async def _raise(connection: AsyncConnection, kind: str, subject: str, message: str) -> None:
    values = {"kind": kind, "subject": subject[:300], "message": message[:4_000], "severity": "error"}
    statement = insert(Alert).values(values)
    again = {"times": Alert.times + 1, "last_raised_at": func.now(), "message": statement.excluded.message}
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["kind", "subject"], index_where=text("over_at IS NULL"), set_=again
        )
    )


async def _raise_alerts(connection: AsyncConnection, found: list[dict[str, Any]]) -> None:
    """One open alert per stage; what is no longer so is over."""
    stages = {one["stage"]: one for one in found}
    ended = update(Alert).where(Alert.kind == "stuck", Alert.over_at.is_(None))
    await connection.execute(ended.where(Alert.subject.not_in(list(stages))).values(over_at=func.now()))
    for stage, one in stages.items():
        number = sum(other["stage"] == stage for other in found)
        await _raise(connection, "stuck", stage, f"{stage}: {number} stuck, {one['status']}")


def _table(work: Work) -> Table:
    return Row.metadata.tables[work.table]
