"""Builds everything from the settings: the way to the database, the tools, the worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from scrapersky.embedded import PrivateServer
from scrapersky.engine.database import is_passing
from scrapersky.engine.schedule import Schedule
from scrapersky.engine.stage import Options, Tuning
from scrapersky.engine.worker import Tables, Worker
from scrapersky.errors import StartError
from scrapersky.log import Log
from scrapersky.pipeline import STAGES, Line
from scrapersky.settings import Settings
from scrapersky.tables import Host, StageControl, StageStat, WorkerProcess, Zombie, table_of
from scrapersky.tables.migrate import migrate, require_schema, schema_state
from scrapersky.tables.saving import save
from scrapersky.toolmaking import data_folder
from scrapersky.tools import Tools
from scrapersky.upkeep import Rules, Upkeep, raise_alert

T = TypeVar("T")
# Wrong name, wrong password, no such database: waiting does not help.
NOT_LET_IN = ("28", "3D")

BOOKS = Tables(
    hosts=table_of(Host),
    zombies=table_of(Zombie),
    workers=table_of(WorkerProcess),
    stats=table_of(StageStat),
    controls=table_of(StageControl),
)


def make_log(settings: Settings) -> Log:
    return Log(level=settings.log_level, style=settings.log_format)


@asynccontextmanager
async def database_address(settings: Settings) -> AsyncIterator[str]:
    """The database of the settings; the private one is started or joined, and left at the end."""
    if settings.database_address:
        yield settings.database_address
        return
    server = PrivateServer(data_folder(settings))
    await asyncio.to_thread(server.start)
    try:
        yield server.url()
    finally:
        await asyncio.to_thread(server.stop)


def make_engine(settings: Settings, url: str) -> AsyncEngine:
    """Connections that never wait for ever; behind a transaction pooler nothing is prepared or set."""
    arguments: dict[str, Any] = {"timeout": settings.database_connect_timeout_seconds}
    if settings.database_pooler == "transaction":
        arguments |= {"statement_cache_size": 0, "prepared_statement_cache_size": 0}
        arguments["prepared_statement_name_func"] = lambda: f"__{uuid4()}__"
        return create_async_engine(url, poolclass=NullPool, connect_args=arguments)
    milliseconds = {
        "statement_timeout": settings.database_statement_timeout_seconds,
        "lock_timeout": settings.database_lock_timeout_seconds,
        "idle_in_transaction_session_timeout": settings.database_idle_in_transaction_timeout_seconds,
    }
    limits = {name: f"{seconds * 1000}" for name, seconds in milliseconds.items()}
    arguments["server_settings"] = {"application_name": "scrapersky", **limits}
    # The connection used last is used next: it has most statements prepared already.
    return create_async_engine(
        url,
        pool_size=settings.database_pool_size,
        # A connection beyond the pool would be made for one use, which costs more than to wait for the next.
        max_overflow=0,
        pool_timeout=30,
        pool_use_lifo=True,
        connect_args=arguments,
    )


@asynccontextmanager
async def opened(settings: Settings, *, migrated: bool = False) -> AsyncIterator[AsyncEngine]:
    """An engine on a database whose schema is right; `migrated` brings it there first."""
    async with database_address(settings) as url:
        await _when_reached(lambda: _prepare(settings, url, migrated=migrated))
        engine = make_engine(settings, url)
        try:
            yield engine
        finally:
            await engine.dispose()


async def _prepare(settings: Settings, url: str, *, migrated: bool) -> None:
    system_user = settings.scheduler_system_user_id
    if migrated:
        await migrate(url, tenant_id=settings.default_tenant_id, system_user_id=system_user)
    await require_schema(url, system_user_id=system_user)


async def database_state(settings: Settings, *, migrated: bool = False) -> dict[str, object]:
    """Which schema the database has; `migrated` brings it to the newest first."""
    async with database_address(settings) as url:
        if migrated:
            await _when_reached(lambda: _prepare(settings, url, migrated=True))
        state = await _when_reached(lambda: schema_state(url))
        return {
            "current": state.current,
            "head": state.head,
            "up_to_date": state.up_to_date,
            "newer_than_code": state.newer_than_code,
        }


async def _when_reached(call: Callable[[], Awaitable[T]]) -> T:
    """One clear line instead of a traceback when the database cannot be reached or does not let us in."""
    try:
        return await call()
    except (OSError, DBAPIError) as error:
        source = getattr(error, "orig", None) or error
        reason = getattr(source, "strerror", None) or str(source) or type(source).__name__
        if is_passing(error):
            raise Unreachable(f"The database cannot be reached: {reason}") from None
        if str(getattr(source, "sqlstate", "")).startswith(NOT_LET_IN):
            raise NotLetIn(f"The database does not let us in: {reason}") from None
        raise


class Unreachable(StartError):
    """The database cannot be reached."""

    exit_code = 6


class NotLetIn(StartError):
    """The database does not let us in."""

    exit_code = 6


def options(settings: Settings) -> Options:
    def seconds(value: float) -> timedelta:
        return timedelta(seconds=value)

    return Options(
        lease=seconds(settings.lease_seconds),
        heartbeat=seconds(settings.heartbeat_seconds),
        sweep=seconds(settings.sweep_seconds),
        grace=seconds(settings.stop_grace_seconds),
        max_retries=settings.max_retries,
        retry_base=seconds(settings.retry_base_seconds),
        retry_cap=timedelta(minutes=settings.retry_cap_minutes),
        retry_jitter=settings.retry_jitter_percent / 100,
        max_crashes=settings.max_crashes,
        poll_first=timedelta(milliseconds=settings.poll_floor_milliseconds),
        poll_longest=timedelta(milliseconds=settings.poll_ceiling_milliseconds),
        listen=settings.database_pooler == "session",
        host_gap=timedelta(milliseconds=settings.host_delay_milliseconds),
        host_errors=settings.host_errors_before_rest,
        host_rest=timedelta(minutes=settings.host_rest_minutes),
        host_rest_factor=settings.host_rest_factor,
    )


def tuning(settings: Settings, line: Line) -> Tuning:
    """A stage's figures by the names of its settings."""

    def given(name: str) -> int:
        value: int = getattr(settings, f"{line.settings}_{name}")
        return value

    return Tuning(
        batch=given("batch_size"),
        at_once=given("at_once"),
        interval=timedelta(minutes=given("interval_minutes")),
        max_instances=given("max_instances"),
        misfire_grace=timedelta(seconds=given("misfire_grace_seconds")),
        timeout=timedelta(seconds=given("timeout_seconds")),
        per_host=settings.rows_per_host,
        high_water=settings.high_water_rows,
        low_water=settings.low_water_rows,
        target=timedelta(seconds=settings.batch_target_seconds),
    )


def upkeep(settings: Settings, engine: AsyncEngine, log: Log) -> Upkeep:
    def minutes(value: int) -> timedelta:
        return timedelta(minutes=value)

    def days(value: int | str) -> timedelta | None:
        return None if isinstance(value, str) else timedelta(days=value)

    rules = Rules(
        safety_net=minutes(settings.safety_net_interval_minutes),
        stuck_check=minutes(settings.stuck_check_interval_minutes),
        cleanup=minutes(settings.cleanup_interval_minutes),
        batch=settings.cleanup_batch_rows,
        keep_jobs=days(settings.job_retention_days),
        keep_dead=days(settings.dead_letter_retention_days),
        keep_statistics=days(settings.statistics_retention_days),
        keep_alerts=days(settings.alert_retention_days),
        pending=minutes(settings.job_stuck_pending_minutes),
        running=minutes(settings.job_stuck_running_minutes),
        processing=minutes(settings.stuck_processing_minutes),
        stall=minutes(settings.stall_minutes),
    )
    return Upkeep(engine, rules, log.report)


def make_schedule(worker: Worker, keeper: Upkeep, log: Log) -> Schedule:
    """Every stage under its stable id, and the upkeep of the fleet; registered after the start (R097)."""
    schedule = Schedule(log.report)
    schedule.start()
    for stage, figures in worker.stages:
        schedule.add(
            stage.job_id or stage.name,
            worker.lanes[stage.name].tick,
            figures.interval,
            max_instances=figures.max_instances,
            misfire_grace=figures.misfire_grace,
        )
    for name, call, every in keeper.jobs():
        schedule.add(name, call, every)
    return schedule


def make_worker(
    settings: Settings, engine: AsyncEngine, tools: Tools, log: Log, *, only: tuple[str, ...] = ()
) -> Worker:
    """A worker for all stages, or for those that are named."""
    stages = [(line.stage, tuning(settings, line)) for line in STAGES if not only or line.stage.name in only]

    async def alert(kind: str, text: str) -> None:
        where, _, what = text.partition(": ")
        await raise_alert(engine, kind, where, what or text)

    return Worker(
        engine,
        stages,
        BOOKS,
        options=options(settings),
        tools=tools,
        save=save,
        report=log.report,
        alert=alert,
    )
