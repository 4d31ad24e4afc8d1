"""The stages: what waits, what runs, what was done, and who works on it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, cast, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by

from scrapersky.queries.reading import Reader
from scrapersky.tables import StageControl, StageStat, WorkerProcess
from scrapersky.tables.counts import oldest_due, stage_counts
from scrapersky.tables.works import JOB_IDS

ALIVE = timedelta(seconds=60)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Turning:
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
class StageLine(Turning):
    """One line of the status: how the stage's runs go, and its rows counted."""

    waiting: int
    running: int
    failed: int
    oldest: datetime | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Stages(Reader):
    async def lines(self) -> list[StageLine]:
        """All stages in the order of the pipeline, their rows counted."""
        works = {work.name: work for work in JOB_IDS}
        counts = await self.counts()
        found = []
        for turning in await self.turning():
            mine = counts[turning.stage]
            first = await self.one(oldest_due(works[turning.stage])) if mine["waiting"] else None
            oldest = first[0] if first else None
            found.append(StageLine(**{**asdict(turning), **mine, "oldest": oldest}))
        return found

    async def counts(self) -> dict[str, dict[str, int]]:
        """What waits, runs and failed, by stage; exact, and as quick with a million rows as with none."""
        names = {
            (work.name, word): name
            for work in JOB_IDS
            for name, word in (
                ("waiting", work.words.queued),
                ("running", work.words.processing),
                ("failed", work.words.failed),
            )
        }
        found = {work.name: {"waiting": 0, "running": 0, "failed": 0} for work in JOB_IDS}
        for row in await self.rows(stage_counts(tuple(JOB_IDS))):
            name = names.get((row.stage, row.word))
            if name and not (name == "waiting" and row.is_barred):
                found[row.stage][name] += row.number
        return found

    async def turning(self) -> list[Turning]:
        """All stages in the order of the pipeline, without a look at their rows."""
        controls = {
            row.stage: row.paused for row in await self.rows(select(StageControl.stage, StageControl.paused))
        }
        workers = await self._workers()
        hours = {row.stage: row for row in await self.rows(_last_hour())}
        errors: dict[str, dict[str, int]] = defaultdict(dict)
        for row in await self.rows(errors_since(HOUR)):
            errors[row.stage][row.error_class] = int(row.number)
        repaired = {row.stage: int(row.number) for row in await self.rows(_repaired())}
        return [
            _turning(
                work.name, job_id, hours.get(work.name), workers.get(work.name, 0), controls,
                errors[work.name], repaired.get(work.name, 0),
            )
            for work, job_id in JOB_IDS.items()
        ]  # fmt: skip

    async def _workers(self) -> dict[str, int]:
        alive = WorkerProcess.heartbeat_at > func.now() - ALIVE
        stage = func.unnest(WorkerProcess.stages).label("stage")
        each = select(stage).where(alive).subquery()
        query = select(each.c.stage, func.count().label("number")).group_by(each.c.stage)
        return {row.stage: row.number for row in await self.rows(query)}


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
        .where(StageStat.minute > func.now() - HOUR, StageStat.waiting.is_(None))
        .group_by(StageStat.stage)
    )


def errors_since(span: timedelta) -> Any:
    """How often each class of error happened, by stage, the most frequent first."""
    each = func.jsonb_each_text(StageStat.errors).table_valued("key", "value", name="each").render_derived()
    number = func.sum(cast(each.c.value, BigInteger))
    return (
        select(StageStat.stage, each.c.key.label("error_class"), number.label("number"))
        .select_from(StageStat)
        .join(each, true())
        .where(StageStat.minute > func.now() - span)
        .group_by(StageStat.stage, each.c.key)
        .order_by(StageStat.stage, number.desc())
    )


def _repaired() -> Any:
    """How many rows the safety net queued in the last hour, by stage."""
    query = select(StageStat.stage, func.sum(StageStat.repaired).label("number"))
    return query.where(StageStat.minute > func.now() - HOUR, StageStat.repaired > 0).group_by(StageStat.stage)


def _newest_first() -> Any:
    return aggregate_order_by(StageStat.run_ms_last, StageStat.minute.desc())


def _turning(
    stage: str,
    job_id: str,
    hour: Any,
    workers: int,
    controls: dict[str, bool],
    errors: dict[str, int],
    repaired: int,
) -> Turning:
    def figure(name: str, digits: int) -> float:
        return round(float(getattr(hour, name) or 0), digits) if hour else 0.0

    return Turning(
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
