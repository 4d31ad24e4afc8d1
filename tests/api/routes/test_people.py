"""The rights of a person by HTTP, and the job that erases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add_contact
from product import WHO, add_domain
from scrapersky import tables
from scrapersky.actions.privacy.erasure_jobs import submit_erasure
from scrapersky.actions.privacy.person_files import PersonFiles
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.secret_key import SecretKey
from scrapersky.stage_context.eraser import Eraser, seal_person

ANNA = "anna@firma.de"
OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


async def test_everything_known_about_a_person_is_exported(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_contact(db, await add_domain(db, "firma.de"), email=ANNA, name="Anna")
    answer = (await api.post("/api/v3/subject-exports", json={"entries": [ANNA.upper()]})).json()
    assert answer["places"]["contacts"][0]["name"] == "Anna"
    assert (await api.post("/api/v3/subject-exports", json={"entries": ["firma.de"]})).status_code == 422


async def test_an_erasure_is_a_job_that_does_not_name_the_person(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    answer = await api.post("/api/v3/erasures", json={"entries": [ANNA], "reason": "asked"})
    assert answer.status_code == 202
    job = await api.get(answer.headers["location"])
    assert job.status_code == 200
    assert "anna" not in job.text


@pytest.mark.req("R247")
async def test_the_job_erases_and_reports_what_it_found(db: AsyncEngine, tmp_path: Path) -> None:
    await add_contact(db, await add_domain(db, "firma.de"), email=ANNA)
    key = SecretKey("another key that is long enough for a test 123")
    job = await submit_erasure(
        db, WHO, [ANNA], "asked", seal=lambda identifiers: seal_person(key, identifiers)
    )
    seen: list[str] = []

    async def progress(percent: float, message: str) -> None:
        seen.append(message)

    eraser = Eraser(db, key, lambda tenant: PersonFiles(tmp_path, tmp_path / "s", tmp_path / "w"))
    report = await eraser.erase_sealed(WHO, job["result_data"]["sealed"], "asked", progress)

    assert report["contacts"] == 1
    assert "searching contacts" in seen
    async with db.connect() as connection:
        assert (await connection.execute(select(tables.contacts.c.id))).all() == []
    assert Identifier("email", ANNA).value not in str(report)


async def test_a_notice_needs_a_controller_and_names_the_source(open_api: OpenApi, db: AsyncEngine) -> None:
    contact = await add_contact(db, await add_domain(db, "firma.de"), email=ANNA)
    async with open_api() as client:
        assert not (await client.get(f"/api/v3/contacts/{contact}/notice")).json()["is_complete"]
    async with open_api(privacy_controller="Sky Ltd", privacy_contact="privacy@sky.example") as client:
        answer = (await client.get(f"/api/v3/contacts/{contact}/notice")).json()
    assert answer["is_complete"]
    assert "Sky Ltd" in answer["text"]
    assert answer["source_url"] == "https://shop.example/"
