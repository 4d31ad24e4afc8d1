"""ETag, If-None-Match and If-Match of a single resource."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT
from scrapersky import tables
from scrapersky.actions.versions import check_version
from scrapersky.api.caller import Operator, Viewer
from scrapersky.api.etags import ETag, IfMatch

MakeWeb = Callable[..., FastAPI]


def add_routes(web: FastAPI) -> None:
    @web.get("/api/v3/things/{row_id}/")
    async def read(row_id: UUID, caller: Viewer, etag: ETag) -> dict[str, Any]:
        async with caller.engine.connect() as connection:
            row = (
                await connection.execute(select(tables.domains).where(tables.domains.c.id == row_id))
            ).one()
        etag(row.updated_at)
        return {"title": row.title}

    @web.patch("/api/v3/things/{row_id}/")
    async def change(row_id: UUID, title: str, caller: Operator, if_match: IfMatch) -> dict[str, Any]:
        async with caller.engine.begin() as connection:
            query = select(tables.domains.c.updated_at).where(tables.domains.c.id == row_id).with_for_update()
            check_version(if_match, await connection.scalar(query))
            await connection.execute(
                update(tables.domains).where(tables.domains.c.id == row_id).values(title=title)
            )
        return {}


@pytest.fixture
async def thing(make_web: MakeWeb, db: AsyncEngine) -> httpx.AsyncClient:
    """A client whose base is the address of one domain."""
    web = make_web()
    add_routes(web)
    async with db.begin() as connection:
        statement = tables.domains.insert().values(tenant_id=TENANT, domain="example.com")
        row_id = await connection.scalar(statement.returning(tables.domains.c.id))
    base = f"http://localhost:8000/api/v3/things/{row_id}"
    return httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url=base)


async def current_tag(thing: httpx.AsyncClient) -> str:
    return (await thing.get("")).headers["ETag"]


async def test_what_the_client_has_is_not_sent_again(thing: httpx.AsyncClient) -> None:
    known = await current_tag(thing)
    for sent in (known, f'"other", {known}', f"W/{known}", "*"):
        answer = await thing.get("", headers={"If-None-Match": sent})
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", known), sent
    await thing.patch("", params={"title": "new"})
    changed = await thing.get("", headers={"If-None-Match": known})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != known


async def test_a_change_needs_the_version_that_it_names(thing: httpx.AsyncClient) -> None:
    known = await current_tag(thing)
    for sent in ('"other"', f"W/{known}", "garbage", f'W/"a",{known[:-1]}'):
        refused = await thing.patch("", params={"title": "no"}, headers={"If-Match": sent})
        assert (refused.status_code, refused.json()["type"]) == (412, "/docs/problems#precondition-failed"), (
            sent
        )
    assert (await thing.get("")).json() == {"title": None}
    for sent in (f'"other",{known}', "*"):
        assert (await thing.patch("", params={"title": "yes"}, headers={"If-Match": sent})).status_code == 200
    assert (await thing.patch("", params={"title": "free"})).status_code == 200


async def test_of_changes_at_the_same_moment_one_succeeds(thing: httpx.AsyncClient) -> None:
    """The version is checked in the transaction of the change."""
    known = await current_tag(thing)
    answers = await asyncio.gather(
        *(thing.patch("", params={"title": str(number)}, headers={"If-Match": known}) for number in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 7]


@pytest.mark.req("R247")
async def test_what_is_shown_beside_a_row_makes_another_version(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_contact(db, "lune.co.uk", email="ada@lune.co.uk")
    async with db.connect() as connection:
        page = (await connection.execute(select(tables.pages.c.id).limit(1))).scalar_one()
        contact = (await connection.execute(select(tables.contacts.c.id))).scalar_one()
    path = f"/api/v3/pages/{page}"
    tag = (await api.get(path)).headers["ETag"]
    assert (await api.get(path, headers={"If-None-Match": tag})).status_code == 304
    await api.patch(f"/api/v3/contacts/{contact}", json={"name": "Ada Lovelace"})
    shown = await api.get(path, headers={"If-None-Match": tag})
    assert (shown.status_code, shown.json()["contacts"][0]["name"]) == (200, "Ada Lovelace")
    # The page itself is the one that was read.
    assert (await api.delete(path, headers={"If-Match": tag})).status_code == 204
