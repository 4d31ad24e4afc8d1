"""Jobs: list, show, requeue, cancel, metrics, prune."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import limit_option
from scrapersky.cli.output import echo_fields, echo_json, echo_rows
from scrapersky.declarations import RUN_JOB

if TYPE_CHECKING:
    from scrapersky import actions, queries, wiring
    from scrapersky.cli.runtime import App
    from scrapersky.settings import Settings
else:
    actions = lazy_module("scrapersky.actions")
    queries = lazy_module("scrapersky.queries")
    wiring = lazy_module("scrapersky.wiring")

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

job = click.Group("job", help=__doc__)
id_argument = click.argument("job_id", metavar="ID")


@database_command(job, "list")
@click.option("--pending", "status", flag_value="queued", help="Only waiting jobs.")
@click.option("--running", "status", flag_value="processing", help="Only running jobs.")
@click.option("--failed", "status", flag_value="failed", help="Only permanently failed jobs.")
@click.option("--stuck", "status", flag_value="stuck", help="Only jobs that wait or run for too long.")
@limit_option()
async def list_jobs(app: App, status: str | None, limit: int, as_json: bool) -> None:
    """List the newest jobs."""
    jobs = queries.JobQuery(app.engine, app.tenant_id)
    if status == "stuck":
        rows = await jobs.stuck(*_stuck_limits(app.settings))
    else:
        word = getattr(RUN_JOB.statuses, status) if status else None
        rows = await jobs.newest(status=word, limit=limit)
    echo_rows(rows, as_json=as_json, columns=COLUMNS)


@database_command(job)
@id_argument
async def show(app: App, job_id: str, as_json: bool) -> None:
    """Show one job, by its number, its UUID, or `latest`."""
    _print(await queries.JobQuery(app.engine, app.tenant_id).show(job_id), as_json=as_json)


@database_command(job)
async def metrics(app: App, as_json: bool) -> None:
    """Jobs created, completed and failed in the last hour, stuck now, and the average duration."""
    jobs = queries.JobQuery(app.engine, app.tenant_id)
    _print(await jobs.metrics(*_stuck_limits(app.settings)), as_json=as_json)


@database_command(job)
@id_argument
async def requeue(app: App, job_id: str, as_json: bool) -> None:
    """Queue a failed, cancelled or finished job again."""
    _print(await actions.retry_job(app.engine, app.actor, job_id), as_json=as_json)


@database_command(job)
@id_argument
async def cancel(app: App, job_id: str, as_json: bool) -> None:
    """Cancel a waiting job, or ask a running one to stop."""
    _print(await actions.cancel_job(app.engine, app.actor, job_id), as_json=as_json)


@database_command(job)
async def prune(app: App, as_json: bool) -> None:
    """Delete jobs, page bodies and statistics that are older than their retention."""

    maintenance = wiring.build_maintenance(app.settings, app.engine, wiring.build_log(app.settings))
    deleted = await maintenance.delete_expired()
    if as_json:
        echo_json(deleted)
    else:
        click.echo(", ".join(f"{number} {name}" for name, number in deleted.items()))


def _stuck_limits(settings: Settings) -> tuple[timedelta, timedelta]:
    """How long a job may wait and run before it counts as stuck."""
    pending, running = settings.job_stuck_pending_minutes, settings.job_stuck_running_minutes
    return timedelta(minutes=pending), timedelta(minutes=running)


def _print(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(row)
    else:
        echo_fields(row, width=18)
