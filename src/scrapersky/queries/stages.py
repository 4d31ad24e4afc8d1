"""The stages: what waits, what runs, what was done, and who works on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.dialects.postgresql import aggregate_order_by

from scrapersky.engine.work import Work
from scrapersky.pipeline import STAGES
from scrapersky.queries.reading import Reader, failed, running, table_of_work, waiting
from scrapersky.tables import StageControl, StageStat, WorkerProcess

ALIVE = timedelta(seconds=60)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class StageLine:
    """One line of the status."""

    stage: str
    job_id: str
    waiting: int
    running: int
    failed: int
    done_hour: int
    failed_hour: int
    mean_ms: float
    runs: int
    run_ms_last: float
    run_ms_mean: float
    run_ms_max: float
    oldest: datetime | None
    workers: int
    paused: bool

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Stages(Reader):
    async def lines(self) -> list[StageLine]:
        controls = {
            row.stage: row.paused for row in await self.rows(select(StageControl.stage, StageControl.paused))
        }
        workers = await self._workers()
        hours = {row.stage: row for row in await self.rows(_last_hour())}
        lines = []
        for line in STAGES:
            work = line.stage.work
            now = await self.one(_now(work))
            hour = hours.get(work.name)
            lines.append(
                _line(line.stage.job_id, work, now, hour, workers.get(work.name, 0), controls.get(work.name))
            )
        return lines

    async def _workers(self) -> dict[str, int]:
        alive = WorkerProcess.heartbeat_at > func.now() - ALIVE
        stage = func.unnest(WorkerProcess.stages).label("stage")
        each = select(stage).where(alive).subquery()
        query = select(each.c.stage, func.count().label("number")).group_by(each.c.stage)
        return {row.stage: row.number for row in await self.rows(query)}


def _now(work: Work) -> Any:
    due = table_of_work(work).c[work.column("due_at")]
    oldest = select(func.min(due)).where(text(work.claimable())).scalar_subquery()
    return select(
        waiting(work).label("waiting"),
        running(work).label("running"),
        failed(work).label("failed"),
        oldest.label("oldest"),
    )


def _last_hour() -> Any:
    done = func.sum(StageStat.done)
    runs = func.sum(StageStat.runs)
    return (
        select(
            StageStat.stage,
            done.label("done"),
            func.sum(StageStat.failed).label("failed"),
            (func.sum(StageStat.ms_sum) / func.nullif(done, 0)).label("mean_ms"),
            runs.label("runs"),
            (func.sum(StageStat.run_ms_sum) / func.nullif(runs, 0)).label("run_ms_mean"),
            func.max(StageStat.run_ms_max).label("run_ms_max"),
            (func.array_agg(_newest_first())[1]).label("run_ms_last"),
        )
        .where(StageStat.minute > func.now() - HOUR)
        .group_by(StageStat.stage)
    )


def _newest_first() -> Any:
    return aggregate_order_by(StageStat.run_ms_last, StageStat.minute.desc())


def _line(job_id: str, work: Work, now: Any, hour: Any, workers: int, paused: bool | None) -> StageLine:
    return StageLine(
        stage=work.name,
        job_id=job_id,
        waiting=now.waiting,
        running=now.running,
        failed=now.failed,
        done_hour=int(hour.done) if hour else 0,
        failed_hour=int(hour.failed) if hour else 0,
        mean_ms=round(float(hour.mean_ms or 0), 2) if hour else 0.0,
        runs=int(hour.runs) if hour else 0,
        run_ms_last=round(float(hour.run_ms_last or 0), 1) if hour else 0.0,
        run_ms_mean=round(float(hour.run_ms_mean or 0), 1) if hour else 0.0,
        run_ms_max=round(float(hour.run_ms_max or 0), 1) if hour else 0.0,
        oldest=now.oldest,
        workers=workers,
        paused=bool(paused),
    )
