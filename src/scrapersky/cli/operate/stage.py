"""Stages: list, run, pause, resume, failed, investigate, requeue, discard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import command, database_command
from scrapersky.cli.exit_codes import NOT_FOUND
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import all_options, limit_option, yes_option
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_message, echo_rows, fail
from scrapersky.cli.rows import confirm, remaining_message
from scrapersky.declarations import DECLARATIONS, statuses
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky import actions, queries
    from scrapersky.cli.runtime import App
    from scrapersky.processes import drain
    from scrapersky.settings import Settings
else:
    actions = lazy_module("scrapersky.actions")
    drain = lazy_module("scrapersky.processes.drain")
    queries = lazy_module("scrapersky.queries")

stage = click.Group("stage", help=__doc__)
stage_argument = click.argument("name", metavar="STAGE")


@command(stage, "list")
async def list_stages(settings: Settings, as_json: bool) -> None:
    """List the stages in the order of the pipeline."""

    rows = [
        {"stage": stage.name, "table": stage.table, "status": stage.status,
         "job_id": stage.compat.job_id, "settings": stage.compat.settings_prefix.upper()}
        for stage in DECLARATIONS
    ]  # fmt: skip
    echo_rows(rows, as_json=as_json)


@command(stage)
@stage_argument
@limit_option(None, None, "Maximum rows [default: until the queue is empty].")
async def run(settings: Settings, name: str, limit: int | None, as_json: bool) -> None:
    """Run one stage now, in this process.

    It runs until the queue is empty or the limit is reached, and prints what is left and why.
    """

    drained = await drain.drain_stage(settings, name, limit=limit)
    totals, remaining = drained.totals, drained.remaining
    if as_json:
        left = {"left": remaining.waiting, "paused": remaining.paused, "next_at": remaining.next_at}
        echo_json({**totals, **left})
        return
    echo(f"{name}: {totals['done']} done, {totals['failed']} failed, {totals['retried']} to be retried")
    if remaining.waiting:
        echo_message(remaining_message(name, remaining, limited=drained.limited))


@database_command(stage, json=False)
@stage_argument
@click.option("--reason", default="", help="Reason, shown in the status.")
async def pause(app: App, name: str, reason: str) -> None:
    """Pause a stage on every machine: nothing more is claimed."""
    await actions.pause_stage(app.engine, app.actor, name, reason)
    echo_message(f"{name} is paused; resume it with: scrapersky stage resume {name}")


@database_command(stage, json=False)
@stage_argument
async def resume(app: App, name: str) -> None:
    """Resume a paused stage."""
    await actions.resume_stage(app.engine, app.actor, name)
    echo_message(f"{name} is resumed")


@database_command(stage)
@stage_argument
@click.argument("row_id", metavar="[ID]", required=False)
@click.option("--contains", default="", help="Text in the reason.")
@limit_option()
async def failed(app: App, name: str, row_id: str | None, contains: str, limit: int, as_json: bool) -> None:
    """List the failed rows of a stage, its dead letters.

    The newest come first. With ID, show that row and its traceback.
    """
    letters = queries.DeadLetterQuery(app.engine, app.tenant_id)
    if row_id:
        _print_failed(name, row_id, await letters.show(name, row_id), as_json=as_json)
        return
    rows = await letters.newest(name, contains=contains, limit=limit)
    echo_rows(rows, as_json=as_json)
    if rows and not as_json:
        echo_message(f"Show a traceback: scrapersky stage failed {name} ID")
        echo_message(f"Retry now: scrapersky stage requeue {name} ID (or --all)")


def _print_failed(name: str, row_id: str, row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(row)
        return
    traceback = row.pop("traceback", "")
    echo_fields(row)
    echo(traceback)
    echo_message(f"Retry now: scrapersky stage requeue {name} {row_id}")


@database_command(stage)
@stage_argument
@click.argument("row_id", metavar="ID")
@click.option("--state", required=True, type=click.Choice(statuses.INVESTIGATION), help="How far it is.")
@click.option("--note", default="", help="What is known.")
async def investigate(app: App, name: str, row_id: str, state: str, note: str, as_json: bool) -> None:
    """Note what is known about a failed row, and that you look into it."""
    owner_id = app.actor.user_id
    investigation = await actions.investigate_dead_letter(
        app.engine, app.actor, name, row_id, state=state, note=note, owner_id=owner_id
    )
    if as_json:
        echo_json(investigation)
    else:
        echo_fields(investigation)


failed_options = all_options(
    stage_argument,
    click.argument("ids", nargs=-1, metavar="[ID]..."),
    click.option("--contains", default="", help="All rows with this text in the reason."),
    click.option("--all", "everything", is_flag=True, help="All failed rows of the stage."),
    yes_option,
)


def check_choice(*, ids: tuple[str, ...], contains: str, everything: bool, **_: Any) -> None:
    if bool(ids) == bool(contains or everything):
        raise click.UsageError("Pass ids, --contains or --all.")


@database_command(stage, check=check_choice)
@failed_options
async def requeue(app: App, **options: Any) -> None:
    """Queue failed rows again: those named, those that match, or all."""
    await _change("requeue", app, **options)


@database_command(stage, check=check_choice)
@failed_options
async def discard(app: App, **options: Any) -> None:
    """Discard failed rows: those named, those that match, or all."""
    await _change("discard", app, **options)


async def _change(
    verb: str,
    app: App,
    *,
    name: str,
    ids: tuple[str, ...],
    contains: str,
    yes: bool,
    as_json: bool,
    **_: Any,
) -> None:
    if not (ids or yes):
        letters = queries.DeadLetterQuery(app.engine, app.tenant_id)
        confirm(await letters.count(name, contains=contains), f"{verb} {name}")
    change = actions.requeue_dead_letters if verb == "requeue" else actions.discard_dead_letters
    number = await change(app.engine, app.actor, name, ids, contains=contains)
    if ids and not number:
        fail(f"No failed row of {name} has {'this id' if len(ids) == 1 else 'one of these ids'}", NOT_FOUND)
    if as_json:
        echo_json({"stage": name, "changed": number})
    else:
        echo_message(f"{verb}: {pluralize(number, 'row')} of {name}")
