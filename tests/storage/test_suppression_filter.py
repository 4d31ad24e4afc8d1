"""What stages store holds no suppressed person, however it comes: page, list or body."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import item
from product import TENANT, WHO, add_domain, add_pages
from scrapersky import tables
from scrapersky.actions.privacy.suppressions import add_suppressions
from scrapersky.queries.contacts import ContactQuery
from scrapersky.stage_context.page_body_store import compress_body
from scrapersky.storage import ContactUpsert, ListedContact, SightingRow, Upsert, save

ANNA = "anna@lune.co.uk"


async def site(engine: AsyncEngine) -> tuple[UUID, list[UUID]]:
    """A domain with one page."""
    domain = await add_domain(engine, "lune.co.uk")
    ids = await add_pages(engine, 1)
    async with engine.begin() as connection:
        await connection.execute(
            update(tables.pages).where(tables.pages.c.id.in_(ids)).values(domain_id=domain)
        )
    return domain, ids


def seen(domain: UUID, page: UUID, email: str) -> ContactUpsert:
    quote = SightingRow("email", email, "text", f"… {email} …", "text", 3, 0.9)
    values = {"source_url": "https://lune.co.uk/", "confidence": 0.9, "is_email_hidden": False}
    return ContactUpsert(domain, page, email, None, values, (quote,), "1")


async def all_of(engine: AsyncEngine, row: Any = tables.contacts) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(select(row).order_by(row.c.id)))


async def suppress(engine: AsyncEngine, *entries: str) -> None:
    async with engine.begin() as connection:
        await add_suppressions(connection, WHO, entries, "objected")


async def store(engine: AsyncEngine, *rows: Any) -> None:
    async with engine.begin() as connection:
        await save(connection, [(item(), row) for row in rows])


def body(page: Any, html: str) -> Upsert:
    values = {"page_id": page, "body": compress_body(html.encode()), "content_hash": bytes(32)}
    values |= {"final_url": "https://lune.co.uk/", "status_code": 200, "size_bytes": len(html)}
    return Upsert(tables.page_bodies, values)


@pytest.mark.parametrize("form", ["anna@lune.co.uk", "Anna+1@Lune.co.uk", "anna @lune.co.uk"])
async def test_a_crawl_brings_nobody_back_and_counts_the_attempt(db: AsyncEngine, form: str) -> None:
    domain, [page] = await site(db)
    await suppress(db, ANNA)
    quote = SightingRow("email", "bob@lune.co.uk", "text", f"Bob or {ANNA}", "text", 0, 0.9)
    bob = ContactUpsert(domain, page, "bob@lune.co.uk", None, {"source_url": "x"}, (quote,), "1")

    await store(db, seen(domain, page, form), bob, body(page, f"<p>{form}</p>"))

    assert [row.email for row in await all_of(db)] == ["bob@lune.co.uk"]
    assert await all_of(db, tables.sightings) == []
    async with db.connect() as connection:
        assert (await connection.execute(select(tables.page_bodies.c.page_id))).all() == []
        [suppression] = (await connection.execute(select(tables.suppressions))).all()
    assert suppression.attempts == 1
    assert suppression.last_attempt_at


@pytest.mark.parametrize("html", ["anna&#64;lune.co.uk", "mailto:anna%40lune.co.uk", "ANNA@LUNE.CO.UK"])
async def test_a_page_that_shows_the_address_is_not_stored_in_any_writing(db: AsyncEngine, html: str) -> None:
    _, [page] = await site(db)
    async with db.begin() as connection:
        values = {"scraped_content": {"emails": [ANNA]}, "title": f"Write to {ANNA}"}
        await connection.execute(update(tables.pages).where(tables.pages.c.id == page).values(values))
    await suppress(db, ANNA)

    await store(db, body(page, html))

    async with db.connect() as connection:
        row = (await connection.execute(select(tables.pages).where(tables.pages.c.id == page))).one()
        assert (await connection.execute(select(tables.page_bodies.c.page_id))).all() == []
    assert ANNA not in str(row)
    assert "withheld" in row.scraped_content


async def test_a_listed_place_keeps_everything_but_the_person(db: AsyncEngine) -> None:
    await suppress(db, ANNA, "+49 30 901820")
    place = {
        "source": "csv",
        "place_id": "1",
        "name": "Lune",
        "phone": "030 901820",
        "website_url": "https://lune.co.uk",
    }
    raw = {"email": "Anna@lune.co.uk", "note": f"ask {ANNA} first", "phone": "+49 (0)30 901820"}
    business = {
        "source": "csv",
        "place_id": "1",
        "business_name": "Lune",
        "country": "DE",
        "phone": "030 901820",
    }

    await store(
        db,
        Upsert(tables.places_staging, {**place, "raw_data": raw}),
        Upsert(tables.local_businesses, {**business, "listed_contact": {"email": ANNA, "person": "Anna"}}),
    )

    [stored] = await all_of(db, tables.places_staging)
    assert stored.raw_data == {"email": None, "note": "ask [suppressed] first", "phone": None}
    assert stored.website_url == "https://lune.co.uk"
    [listed] = await all_of(db, tables.local_businesses)
    assert (listed.phone, listed.listed_contact["email"], listed.business_name) == (None, None, "Lune")


async def test_a_listed_contact_is_not_stored(db: AsyncEngine) -> None:
    await site(db)
    await suppress(db, "lune.co.uk")
    await store(db, ListedContact("lune.co.uk", "x@gmx.de", None, {"source_url": "file:x"}, "1"))
    assert await all_of(db) == []


async def test_without_a_suppression_everything_is_stored(db: AsyncEngine) -> None:
    domain, [page] = await site(db)
    await store(db, seen(domain, page, ANNA), body(page, ANNA))
    assert [row.email for row in await all_of(db)] == [ANNA]


async def test_a_contact_that_came_past_every_check_still_does_not_leave(db: AsyncEngine) -> None:
    domain, [_page] = await site(db)
    await suppress(db, ANNA)
    async with db.begin() as connection:
        for email in (ANNA, "bob@lune.co.uk"):
            values = {"tenant_id": TENANT, "domain_id": domain, "email": email, "source_url": "x"}
            await connection.execute(tables.contacts.insert().values(values))
    assert [row["email"] async for row in ContactQuery(db).stream(TENANT)] == ["bob@lune.co.uk"]
