"""The pipeline in this process for the time of a block: for `find`, the demo and the web server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.database import Database
from scrapersky.engine.worker import Worker
from scrapersky.log import Log
from scrapersky.processes.live_settings import LiveSettings
from scrapersky.processes.shutdown import first_of, sleep_unless
from scrapersky.processes.worker import run_with_schedule
from scrapersky.queries.progress import StageProgress, is_finished
from scrapersky.settings import Settings
from scrapersky.sources import Source
from scrapersky.wiring import build_context, build_worker

Counts = dict[str, StageProgress]
POLL_SECONDS = 0.5
# Counting a million rows takes a while, and the work needs the database more than the display does.
POLL_SHARE = 0.05
# A person waits for these runs: all retries happen within them, and the shutdown is quick.
RETRY_BASE_SECONDS, SHUTDOWN_GRACE_SECONDS = 3, 3


def interactive_settings(settings: Settings) -> Settings:
    """The settings of a run that a person waits for."""
    return settings.model_copy(
        update={
            "retry_base_seconds": min(settings.retry_base_seconds, RETRY_BASE_SECONDS),
            "shutdown_grace_seconds": min(settings.shutdown_grace_seconds, SHUTDOWN_GRACE_SECONDS),
            "log_level": "ERROR",
        }
    )


@dataclass(frozen=True, slots=True)
class RunningPipeline:
    engine: AsyncEngine
    worker: Worker
    task: asyncio.Task[None]
    scheduled: asyncio.Event

    async def until_scheduled(self) -> None:
        """Wait until every job is on the schedule, or the pipeline has ended before."""
        await first_of(self.task, self.scheduled)


@asynccontextmanager
async def running_pipeline(
    settings: Settings,
    engine: AsyncEngine,
    log: Log,
    *,
    force: asyncio.Event | None = None,
    sources: Mapping[str, Source] | None = None,
    **policy: Any,
) -> AsyncIterator[RunningPipeline]:
    """Run all stages and their schedule; at the end of the block they shut down gracefully, or by force."""
    stop, scheduled = asyncio.Event(), asyncio.Event()
    live = LiveSettings(settings, engine, log.report)
    async with build_context(settings, engine, sources=sources, live=live, **policy) as context:
        worker = build_worker(settings, engine, context, log, live=live)
        run = run_with_schedule(
            settings, engine, worker, log, stop, force or asyncio.Event(), scheduled=scheduled, live=live
        )
        task = asyncio.create_task(run)
        try:
            yield RunningPipeline(engine, worker, task, scheduled)
        finally:
            # Also after an error: the worker needs its context until it has released everything.
            stop.set()
            await task


@dataclass(slots=True)
class RunProgress:
    """How far a run is; an `interrupted` or `timed_out` one is resumed by running it again."""

    seconds: float = 0.0
    counts: Counts = field(default_factory=dict)
    interrupted: bool = False
    timed_out: bool = False

    @property
    def later(self) -> int:
        """Rows that are due after the run."""
        return sum(stage.later for stage in self.counts.values())

    def done(self, stage: str) -> int:
        return self.counts.get(stage, StageProgress()).done


async def follow(
    pipeline: RunningPipeline,
    count: Callable[[], Awaitable[Counts]],
    stop: asyncio.Event,
    *,
    timeout_seconds: float,
) -> AsyncIterator[RunProgress]:
    """Count until nothing is open, the time is up or the shutdown begins; the last counts are final."""
    began, progress = monotonic(), RunProgress()
    # A database that restarts is waited for, unless the shutdown begins.
    database = Database(pipeline.engine)
    database.shutting_down = stop
    while not pipeline.task.done():
        polled = monotonic()
        progress.counts = await database.with_retry(count)
        progress.seconds, took = monotonic() - began, monotonic() - polled
        progress.interrupted, progress.timed_out = stop.is_set(), progress.seconds > timeout_seconds
        yield progress
        if is_finished(progress.counts) or progress.interrupted or progress.timed_out:
            return
        left = max(0.0, timeout_seconds - progress.seconds) + 0.05
        await sleep_unless(stop, min(max(POLL_SECONDS, took / POLL_SHARE), left))
