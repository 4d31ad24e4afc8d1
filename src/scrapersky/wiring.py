"""Builds what runs from the settings: the worker, its schedule, the upkeep."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.database import data_folder
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.outcome import reason_of
from scrapersky.engine.schedule import Schedule
from scrapersky.engine.stage import Options, Tuning
from scrapersky.engine.worker import Tables, Worker
from scrapersky.log import Log, take_library_logs
from scrapersky.maintenance import DiskMinimum, Maintenance, Rules, end_alert, raise_alert
from scrapersky.pipeline import STAGES, Line
from scrapersky.settings import Settings
from scrapersky.storage import save
from scrapersky.tables import Host, StageControl, StageStat, WorkerProcess, Zombie, table_of
from scrapersky.tables.counts import waiting_rows
from scrapersky.toolmaking import alert_channels, network_probe
from scrapersky.tools import StageContext

BOOKS = Tables(
    hosts=table_of(Host),
    zombies=table_of(Zombie),
    workers=table_of(WorkerProcess),
    stats=table_of(StageStat),
    controls=table_of(StageControl),
)


def make_log(settings: Settings, *, without: tuple[str, ...] = ()) -> Log:
    """The log of a process; `without` are events that it has no use for."""
    log = Log(level=settings.log_level, style=settings.log_format, without=without)
    take_library_logs(log)
    return log


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
        flush_items=settings.finish_rows,
        flush_after=timedelta(milliseconds=settings.finish_milliseconds),
        poll_listening=timedelta(milliseconds=settings.poll_listening_milliseconds),
        listen=settings.database_pooler == "session",
        host_gap=timedelta(milliseconds=settings.host_delay_milliseconds),
        host_errors=settings.host_errors_before_rest,
        host_rest=timedelta(minutes=settings.host_rest_minutes),
        host_rest_factor=settings.host_rest_factor,
    )


def tuning(settings: Settings, line: Line) -> Tuning:
    """A stage's figures by the names of its settings."""

    def given(name: str) -> Any:
        return getattr(settings, f"{line.settings}_{name}")

    return Tuning(
        continuous=given("mode") == "continuous",
        batch=given("batch_size"),
        batch_floor=settings.batch_floor_rows,
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


def upkeep(settings: Settings, engine: AsyncEngine, log: Log) -> Maintenance:
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
        slow_factor=settings.slow_factor,
        queue_factor=settings.queue_growth_factor,
        quiet=minutes(settings.alert_quiet_minutes),
        patience=timedelta(seconds=settings.alert_timeout_seconds),
    )
    return Maintenance(engine, rules, log.report, alert_channels(settings))


def disk_minimum(settings: Settings) -> DiskMinimum | None:
    """The space that the private PostgreSQL's disk must keep; the disk of another database is not seen."""
    if settings.database_address:
        return None
    percent, mib = settings.disk_free_least_percent, settings.disk_free_least_mib
    return DiskMinimum(data_folder(settings), percent, mib)


def make_schedule(worker: Worker, keeper: Maintenance, log: Log) -> Schedule:
    """Every stage under its stable id, and the upkeep of the fleet; registered after the start (R097)."""

    async def notify(job_id: str, error: BaseException | None) -> None:
        if error is None:
            await end_alert(keeper.engine, "scheduler_failure", job_id)
        else:
            await raise_alert(keeper.engine, "scheduler_failure", job_id, reason_of(error))

    schedule = Schedule(log.report, notify)
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
    settings: Settings, engine: AsyncEngine, tools: StageContext, log: Log, *, only: tuple[str, ...] = ()
) -> Worker:
    """A worker for all stages, or for those that are named."""
    stages = [(line.stage, tuning(settings, line)) for line in STAGES if not only or line.stage.name in only]

    async def alert(kind: str, text: str) -> None:
        where, _, what = text.partition(": ")
        await raise_alert(engine, kind, where, what or text)

    async def resolve(kind: str, subject: str) -> None:
        await end_alert(engine, kind, subject)

    probe = network_probe(settings)
    return Worker(
        engine,
        stages,
        BOOKS,
        options=options(settings),
        tools=tools,
        save=save,
        report=log.report,
        alert=alert,
        resolve=resolve,
        network=NetworkMonitor(probe, failures=settings.network_failures_before_probe),
        waiting=waiting_rows,
    )
