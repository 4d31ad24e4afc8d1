"""The long-running programs: work, serve, watch over workers, or all of it at once."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Any

import uvicorn
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.database import Unreachable, database_address, open_database
from scrapersky.declarations import Queue
from scrapersky.engine.runner import StageRunner
from scrapersky.engine.worker import Worker
from scrapersky.errors import DiskFull, NotFound, StartupError
from scrapersky.log import Log
from scrapersky.maintenance import watch_disk
from scrapersky.pipeline import STAGES
from scrapersky.processes.supervisor import Supervisor, beat
from scrapersky.queries import HealthQuery, Remaining, StageQuery
from scrapersky.settings import Settings
from scrapersky.stage_context.context import StageContext
from scrapersky.web import make_web
from scrapersky.wiring import (
    build_context,
    build_log,
    build_maintenance,
    build_schedule,
    build_worker,
    disk_minimum,
    service_checks,
)

# A host that may be called again within this time is waited for; a retry after minutes is not.
WORTH_WAITING_SECONDS = 30.0
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def check_stages(names: tuple[str, ...]) -> None:
    known = [stage.name for stage in STAGES]
    for name in names:
        if name not in known:
            raise NotFound(f"There is no stage {name!r}; the stages are {', '.join(known)}")


@asynccontextmanager
async def opened_patiently(
    settings: Settings, stop: asyncio.Event, log: Log, *, migrated: bool = False
) -> AsyncIterator[AsyncEngine | None]:
    """Like `opened`, but a database that is away is waited for; None when told to stop before it came."""
    while not stop.is_set():
        try:
            context = open_database(settings, migrated=migrated)
            engine = await context.__aenter__()
        except (Unreachable, DiskFull) as error:
            log.say("database_unavailable", level="warning", error=str(error))
            await _pause(stop, 1.0)
            continue
        try:
            yield engine
        finally:
            await context.__aexit__(None, None, None)
        return
    yield None


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def worker_process(
    settings: Settings,
    stop: asyncio.Event,
    force: asyncio.Event,
    *,
    only: tuple[str, ...] = (),
    heartbeat: int | None = None,
) -> None:
    """One worker process with its schedule, until told to stop; `heartbeat` is the supervisor's pipe."""
    log = build_log(settings)
    # Held by this name, because the loop itself keeps no task alive.
    beating = asyncio.create_task(beat(heartbeat)) if heartbeat is not None else None
    async with opened_patiently(settings, stop, log) as engine:
        if engine is None:
            return
        await _work_on(settings, engine, log, stop, force, only)
    if beating:
        beating.cancel()


async def _work_on(
    settings: Settings,
    engine: AsyncEngine,
    log: Log,
    stop: asyncio.Event,
    force: asyncio.Event,
    only: tuple[str, ...],
    scheduled: asyncio.Event | None = None,
) -> None:
    async with build_context(settings, engine) as tools:
        await run_worker(settings, engine, tools, log, stop, force, only, scheduled)


async def run_worker(
    settings: Settings,
    engine: AsyncEngine,
    tools: StageContext,
    log: Log,
    stop: asyncio.Event,
    force: asyncio.Event,
    only: tuple[str, ...] = (),
    scheduled: asyncio.Event | None = None,
    started: Callable[[Worker], None] = lambda worker: None,
) -> None:
    """A worker and its schedule with the given tools, until told to stop; says when all is scheduled."""
    worker = build_worker(settings, engine, tools, log, only=only)
    started(worker)
    minimum = disk_minimum(settings)
    # Before the worker, so that a full disk is known before the first claim.
    watch = asyncio.create_task(watch_disk(minimum, worker.hold, engine, log)) if minimum else None
    running = asyncio.create_task(worker.run(stop, force))
    ready = asyncio.create_task(worker.ready.wait())
    await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
    schedule = None
    if worker.ready.is_set():
        schedule = build_schedule(worker, build_maintenance(settings, engine, log), log)
        log.say("worker_started", worker=worker.me, stages=[stage.name for stage, _ in worker.stages])
        if scheduled:
            scheduled.set()
    ready.cancel()
    try:
        await running
    finally:
        if watch:
            watch.cancel()
        if schedule:
            schedule.shutdown()
    log.say("worker_stopped", worker=worker.me)


async def supervise_workers(
    settings: Settings, number: int, stop: asyncio.Event, force: asyncio.Event, *, only: tuple[str, ...] = ()
) -> None:
    arguments = ["worker", "--processes", "1", *(part for name in only for part in ("--stage", name))]
    # Held here, the private database outlives every single worker.
    async with database_address(settings):
        await _supervisor(settings, arguments, number).run(stop, force)


def _supervisor(settings: Settings, arguments: list[str], number: int) -> Supervisor:
    limit = settings.worker_heartbeat_timeout_seconds
    return Supervisor(arguments, number, build_log(settings), timeout=limit)


async def serve_web(settings: Settings, stop: asyncio.Event, force: asyncio.Event) -> None:
    log = build_log(settings)
    with listen(settings.host, settings.port) as listening:
        async with opened_patiently(settings, stop, log) as engine:
            if engine is None:
                return
            hosted = _hosting_worker(settings, engine, log) if settings.scheduler_in_web else None
            await _serve(settings, engine, listening, log, stop, hosted)


def listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else, so that a port in use costs nothing but one clear line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise StartupError(
            f"Cannot listen on {host}:{port}: {error.strerror}; set another PORT, or stop what uses it"
        ) from None
    return listening


@asynccontextmanager
async def _hosting_worker_for(settings: Settings, engine: AsyncEngine, log: Log) -> AsyncIterator[None]:
    stop, force, scheduled = asyncio.Event(), asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(_work_on(settings, engine, log, stop, force, (), scheduled))
    # Everything is on the schedule before the first request is served (R097).
    ready = asyncio.create_task(scheduled.wait())
    await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    try:
        yield
    finally:
        stop.set()
        await task


def _hosting_worker(settings: Settings, engine: AsyncEngine, log: Log) -> Any:
    """The web process' lifespan as the host of the schedule (R096)."""

    def lifespan(_: FastAPI) -> Any:
        return _hosting_worker_for(settings, engine, log)

    return lifespan


async def _serve(
    settings: Settings,
    engine: AsyncEngine,
    listening: socket.socket,
    log: Log,
    stop: asyncio.Event,
    lifespan: Any = None,
    started: Callable[[], None] | None = None,
) -> None:
    health = HealthQuery(engine, service_checks(settings))
    web = make_web(
        health,
        StageQuery(engine),
        lifespan=lifespan,
        for_people=settings.host in LOOPBACK,
        allowed_hosts=[settings.host, *settings.allowed_hosts.split(",")],
    )
    config = uvicorn.Config(
        web, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn offers no event for it.
        await asyncio.sleep(0.01)
    log.say("server_started", address=f"http://{settings.host}:{settings.port}")
    if started:
        started()
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    server.should_exit = True
    await task


class _Server(uvicorn.Server):
    """Leaves the signals to us: the order of an end is web, workers, database."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def run_everything(
    settings: Settings, stop: asyncio.Event, force: asyncio.Event, say: Callable[[str], None]
) -> None:
    """The private database, migrated; the web application; the workers. All end together, in order."""
    log = build_log(settings)
    with listen(settings.host, settings.port) as listening:
        async with open_database(settings, migrated=True) as engine:
            supervisor = _supervisor(settings, ["worker", "--processes", "1"], settings.worker_processes)
            workers = asyncio.create_task(supervisor.run(stop, force))
            address = f"http://{settings.host}:{settings.port}/"
            await _serve(settings, engine, listening, log, stop, started=lambda: say(address))
            stop.set()
            await workers


@dataclass(frozen=True, slots=True)
class Drained:
    """What one run of a stage did, and what it left."""

    totals: dict[str, int]
    remaining: Remaining
    limited: bool


async def run_stage_once(
    settings: Settings, name: str, *, limit: int | None = None, ids: Sequence[Any] | None = None
) -> Drained:
    """Work on one stage here and now, on its queue or on the named rows alone, until nothing can be claimed.

    A short wait, such as the pause between two calls of a host, is waited for.
    """
    check_stages((name,))
    log = build_log(settings.model_copy(update={"log_level": "WARNING"}))
    only = None if ids is None else tuple(ids)
    async with open_database(settings) as engine, build_context(settings, engine) as tools:
        worker = build_worker(settings, engine, tools, log, only=(name,))
        worker.stages = [
            (stage, replace(figures, limit=limit, ids=only, continuous=True))
            for stage, figures in worker.stages
        ]
        return await _drain(worker, worker.stages[0][0].queue, StageQuery(engine), limit, only)


async def _drain(
    worker: Worker, queue: Queue, stages: StageQuery, limit: int | None, ids: Sequence[Any] | None
) -> Drained:
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        ready = asyncio.create_task(worker.ready.wait())
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        limited = worker.ready.is_set() and await _until_drained(
            worker.runners[queue.name], stages, limit, ids
        )
    finally:
        stop.set()
        await task
    totals = worker.runners[queue.name].stats.totals
    did = {kind: totals[kind] for kind in ("done", "failed", "retried", "snoozed")}
    return Drained(did, await stages.remaining(queue, ids), limited)


async def _until_drained(
    runner: StageRunner, stages: StageQuery, limit: int | None, ids: Sequence[Any] | None
) -> bool:
    """Wait until nothing can be claimed before long; says whether the limit ended it."""
    did, moved = -1, monotonic()
    while True:
        await runner.tick()
        if not runner.is_idle:
            await asyncio.sleep(0.02)
            continue
        finished = sum(runner.stats.totals.values())
        if finished != did:
            did, moved = finished, monotonic()
        if limit is not None and runner.left == 0:
            return True
        left = await stages.remaining(runner.stage.queue, ids)
        # A named row may be in the hands of another worker; its result is what was asked for.
        elsewhere = ids is not None and left.running > 0
        wait = min(left.wait_seconds, 1.0 if elsewhere else inf)
        stalled = monotonic() - moved > WORTH_WAITING_SECONDS + wait
        if runner.congested or stalled or wait > WORTH_WAITING_SECONDS:
            return False
        await asyncio.sleep(min(max(wait, 0.05), 1.0))
