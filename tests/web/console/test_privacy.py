"""Suppressions and the rights of a person in the console."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add_contact
from product import add_domain
from scrapersky import tables

PRIVACY = "/settings/privacy"
ANNA = "anna@firma.de"


async def count(db: AsyncEngine, table: Any) -> int:
    async with db.connect() as connection:
        return len((await connection.execute(select(table))).all())


async def test_an_operator_suppresses_and_withdraws(open_console: Any, db: AsyncEngine) -> None:
    await add_contact(db, await add_domain(db, "firma.de"), email=ANNA)
    async with open_console("operator") as client:
        assert "Nobody is suppressed" in (await client.get(PRIVACY)).text
        form = {"entries": ANNA, "reason": "objected"}
        assert (await client.post(f"{PRIVACY}/suppressions", data=form)).status_code == 303
        assert await count(db, tables.contacts) == 0
        page = (await client.get(PRIVACY)).text
        assert "objected" in page
        assert ANNA not in page
        async with db.connect() as connection:
            made = await connection.scalar(select(tables.suppressions.c.id))
        assert (await client.post(f"{PRIVACY}/suppressions/{made}/delete")).status_code == 303
    assert await count(db, tables.suppressions) == 0


async def test_a_list_is_uploaded_and_refused_lines_are_named(open_console: Any, db: AsyncEngine) -> None:
    async with open_console("operator") as client:
        file = {"file": ("list.csv", b"email\nanna@firma.de\nnobody\n", "text/csv")}
        answer = await client.post(f"{PRIVACY}/suppressions", data={"reason": "old list"}, files=file)
        assert "Line 3" in answer.text
        wrong = await client.post(f"{PRIVACY}/suppressions", data={"reason": "x", "entries": " "})
        assert wrong.status_code == 422
    assert await count(db, tables.suppressions) == 1


async def test_an_administrator_sees_what_is_known_and_erases(open_console: Any, db: AsyncEngine) -> None:
    await add_contact(db, await add_domain(db, "firma.de"), email=ANNA, name="<b>Anna</b>")
    async with open_console("admin") as client:
        page = (await client.post(f"{PRIVACY}/person", data={"person": ANNA})).text
        assert "&lt;b&gt;Anna&lt;/b&gt;" in page
        assert "Erase everywhere" in page
        assert (await client.post(f"{PRIVACY}/person", data={"person": "firma.de"})).status_code == 422
        answer = await client.post(f"{PRIVACY}/erase", data={"person": ANNA, "reason": "asked"})
        assert answer.headers["location"].startswith("/jobs/")
    async with db.connect() as connection:
        job = (await connection.execute(select(tables.jobs))).one()
    assert job.job_type == "erase_person"
    assert "anna" not in str(job.result_data)
