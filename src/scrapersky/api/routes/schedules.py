"""Schedules: searches, crawls, sends and exports that are repeated."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.schedules.recurrence import MAX_DAYS
from scrapersky.actions.schedules.runs import run_schedule
from scrapersky.actions.schedules.schedules import (
    MAX_NAME,
    ScheduleRequest,
    create_schedule,
    delete_schedule,
    pause_schedule,
    resume_schedule,
)
from scrapersky.api.caller import Operator, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.models import Body, WholeList
from scrapersky.queries.decisions.schedules import ScheduleQuery

router = APIRouter(prefix="/schedules", tags=["schedules"])
Kind = Literal["search", "crawl", "send", "export"]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Outcome = Literal["started", "skipped", "ended", "failed"]


class ScheduleBody(Body):
    """A search needs `search_id`, a send `view_id` and `destination_id`, an export `view_id`
    and `file`; a crawl may have a `view_id`.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Fresh contacts", "kind": "crawl", "every_days": 30}]}
    )

    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    kind: Kind
    every_days: Annotated[int, Field(ge=1, le=MAX_DAYS)]
    time_of_day: Annotated[str, Field(max_length=5, description="By the clocks of the zone, HH:MM.")] = (
        "06:00"
    )
    time_zone: Annotated[str, Field(max_length=64, description="Such as Europe/Berlin.")] = "UTC"
    weekday: Weekday | None = Field(None, description="Of the first run; needs a number of whole weeks.")
    search_id: UUID | None = Field(None, description="The search to repeat.")
    view_id: UUID | None = Field(
        None, description="The saved view whose rows are used, as it is at each run."
    )
    destination_id: UUID | None = Field(None, description="Where contacts are sent.")
    file: Annotated[str | None, Field(max_length=100)] = Field(
        None, description="The file of an export, such as contacts.xlsx; its ending says the format."
    )


class ScheduleModel(BaseModel):
    """`last_run_id` is the search, operation or job of the last run; `about` says what is repeated."""

    id: UUID
    name: str
    kind: Kind
    about: str
    view_id: UUID | None
    destination_id: UUID | None
    every_days: int
    time_of_day: str
    time_zone: str
    is_enabled: bool
    next_run_at: datetime
    last_run_at: datetime | None
    last_run_id: UUID | None
    last_outcome: Outcome | None
    last_reason: str | None = Field(description="Why the last run failed or was skipped.")
    failures: int = Field(description="Runs that failed in a row.")
    user_id: UUID
    created_at: datetime
    updated_at: datetime


class ScheduleList(WholeList[ScheduleModel]):
    """All schedules, on one page."""


@router.get("")
async def list_schedules(caller: Viewer) -> ScheduleList:
    """List the schedules."""
    rows = await ScheduleQuery(caller.engine, caller.actor.tenant_id).list_schedules()
    return ScheduleList.of([ScheduleModel.model_validate(row) for row in rows])


@router.post("", status_code=201)
async def add_schedule(body: ScheduleBody, caller: Operator, response: Response) -> ScheduleModel:
    """Add a schedule; its first run is at the next such time."""
    request = ScheduleRequest(**body.model_dump())
    schedule_id = await create_schedule(caller.engine, caller.actor, request)
    response.headers["Location"] = f"{PREFIX}/schedules/{schedule_id}"
    return await get_schedule(schedule_id, caller)


@router.get("/{schedule_id:uuid}")
async def get_schedule(schedule_id: UUID, caller: Viewer) -> ScheduleModel:
    """One schedule."""
    row = await ScheduleQuery(caller.engine, caller.actor.tenant_id).show(schedule_id)
    return ScheduleModel.model_validate(row)


@router.post("/{schedule_id:uuid}/pause", name="pause_schedule")
async def pause(schedule_id: UUID, caller: Operator) -> ScheduleModel:
    """Start no more runs; one that is open continues."""
    await pause_schedule(caller.engine, caller.actor, schedule_id)
    return await get_schedule(schedule_id, caller)


@router.post("/{schedule_id:uuid}/resume", name="resume_schedule")
async def resume(schedule_id: UUID, caller: Operator) -> ScheduleModel:
    """Start runs again, from the next time on."""
    await resume_schedule(caller.engine, caller.actor, schedule_id)
    return await get_schedule(schedule_id, caller)


@router.post("/{schedule_id:uuid}/run", status_code=202, name="run_schedule")
async def run(schedule_id: UUID, caller: Operator) -> ScheduleModel:
    """Start a run now, unless the last one is open; the next one is due when it was before."""
    await run_schedule(caller.engine, caller.actor, schedule_id)
    return await get_schedule(schedule_id, caller)


@router.delete("/{schedule_id:uuid}", status_code=204, name="delete_schedule")
async def remove_schedule(schedule_id: UUID, caller: Operator) -> None:
    """Delete a schedule; what its runs have started stays."""
    await delete_schedule(caller.engine, caller.actor, schedule_id)
