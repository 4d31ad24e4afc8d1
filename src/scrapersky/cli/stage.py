"""`scrapersky stage`: list, run once, pause, resume, and the dead letters of a stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.changing import confirm_change, who_of, why_left
from scrapersky.cli.program import tell
from scrapersky.cli.running import echo, echo_fields, echo_json, echo_rows, json_option, printable, run
from scrapersky.declarations import DECLARATIONS
from scrapersky.wording import counted

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.group()
def stage() -> None:
    """List, run, pause and resume stages; their dead letters."""


@stage.command("list")
@json_option
def list_stages(as_json: bool) -> None:
    """The stages in the order in which rows travel."""

    async def main(settings: Settings) -> None:
        rows = [
            {"stage": stage.name, "table": stage.table, "status": stage.status,
             "job_id": stage.compat.job_id, "settings": stage.compat.settings_prefix.upper()}
            for stage in DECLARATIONS
        ]  # fmt: skip
        echo_rows(rows, as_json=as_json)

    run(main)


@stage.command("run")
@click.argument("name")
@click.option("--limit", type=click.IntRange(1), help="Rows to work on [default: until the queue is empty].")
@json_option
def run_stage(name: str, limit: int | None, as_json: bool) -> None:
    """Work on one stage's queue now, in this process, until it is empty; says what is left and why."""

    async def main(settings: Settings) -> None:
        from scrapersky.processes.programs import run_stage_once

        drained = await run_stage_once(settings, name, limit=limit)
        did, left = drained.totals, drained.remaining
        if as_json:
            echo_json({**did, "left": left.waiting, "paused": left.paused, "next_at": left.next_at})
            return
        echo(f"{name}: {did['done']} done, {did['failed']} failed, {did['retried']} to be retried")
        if left.waiting:
            tell(printable(why_left(name, left, limited=drained.limited)))

    run(main)


@stage.command()
@click.argument("name")
@click.option("--reason", default="", help="Shown to everybody.")
def pause(name: str, reason: str) -> None:
    """Claim nothing more for this stage, on any machine."""

    async def main(settings: Settings) -> None:
        from scrapersky import actions
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            await actions.pause(engine, name, reason)

    run(main)
    tell(f"{name} is paused; resume it with: scrapersky stage resume {name}")


@stage.command()
@click.argument("name")
def resume(name: str) -> None:
    """Resume a paused stage."""

    async def main(settings: Settings) -> None:
        from scrapersky import actions
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            await actions.resume(engine, name)

    run(main)
    click.echo(f"{name} is resumed", err=True)


@stage.command()
@click.argument("name")
@click.argument("row_id", metavar="[ID]", required=False)
@click.option("--contains", default="", help="Only those whose reason contains this.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
def dead(name: str, row_id: str | None, contains: str, limit: int, as_json: bool) -> None:
    """List the stage's dead letters, newest first; with ID show one of them and its traceback."""

    async def main(settings: Settings) -> list[dict[str, Any]]:
        from scrapersky.database import open_database
        from scrapersky.queries import DeadLetterQuery

        async with open_database(settings) as engine:
            letters = DeadLetterQuery(engine, settings.default_tenant_id)
            if row_id:
                return [await letters.show(name, row_id)]
            return await letters.newest(name, contains=contains, limit=limit)

    rows = run(main)
    if row_id:
        _show_dead(name, row_id, rows[0], as_json=as_json)
        return
    echo_rows(rows, as_json=as_json)
    if rows and not as_json:
        tell(f"Traceback of one: scrapersky stage dead {name} ID")
        tell(f"Retry now: scrapersky stage requeue {name} ID (or --all)")


def _show_dead(name: str, row_id: str, row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(row)
        return
    trace = row.pop("traceback", "")
    echo_fields(row)
    echo(trace)
    tell(f"Retry now: scrapersky stage requeue {name} {row_id}")


def which_dead(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which dead letters are chosen."""
    for option in (
        json_option,
        click.option("--yes", is_flag=True, help="Skip the confirmation prompt."),
        click.option("--all", "everything", is_flag=True, help="All dead letters of the stage."),
        click.option("--contains", default="", help="All whose reason contains this."),
        click.argument("ids", nargs=-1),
        click.argument("name"),
    ):
        command = option(command)
    return command


@stage.command()
@which_dead
def requeue(**given: Any) -> None:
    """Queue dead letters again: those named, those that match, or all."""
    _change("requeue", **given)


@stage.command()
@which_dead
def discard(**given: Any) -> None:
    """Take dead letters out of the queue for good."""
    _change("discard", **given)


def _change(
    what: str, *, name: str, ids: tuple[str, ...], contains: str, everything: bool, yes: bool, as_json: bool
) -> None:
    if bool(ids) == bool(contains or everything):
        raise click.UsageError("Name the rows, or give --contains or --all.")

    async def main(settings: Settings) -> int:
        from scrapersky import actions
        from scrapersky.database import open_database
        from scrapersky.queries import DeadLetterQuery

        change = actions.requeue if what == "requeue" else actions.discard
        async with open_database(settings) as engine:
            if not (ids or yes):
                letters = DeadLetterQuery(engine, settings.default_tenant_id)
                confirm_change(await letters.count(name, contains=contains), f"{what} {name}")
            return await change(engine, who_of(settings), name, ids, contains=contains)

    number = run(main)
    if as_json:
        echo_json({"stage": name, "changed": number})
    else:
        click.echo(f"{what}: {counted(number, 'row')} of {name}", err=True)
