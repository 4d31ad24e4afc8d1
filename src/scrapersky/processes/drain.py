"""One stage, here and now: its queue, or named rows alone, until nothing more can be claimed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Any

from scrapersky.database import open_database
from scrapersky.declarations import Queue
from scrapersky.engine.runner import StageRunner
from scrapersky.engine.worker import Worker
from scrapersky.processes.shutdown import first_of
from scrapersky.processes.worker import check_stage_names
from scrapersky.queries import Remaining, StageQuery
from scrapersky.queries.installation.setting_overrides import SettingQuery
from scrapersky.settings import Settings
from scrapersky.wiring import build_context, build_log, build_worker

# A host that may be called again within this time is waited for; a retry after minutes is not.
MAX_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Drained:
    """What one run of a stage did, and what it left."""

    totals: dict[str, int]
    remaining: Remaining
    limited: bool


async def drain_stage(
    settings: Settings, name: str, *, limit: int | None = None, ids: Sequence[Any] | None = None
) -> Drained:
    """Run one stage on its queue, or on the named rows alone, until nothing can be claimed.

    Short delays, such as the pause between two requests to a host, are waited for.
    """
    check_stage_names((name,))
    log = build_log(settings.model_copy(update={"log_level": "WARNING"}))
    only = None if ids is None else tuple(ids)
    async with open_database(settings) as engine:
        settings = await SettingQuery(engine, settings).current()
        async with build_context(settings, engine) as context:
            worker = build_worker(settings, engine, context, log, only=(name,))
            worker.stages = [
                (stage, replace(tuning, limit=limit, ids=only, continuous=True))
                for stage, tuning in worker.stages
            ]
            return await _drain(worker, worker.stages[0][0].queue, StageQuery(engine), limit, only)


async def _drain(
    worker: Worker, queue: Queue, stages: StageQuery, limit: int | None, ids: Sequence[Any] | None
) -> Drained:
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        await first_of(task, worker.ready)
        limited = worker.ready.is_set() and await _until_drained(
            worker.runners[queue.name], stages, limit, ids
        )
    finally:
        stop.set()
        await task
    totals = worker.runners[queue.name].stats.totals
    return Drained(
        {kind: totals[kind] for kind in ("done", "failed", "retried", "snoozed")},
        await stages.remaining(queue, ids),
        limited,
    )


async def _until_drained(
    runner: StageRunner, stages: StageQuery, limit: int | None, ids: Sequence[Any] | None
) -> bool:
    """Wait until nothing can be claimed before long; gives whether the limit ended it."""
    finished, progressed_at = -1, monotonic()
    while True:
        await runner.tick()
        if not runner.is_idle:
            await asyncio.sleep(0.02)
            continue
        total = sum(runner.stats.totals.values())
        if total != finished:
            finished, progressed_at = total, monotonic()
        if limit is not None and runner.left == 0:
            return True
        remaining = await stages.remaining(runner.stage.queue, ids)
        # A named row may be in progress at another worker; its result is what was asked for.
        elsewhere = ids is not None and remaining.running > 0
        wait = min(remaining.wait_seconds, 1.0 if elsewhere else inf)
        stalled = monotonic() - progressed_at > MAX_WAIT_SECONDS + wait
        if runner.congested or stalled or wait > MAX_WAIT_SECONDS:
            return False
        await asyncio.sleep(min(max(wait, 0.05), 1.0))
