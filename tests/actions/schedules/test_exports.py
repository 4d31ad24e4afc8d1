"""A weekly export: one file, written once however many workers there are, without whoever is suppressed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from contacts_lab import add_contact
from demo_lab import Lab, lab, well
from product import until
from scrapersky import tables
from scrapersky.actions.presets.saved_views import create_view
from scrapersky.actions.privacy.suppressions import suppress
from scrapersky.actions.schedules.exports import check_export_file
from scrapersky.actions.schedules.runs import start_due_schedules
from scrapersky.actions.schedules.schedules import ScheduleRequest, create_schedule
from scrapersky.errors import InvalidInput
from scrapersky.queries.decisions.schedules import ScheduleQuery


async def add_weekly_export(found: Lab, file: str) -> None:
    view = await create_view(
        found.engine, found.who, name="Berlin", entity="contact", params={"tag": ["berlin"]}
    )
    request = ScheduleRequest(name="Weekly", kind="export", every_days=7, view_id=view, file=file)
    await create_schedule(found.engine, found.who, request)


async def is_due(found: Lab) -> None:
    async with found.engine.begin() as connection:
        await connection.execute(update(tables.schedules).values(next_run_at=func.now()))


async def work_off(found: Lab, jobs: int) -> None:
    async def is_complete() -> bool:
        return await found.statuses("jobs", "status") == {"complete": jobs}

    async with found.working("run_job"), found.working("run_job"):
        await until(is_complete)


async def test_two_workers_write_a_weekly_export_once(database_url: str, tmp_path: Path) -> None:
    async with lab(database_url, well(1, 1), tmp_path) as found:
        for name, tags in (("ada", ["berlin"]), ("bob", ["berlin"]), ("cem", ["rome"])):
            await add_contact(found.engine, "firma.de", email=f"{name}@firma.de", tags=tags)
        await add_weekly_export(found, "weekly.csv")
        await is_due(found)

        starts = await asyncio.gather(*(start_due_schedules(found.engine, print) for _ in range(4)))
        assert sum(starts) == 1
        await work_off(found, 1)
        file = tmp_path / "exports" / "weekly.csv"
        header, *lines = file.read_text().splitlines()
        assert "attribution" in header
        assert ("ada@firma.de" in file.read_text(), "cem@firma.de" in file.read_text()) == (True, False)
        assert len(lines) == 2

        # The next run replaces the file; who has objected since is not in it.
        await suppress(found.engine, found.who, ["ada@firma.de"], "objected")
        await is_due(found)
        assert await start_due_schedules(found.engine, print) == 1
        await work_off(found, 2)
        assert [line for line in file.read_text().splitlines()[1:] if "ada" in line] == []
        assert len(file.read_text().splitlines()) == 2
        assert [path.name for path in file.parent.iterdir()] == ["weekly.csv"]

        await start_due_schedules(found.engine, print)
        [row] = await ScheduleQuery(found.engine, found.who.tenant_id).list_schedules()
        assert (row["last_outcome"], row["about"]) == ("ended", "write the view Berlin to weekly.csv")
        async with found.engine.connect() as connection:
            made = select(tables.jobs.c.result_data["rows"].as_integer()).order_by(tables.jobs.c.id)
            assert list(await connection.scalars(made)) == [2, 1]


@pytest.mark.parametrize(
    "name", ["", "../weekly.csv", "a/weekly.csv", ".weekly.csv", "weekly", "weekly.exe", "weekly.csv "]
)
def test_a_file_of_an_export_has_a_plain_name_and_a_known_ending(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_export_file(name)
    check_export_file("weekly 2.parquet")
