"""Repeat searches, crawls, sends, exports: add, list, pause, resume, run, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_json, echo_rows
from scrapersky.declarations import statuses

if TYPE_CHECKING:
    from scrapersky.actions.schedules import runs
    from scrapersky.actions.schedules import schedules as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.decisions import presets
    from scrapersky.queries.decisions import schedules as queries
    from scrapersky.queries.delivery import destinations
else:
    actions = lazy_module("scrapersky.actions.schedules.schedules")
    destinations = lazy_module("scrapersky.queries.delivery.destinations")
    presets = lazy_module("scrapersky.queries.decisions.presets")
    queries = lazy_module("scrapersky.queries.decisions.schedules")
    runs = lazy_module("scrapersky.actions.schedules.runs")

schedule = click.Group("schedule", help=__doc__)
id_argument = click.argument("schedule_id", metavar="ID", type=click.UUID)
WEEKDAYS = click.Choice(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
LISTED = (
    "id",
    "name",
    "about",
    "every_days",
    "is_enabled",
    "next_run_at",
    "last_run_at",
    "last_outcome",
    "last_reason",
    "failures",
)


@database_command(schedule, "list")
async def list_schedules(app: App, as_json: bool) -> None:
    """List the schedules."""
    rows = await queries.ScheduleQuery(app.engine, app.tenant_id).list_schedules()
    echo_rows([{name: row[name] for name in LISTED} for row in rows], as_json=as_json)


@database_command(schedule)
@click.argument("name")
@click.argument("kind", type=click.Choice(statuses.SCHEDULE_KIND))
@click.option("--every", "every_days", type=int, required=True, metavar="DAYS", help="Days between two runs.")
@click.option("--at", "time_of_day", default="06:00", show_default=True, help="The time of day, HH:MM.")
@click.option("--zone", "time_zone", default="UTC", show_default=True, help="Such as Europe/Berlin.")
@click.option("--on", "weekday", type=WEEKDAYS, help="Weekday of the first run; needs whole weeks.")
@click.option("--search", "search_id", type=click.UUID, metavar="ID", help="The search to repeat.")
@click.option("--view", help="Name or id of the saved view whose rows are used.")
@click.option("--destination", help="Where contacts are sent.")
@click.option("--file", help="The file of an export, such as contacts.xlsx; its ending says the format.")
async def add(
    app: App,
    name: str,
    kind: str,
    every_days: int,
    time_of_day: str,
    time_zone: str,
    weekday: str | None,
    search_id: UUID | None,
    view: str | None,
    destination: str | None,
    file: str | None,
    as_json: bool,
) -> None:
    """Repeat something of a KIND every so many days.

    A search repeats --search. A crawl reads pages again that were read before: all, those of a --view of
    pages, or those of the domains of a --view of domains. A send sends the contacts of a --view to a
    --destination. An export writes the rows of a --view to a --file in the export folder.
    """
    target = None
    if destination is not None:
        target = (await destinations.DestinationQuery(app.engine, app.tenant_id).find(destination))["id"]
    request = actions.ScheduleRequest(
        name=name,
        kind=kind,
        every_days=every_days,
        time_of_day=time_of_day,
        time_zone=time_zone,
        weekday=weekday,
        search_id=search_id,
        view_id=None if view is None else await _find_view(app, view),
        destination_id=target,
        file=file,
    )
    schedule_id = await actions.create_schedule(app.engine, app.actor, request)
    row = await queries.ScheduleQuery(app.engine, app.tenant_id).show(schedule_id)
    if as_json:
        echo_json({"id": schedule_id, "next_run_at": row["next_run_at"]})
    else:
        click.echo(
            f"Added schedule {schedule_id}; its first run is at {row['next_run_at']:%Y-%m-%d %H:%M} UTC"
        )


async def _find_view(app: App, text: str) -> UUID:
    query = presets.ViewQuery(app.engine, app.tenant_id, app.actor.user_id)
    return UUID(str((await query.find(text))["id"]))


@database_command(schedule)
@id_argument
async def pause(app: App, schedule_id: UUID, as_json: bool) -> None:
    """Start no more runs; one that is open continues."""
    await actions.pause_schedule(app.engine, app.actor, schedule_id)
    _echo(schedule_id, "Paused", as_json=as_json)


@database_command(schedule)
@id_argument
async def resume(app: App, schedule_id: UUID, as_json: bool) -> None:
    """Start runs again, from the next time on."""
    await actions.resume_schedule(app.engine, app.actor, schedule_id)
    _echo(schedule_id, "Resumed", as_json=as_json)


@database_command(schedule)
@id_argument
async def run(app: App, schedule_id: UUID, as_json: bool) -> None:
    """Start a run now; the next one is due when it was before."""
    await runs.run_schedule(app.engine, app.actor, schedule_id)
    _echo(schedule_id, "Started a run of", as_json=as_json)


@database_command(schedule)
@id_argument
async def delete(app: App, schedule_id: UUID, as_json: bool) -> None:
    """Delete a schedule; what its runs have started stays."""
    await actions.delete_schedule(app.engine, app.actor, schedule_id)
    _echo(schedule_id, "Deleted", as_json=as_json)


def _echo(schedule_id: UUID, done: str, *, as_json: bool) -> None:
    if as_json:
        echo_json({"id": schedule_id})
    else:
        click.echo(f"{done} schedule {schedule_id}")
