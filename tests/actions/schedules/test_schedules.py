"""Schedules are added with what their kind needs, paused, resumed and deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.presets.saved_views import create_view, delete_view
from scrapersky.actions.schedules.runs import start_due_schedules
from scrapersky.actions.schedules.schedules import (
    ScheduleRequest,
    create_schedule,
    delete_schedule,
    pause_schedule,
    resume_schedule,
)
from scrapersky.errors import ActionError, Conflict, NotFound
from scrapersky.queries.decisions.schedules import ScheduleQuery


async def stored(db: AsyncEngine) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(tables.schedules, func.now().label("now")))).one()


async def add_destination(db: AsyncEngine) -> Any:
    values = {"tenant_id": TENANT, "name": "Our file", "kind": "csv"}
    async with db.begin() as connection:
        statement = insert(tables.destinations).values(values).returning(tables.destinations.c.id)
        return await connection.scalar(statement)


async def test_a_search_is_kept_with_all_that_it_asks_for(db: AsyncEngine) -> None:
    asked = {"business_type": "bakery", "location": "Berlin", "source": "overture", "params": {"limit": 5}}
    async with db.begin() as connection:
        statement = insert(tables.place_searches).values({**asked, "tenant_id": TENANT})
        search_id = await connection.scalar(statement.returning(tables.place_searches.c.id))
    await create_schedule(
        db, WHO, ScheduleRequest(name="Bakeries", kind="search", every_days=30, search_id=search_id)
    )
    async with db.begin() as connection:
        await connection.execute(update(tables.schedules).values(next_run_at=func.now()))
    assert await start_due_schedules(db, print) == 1
    async with db.connect() as connection:
        rows = (await connection.execute(select(tables.place_searches))).all()
    assert [{name: row._mapping[name] for name in asked} for row in rows] == [asked, asked]
    [row] = await ScheduleQuery(db, TENANT).list_schedules()
    assert row["about"] == "search bakery in Berlin (overture)"


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"kind": "search"}, "needs a search"),
        ({"kind": "search", "search_id": uuid4()}, "There is no search"),
        ({"kind": "crawl", "destination_id": uuid4()}, "has no destination"),
        ({"kind": "crawl", "view_id": uuid4()}, "There is no view"),
        ({"kind": "send"}, "needs a view"),
        ({"kind": "export"}, "needs a view"),
        ({"kind": "export", "view_id": uuid4()}, "needs a file"),
        ({"kind": "crawl", "file": "a.csv"}, "has no file"),
        ({"kind": "dance"}, "Invalid kind 'dance'"),
        ({"kind": "crawl", "name": " "}, "The name is empty"),
        ({"kind": "crawl", "every_days": 0}, "Invalid number of days"),
        ({"kind": "crawl", "weekday": "monday", "every_days": 8}, "whole number of weeks"),
    ],
)
async def test_what_cannot_run_is_refused(db: AsyncEngine, values: dict[str, Any], problem: str) -> None:
    with pytest.raises(ActionError, match=problem):
        await create_schedule(db, WHO, ScheduleRequest(**{"name": "x", "every_days": 7, **values}))


async def test_a_send_needs_a_view_of_contacts_and_becomes_an_operation(db: AsyncEngine) -> None:
    pages = await create_view(db, WHO, name="Pages", entity="page", params={})
    contacts = await create_view(db, WHO, name="Contacts", entity="contact", params={})
    destination = await add_destination(db)
    request = {"name": "To us", "kind": "send", "every_days": 7, "destination_id": destination}
    with pytest.raises(ActionError, match="needs a view of contact"):
        await create_schedule(db, WHO, ScheduleRequest(**request, view_id=pages))
    await create_schedule(db, WHO, ScheduleRequest(**request, view_id=contacts))
    with pytest.raises(Conflict, match="already"):
        await create_schedule(db, WHO, ScheduleRequest(**request, view_id=contacts))
    async with db.begin() as connection:
        await connection.execute(update(tables.schedules).values(next_run_at=func.now()))
    assert await start_due_schedules(db, print) == 1
    async with db.connect() as connection:
        operation = (await connection.execute(select(tables.operations))).one()
    assert (operation.action, operation.value) == ("deliver", str(destination))
    assert operation.id == (await stored(db)).last_run_id


async def test_a_view_that_a_schedule_uses_is_not_deleted(db: AsyncEngine) -> None:
    view_id = await create_view(db, WHO, name="Pages", entity="page", params={})
    request = ScheduleRequest(name="Weekly", kind="crawl", every_days=7, view_id=view_id)
    schedule_id = await create_schedule(db, WHO, request)
    with pytest.raises(Conflict, match="used by the schedule 'Weekly'"):
        await delete_view(db, WHO, view_id)
    await delete_schedule(db, WHO, schedule_id)
    await delete_view(db, WHO, view_id)
    with pytest.raises(NotFound):
        await delete_schedule(db, WHO, schedule_id)


async def test_after_a_pause_nothing_is_caught_up_and_failures_are_forgotten(db: AsyncEngine) -> None:
    schedule_id = await create_schedule(db, WHO, ScheduleRequest(name="All", kind="crawl", every_days=7))
    await pause_schedule(db, WHO, schedule_id)
    async with db.begin() as connection:
        passed = {"next_run_at": func.now() - timedelta(days=20), "failures": 4}
        await connection.execute(update(tables.schedules).values(passed))
    assert await start_due_schedules(db, print) == 0
    await resume_schedule(db, WHO, schedule_id)
    row = await stored(db)
    assert row.now < row.next_run_at <= row.now + timedelta(days=7)
    assert (row.is_enabled, row.failures) == (True, 0)
    assert await start_due_schedules(db, print) == 0
