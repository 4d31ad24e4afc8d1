"""`scrapersky job`: list, show, measure, retry and cancel jobs."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.changing import who_of
from scrapersky.cli.running import echo_fields, echo_json, echo_rows, json_option, run
from scrapersky.declarations import RUN_JOB

if TYPE_CHECKING:
    from scrapersky.settings import Settings

COLUMNS = (
    "id",
    "job_id",
    "job_type",
    "status",
    "progress_percent",
    "retry_count",
    "created_at",
    "result_data",
    "error",
)


@click.group()
def job() -> None:
    """List, show, measure, retry and cancel jobs."""


@job.command("list")
@click.option("--pending", "status", flag_value="queued", help="Those that wait.")
@click.option("--running", "status", flag_value="processing", help="Those that run.")
@click.option("--failed", "status", flag_value="failed", help="Those that failed for good.")
@click.option("--stuck", "status", flag_value="stuck", help="Those that wait or run too long.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
def list_jobs(status: str | None, limit: int, as_json: bool) -> None:
    """The newest jobs, or those of one kind."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.queries import JobQuery

        async with open_database(settings) as engine:
            jobs = JobQuery(engine, settings.default_tenant_id)
            if status == "stuck":
                rows = await jobs.stuck(*_stuck_limits(settings))
            else:
                rows = await jobs.newest(
                    status=getattr(RUN_JOB.statuses, status) if status else None, limit=limit
                )
            echo_rows(rows, as_json=as_json, columns=COLUMNS)

    run(main)


@job.command()
@click.argument("which")
@json_option
def show(which: str, as_json: bool) -> None:
    """One job, by its number, its UUID, or `latest`."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.queries import JobQuery

        async with open_database(settings) as engine:
            _tell(await JobQuery(engine, settings.default_tenant_id).show(which), as_json)

    run(main)


@job.command()
@json_option
def metrics(as_json: bool) -> None:
    """Jobs created, completed and failed in the last hour, stuck now, and the average duration."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.queries import JobQuery

        async with open_database(settings) as engine:
            jobs = JobQuery(engine, settings.default_tenant_id)
            _tell(await jobs.metrics(*_stuck_limits(settings)), as_json)

    run(main)


@job.command()
@click.argument("which")
@json_option
def retry(which: str, as_json: bool) -> None:
    """Queue a failed, cancelled or finished job again."""

    async def main(settings: Settings) -> None:
        from scrapersky import actions
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            _tell(await actions.retry_job(engine, who_of(settings), which), as_json)

    run(main)


@job.command()
@click.argument("which")
@json_option
def cancel(which: str, as_json: bool) -> None:
    """Cancel a waiting job, or ask a running one to stop."""

    async def main(settings: Settings) -> None:
        from scrapersky import actions
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            _tell(await actions.cancel_job(engine, who_of(settings), which), as_json)

    run(main)


@job.command("clean-up")
@json_option
def clean_up(as_json: bool) -> None:
    """Delete now what is past its time: old jobs, page bodies, statistics."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.wiring import build_log, build_maintenance

        async with open_database(settings) as engine:
            removed = await build_maintenance(settings, engine, build_log(settings)).delete_expired()
        if as_json:
            echo_json(removed)
        else:
            click.echo(", ".join(f"{number} {name}" for name, number in removed.items()))

    run(main)


def _stuck_limits(settings: Settings) -> tuple[timedelta, timedelta]:
    """How long a job may wait and run before it counts as stuck."""
    pending, running = settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes
    return timedelta(minutes=pending), timedelta(minutes=running)


def _tell(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        echo_json(row)
        return
    echo_fields(row, width=18)
