"""A worker process: waits for its database, runs the stages and their schedule, shuts down gracefully."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.database import DatabaseUnavailable, database_address, open_database
from scrapersky.engine.worker import Worker
from scrapersky.errors import DiskFull, NotFound
from scrapersky.log import Log
from scrapersky.maintenance import watch_disk
from scrapersky.pipeline import STAGES
from scrapersky.processes.live_settings import LiveSettings
from scrapersky.processes.shutdown import first_of, sleep_unless
from scrapersky.processes.supervisor import Supervisor, beat
from scrapersky.settings import Settings
from scrapersky.stage_context.context import StageContext
from scrapersky.wiring import (
    apply_suppression_log,
    build_context,
    build_log,
    build_maintenance,
    build_schedule,
    build_worker,
    disk_minimum,
)

RECONNECT_SECONDS = 1.0
ONE_WORKER = ("worker", "--processes", "1")


def check_stage_names(names: Sequence[str]) -> None:
    known = [stage.name for stage in STAGES]
    for name in names:
        if name not in known:
            raise NotFound(f"Invalid stage {name!r}; expected one of {', '.join(known)}")


async def work(
    settings: Settings,
    stop: asyncio.Event,
    force: asyncio.Event,
    *,
    only: tuple[str, ...] = (),
    heartbeat_fd: int | None = None,
) -> None:
    """Run one worker in this process; `heartbeat_fd` is the pipe to its supervisor."""
    log = build_log(settings)
    # The event loop holds only a weak reference to the task; this name keeps it alive.
    heartbeat = asyncio.create_task(beat(heartbeat_fd)) if heartbeat_fd is not None else None
    async with wait_for_database(settings, stop, log) as engine:
        if engine is None:
            return
        live = LiveSettings(settings, engine, log.report)
        async with build_context(settings, engine, live=live) as context:
            await run_worker(settings, engine, context, log, stop, force, only=only, live=live)
    if heartbeat:
        heartbeat.cancel()


async def supervise_workers(
    settings: Settings, number: int, stop: asyncio.Event, force: asyncio.Event, *, only: tuple[str, ...] = ()
) -> None:
    """Run worker processes and restart those that die or hang."""
    arguments = [*ONE_WORKER, *(part for name in only for part in ("--stage", name))]
    # Held here, the private database outlives every single worker.
    async with database_address(settings):
        await build_supervisor(settings, arguments, number).run(stop, force)


def build_supervisor(settings: Settings, arguments: Sequence[str], number: int) -> Supervisor:
    timeout = settings.worker_heartbeat_timeout_seconds
    return Supervisor([*arguments], number, build_log(settings), timeout=timeout)


@asynccontextmanager
async def wait_for_database(
    settings: Settings, stop: asyncio.Event, log: Log
) -> AsyncIterator[AsyncEngine | None]:
    """Like `open_database`, but waits while it is unavailable; gives None when the shutdown comes first."""
    async with AsyncExitStack() as stack:
        while not stop.is_set():
            try:
                engine = await stack.enter_async_context(open_database(settings))
                await apply_suppression_log(settings, engine)
            except (DatabaseUnavailable, DiskFull) as error:
                log.event("database_unavailable", level="warning", error=str(error))
                await sleep_unless(stop, RECONNECT_SECONDS)
            else:
                yield engine
                return
        yield None


async def run_worker(
    settings: Settings,
    engine: AsyncEngine,
    context: StageContext,
    log: Log,
    stop: asyncio.Event,
    force: asyncio.Event,
    *,
    only: tuple[str, ...] = (),
    live: LiveSettings | None = None,
) -> None:
    """Run a worker and its schedule until the shutdown."""
    worker = build_worker(settings, engine, context, log, only=only, live=live)
    await run_with_schedule(settings, engine, worker, log, stop, force, scheduled=asyncio.Event(), live=live)


async def run_with_schedule(
    settings: Settings,
    engine: AsyncEngine,
    worker: Worker,
    log: Log,
    stop: asyncio.Event,
    force: asyncio.Event,
    *,
    scheduled: asyncio.Event,
    live: LiveSettings | None = None,
) -> None:
    """Run a worker and its schedule until the shutdown; `scheduled` is set when all jobs are registered."""
    minimum = disk_minimum(settings)
    # Before the worker, so that a full disk is known before the first claim.
    disk = asyncio.create_task(watch_disk(minimum, worker.hold, engine, log)) if minimum else None
    running = asyncio.create_task(worker.run(stop, force))
    await first_of(running, worker.ready)
    schedule = None
    if worker.ready.is_set():
        maintenance = build_maintenance(live.current if live else settings, engine, log)
        schedule = build_schedule(worker, maintenance, log, live)
        worker.scheduled_jobs = schedule.running_jobs
        # At once, so that /health need not wait for the next heartbeat.
        heartbeat = asyncio.create_task(worker.database.with_retry(worker.heartbeat))
        await asyncio.wait({heartbeat, running}, return_when=asyncio.FIRST_COMPLETED)
        log.event("worker_started", worker=worker.id, stages=[stage.name for stage, _ in worker.stages])
        scheduled.set()
    try:
        await running
    finally:
        if disk:
            disk.cancel()
        if schedule:
            schedule.shutdown()
    log.event("worker_stopped", worker=worker.id)
