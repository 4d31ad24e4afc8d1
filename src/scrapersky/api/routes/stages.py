"""Stages: what waits, runs and failed in each, how fast it is, and pause, resume and run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from scrapersky.actions import pause_stage, resume_stage, run_stage
from scrapersky.api.caller import Caller, Context, Operator, Viewer
from scrapersky.api.installation import InstallationAdmin, OwnerEngine
from scrapersky.api.models import Body, WholeList
from scrapersky.declarations import DECLARATIONS, StageDeclaration
from scrapersky.queries import StageQuery, StatisticsQuery
from scrapersky.queries.read_model import get_declaration
from scrapersky.queries.stages import StageStatus
from scrapersky.queries.statistics import quantile
from scrapersky.settings import Settings

router = APIRouter(prefix="/stages", tags=["stages"])

SETTINGS = (
    "mode", "interval_minutes", "batch_size", "max_instances", "concurrency", "timeout_seconds",
    "misfire_grace_seconds",
)  # fmt: skip


class StageSummary(BaseModel):
    """Rows are those of one's own tenant; the figures of the last hour are those of the whole fleet."""

    stage: str
    title: str
    table: str
    job_id: str
    paused: bool
    pause_reason: str | None
    workers: int
    waiting: int
    running: int
    failed: int
    oldest_waiting_at: datetime | None
    done_last_hour: int
    failed_last_hour: int
    repaired_last_hour: int
    p50_ms: float | None
    p95_ms: float | None
    errors_last_hour: dict[str, int]


class StageList(WholeList[StageSummary]):
    """All stages, on one page."""


class StageMinute(BaseModel):
    minute: datetime
    done: int
    failed: int


class StageDetail(StageSummary):
    """`settings` are the values that this installation runs the stage with."""

    runs_last_hour: int
    run_ms_last: float
    run_ms_mean: float
    run_ms_max: float
    throughput: list[StageMinute]
    settings: dict[str, Any]


class PauseRequest(Body):
    reason: Annotated[str, Field(max_length=1_024)] = ""


class RunStarted(BaseModel):
    """`queued_count` rows were due later and are due now."""

    stage: str
    queued_count: int


@router.get("")
async def list_stages(caller: Viewer) -> StageList:
    """All stages in the order of the pipeline."""
    durations = await StatisticsQuery(caller.engine).durations()
    lines = zip(DECLARATIONS, await StageQuery(caller.engine).statuses(), strict=True)
    return StageList.of(
        [StageSummary(**_summary(stage, line, durations.get(stage.name, []))) for stage, line in lines]
    )


@router.get("/{name}")
async def get_stage(name: str, caller: Viewer, context: Context) -> StageDetail:
    """One stage, with what it did in each minute of the last hour and the settings it runs with."""
    return await _detail(get_declaration(name), caller, context.settings)


@router.post("/{name}/pause", name="pause_stage")
async def pause(
    name: str,
    caller: InstallationAdmin,
    engine: OwnerEngine,
    context: Context,
    body: PauseRequest | None = None,
) -> StageDetail:
    """Claim no more rows, on every machine, until the stage is resumed."""
    await pause_stage(engine, caller.actor, name, body.reason if body else "")
    return await _detail(get_declaration(name), caller, context.settings)


@router.post("/{name}/resume", name="resume_stage")
async def resume(name: str, caller: InstallationAdmin, engine: OwnerEngine, context: Context) -> StageDetail:
    """Let a paused stage claim rows again."""
    await resume_stage(engine, caller.actor, name)
    return await _detail(get_declaration(name), caller, context.settings)


@router.post("/{name}/run", status_code=202, name="run_stage")
async def run(name: str, caller: Operator) -> RunStarted:
    """Process the waiting rows of the stage now, also those that wait for a retry or a pause of ours."""
    return RunStarted(stage=name, queued_count=await run_stage(caller.engine, caller.actor, name))


async def _detail(stage: StageDeclaration, caller: Caller, settings: Settings) -> StageDetail:
    statistics = StatisticsQuery(caller.engine)
    lines = {line.stage: line for line in await StageQuery(caller.engine).statuses()}
    line, buckets = lines[stage.name], (await statistics.durations()).get(stage.name, [])
    return StageDetail(
        **_summary(stage, line, buckets),
        runs_last_hour=line.runs,
        run_ms_last=line.run_ms_last,
        run_ms_mean=line.run_ms_mean,
        run_ms_max=line.run_ms_max,
        throughput=[StageMinute(**minute) for minute in await statistics.minutes(stage.name)],
        settings={name: getattr(settings, f"{stage.compat.settings_prefix}_{name}") for name in SETTINGS},
    )


def _summary(stage: StageDeclaration, line: StageStatus, buckets: list[int]) -> dict[str, Any]:
    return {
        "stage": stage.name,
        "title": stage.title,
        "table": stage.table,
        "job_id": line.job_id,
        "paused": line.paused,
        "pause_reason": line.pause_reason,
        "workers": line.workers,
        "waiting": line.waiting,
        "running": line.running,
        "failed": line.failed,
        "oldest_waiting_at": line.oldest,
        "done_last_hour": line.done_hour,
        "failed_last_hour": line.failed_hour,
        "repaired_last_hour": line.repaired,
        "p50_ms": quantile(buckets, 0.5),
        "p95_ms": quantile(buckets, 0.95),
        "errors_last_hour": line.errors,
    }
