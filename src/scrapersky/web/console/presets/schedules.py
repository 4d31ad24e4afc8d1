"""Schedules: what is repeated and how the last run stands, with a form for a new one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.schedules.recurrence import WEEKDAYS, Recurrence
from scrapersky.actions.schedules.runs import run_schedule
from scrapersky.actions.schedules.schedules import (
    MAX_NAME,
    VIEWS_OF,
    ScheduleRequest,
    create_schedule,
    delete_schedule,
    pause_schedule,
    resume_schedule,
)
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.declarations import statuses
from scrapersky.errors import ActionError, InvalidInput
from scrapersky.queries.decisions.presets import ViewQuery
from scrapersky.queries.decisions.schedules import ScheduleQuery
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.rows.entities import SEARCH
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of

router = APIRouter()
HOME = "/schedules"
FIELDS = (
    "name",
    "kind",
    "every_days",
    "time_of_day",
    "time_zone",
    "weekday",
    "search",
    "view",
    "destination",
    "file",
)
EMPTY = dict.fromkeys(FIELDS, "") | {
    "kind": statuses.REPEAT_CRAWL, "every_days": "30", "time_of_day": "06:00", "time_zone": "UTC",
}  # fmt: skip
# The newest searches can be chosen here; others by command or HTTP.
MAX_SEARCHES = 50


@router.get("/schedules")
async def schedules(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(request, caller, console, EMPTY)


@router.post("/schedules")
async def add_schedule(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    draft = {name: text_of(form, name)[:MAX_NAME] for name in FIELDS}
    try:
        await create_schedule(caller.engine, caller.actor, _request(form))
    except ActionError as error:
        return await _show(request, caller, console, draft, status=error.status, error=str(error))
    return console.redirect(request, HOME, "The schedule was added.")


@router.post("/schedules/{schedule_id:uuid}/pause")
async def pause(request: Request, schedule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    await pause_schedule(caller.engine, caller.actor, schedule_id)
    return console.redirect(request, HOME, "The schedule is paused.")


@router.post("/schedules/{schedule_id:uuid}/resume")
async def resume(request: Request, schedule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    await resume_schedule(caller.engine, caller.actor, schedule_id)
    return console.redirect(request, HOME, "The schedule is resumed.")


@router.post("/schedules/{schedule_id:uuid}/run")
async def run(request: Request, schedule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    await run_schedule(caller.engine, caller.actor, schedule_id)
    return console.redirect(request, HOME, "A run was started.")


@router.post("/schedules/{schedule_id:uuid}/delete")
async def remove(request: Request, schedule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    await delete_schedule(caller.engine, caller.actor, schedule_id)
    return console.redirect(request, HOME, "The schedule was deleted.")


def _request(form: FormData) -> ScheduleRequest:
    """Fields that belong to another kind are not read: the form shows those of all."""
    kind, days = text_of(form, "kind"), text_of(form, "every_days")
    if not (days.isascii() and days.isdigit()):
        raise InvalidInput(f"Invalid number of days {days[:20]!r}")
    return ScheduleRequest(
        name=text_of(form, "name"),
        kind=kind,
        every_days=int(days[:6]),
        time_of_day=text_of(form, "time_of_day"),
        time_zone=text_of(form, "time_zone"),
        weekday=text_of(form, "weekday") or None,
        search_id=_uuid(form, "search") if kind == statuses.REPEAT_SEARCH else None,
        view_id=_uuid(form, "view") if kind in VIEWS_OF else None,
        destination_id=_uuid(form, "destination") if kind == statuses.REPEAT_SEND else None,
        file=text_of(form, "file") if kind == statuses.REPEAT_EXPORT else None,
    )


def _uuid(form: FormData, name: str) -> UUID | None:
    text = text_of(form, name)
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidInput(f"Invalid {name} {text[:50]!r}") from None


async def _show(
    request: Request,
    caller: Caller,
    console: Console,
    draft: dict[str, str],
    *,
    status: int = 200,
    error: str = "",
) -> Response:
    engine, tenant_id = caller.engine, caller.actor.tenant_id
    views = await ViewQuery(engine, tenant_id, caller.actor.user_id).list_views()
    usable = {name for names in VIEWS_OF.values() for name in names}
    return await console.page(
        request,
        caller,
        "presets/schedules.html",
        status=status,
        error=error,
        draft=draft,
        weekdays=WEEKDAYS,
        schedules=[_with_words(row) for row in await ScheduleQuery(engine, tenant_id).list_schedules()],
        searches=await ListQuery(engine, tenant_id).list_rows(SEARCH, limit=MAX_SEARCHES),
        views=[view for view in views if view["entity"] in usable],
        destinations=await DestinationQuery(engine, tenant_id).list_destinations(),
    )


def _with_words(row: dict[str, Any]) -> dict[str, Any]:
    recurrence = Recurrence(row["every_days"], row["time_of_day"], row["time_zone"])
    return {**row, "recurrence": recurrence.describe(row["next_run_at"])}
