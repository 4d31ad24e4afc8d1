"""Schedules in the console."""

from __future__ import annotations

from typing import Any

import httpx
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import WHO
from scrapersky import tables
from scrapersky.actions.presets.saved_views import create_view

FORM = {
    "name": "Fresh <b>contacts</b>", "kind": "crawl", "every_days": "7", "weekday": "monday",
    "time_of_day": "05:30", "time_zone": "Europe/Berlin", "view": "", "search": "", "destination": "",
}  # fmt: skip


async def stored(db: AsyncEngine) -> list[Any]:
    async with db.connect() as connection:
        return list((await connection.execute(select(tables.schedules))).all())


async def test_a_schedule_is_added_paused_resumed_run_and_deleted(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert (await console.post("/schedules", data=FORM)).status_code == 303
    page = (await console.get("/schedules")).text
    assert "Fresh &lt;b&gt;contacts" in page
    assert "every Monday at 05:30 (Europe/Berlin)" in page
    assert "read every page again" in page
    [row] = await stored(db)
    for action, is_enabled in (("pause", False), ("resume", True), ("run", True)):
        assert (await console.post(f"/schedules/{row.id}/{action}")).status_code == 303
        assert (await stored(db))[0].is_enabled is is_enabled
    assert "started" in (await console.get("/schedules")).text
    assert (await console.post(f"/schedules/{row.id}/delete")).status_code == 303
    assert await stored(db) == []


async def test_an_export_is_added(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    view = await create_view(db, WHO, name="Firms", entity="business", params={}, is_shared=True)
    form = FORM | {"kind": "export", "view": str(view), "file": "firms.xlsx"}
    assert (await console.post("/schedules", data=form)).status_code == 303
    assert "write the view Firms to firms.xlsx" in (await console.get("/schedules")).text


async def test_what_is_refused_is_said_and_the_form_keeps_what_was_typed(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    for wrong in ({"every_days": "8"}, {"time_of_day": "25:00"}, {"kind": "search"}, {"view": "x"}):
        answer = await console.post("/schedules", data=FORM | wrong)
        assert answer.status_code == 422, wrong
        assert 'value="Fresh &lt;b&gt;contacts' in answer.text
    assert await stored(db) == []
