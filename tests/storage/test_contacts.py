"""Contacts against the real database: one per domain and address or number, with every sighting."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import item
from product import add_domain, add_pages
from scrapersky import tables
from scrapersky.declarations import VALIDATE_EMAIL
from scrapersky.storage import ContactUpsert, SightingRow, save
from walking import finished

MAIL = "hello@lune.co.uk"
NUMBER = "+442079460018"


async def site(engine: AsyncEngine, name: str = "lune.co.uk", pages: int = 1) -> tuple[UUID, list[UUID]]:
    """A domain with pages of its own."""
    domain = await add_domain(engine, name)
    ids = await add_pages(engine, pages)
    async with engine.begin() as connection:
        table = tables.pages
        await connection.execute(update(table).where(table.c.id.in_(ids)).values(domain_id=domain))
    return domain, ids


def seen(
    domain: UUID, page: UUID, email: str | None = MAIL, phone: str | None = None, **values: Any
) -> ContactUpsert:
    value = email or phone or ""
    quote = SightingRow(
        "email" if email else "phone", value, values.pop("method", "text"), f"… {value} …", "text", 3, 0.9
    )
    known = {"source_url": "https://lune.co.uk/", "confidence": 0.9} | values
    known |= {"is_email_hidden": known.get("is_email_hidden", False)} if email else {}
    return ContactUpsert(domain, page, email, phone, known, (quote,), "1")


async def store(engine: AsyncEngine, *contacts: ContactUpsert) -> int:
    async with engine.begin() as connection:
        return await save(connection, [(item(), one) for one in contacts])


async def all_of(engine: AsyncEngine, row: Any = tables.contacts) -> list[Any]:
    async with engine.connect() as connection:
        return list(await connection.execute(select(row).order_by(row.c.id)))


@pytest.mark.req("R082")
async def test_two_pages_with_one_address_make_one_contact_with_two_sightings(db: AsyncEngine) -> None:
    domain, (first, second) = await site(db, pages=2)

    together = await store(db, seen(domain, first), seen(domain, second))
    await store(db, seen(domain, first))

    [contact] = await all_of(db)
    assert (together, contact.email, contact.contact_curation_status) == (1, MAIL, "New")
    sightings = await all_of(db, tables.sightings)
    assert {(one.contact_id, one.page_id, one.quote) for one in sightings} == {
        (contact.id, first, f"… {MAIL} …"),
        (contact.id, second, f"… {MAIL} …"),
    }


async def test_a_second_sighting_fills_gaps_and_resets_nothing(db: AsyncEngine) -> None:
    domain, (first, second) = await site(db, pages=2)
    await store(db, seen(domain, first, name=None, email_validation_status="Queued"))
    decided = {"contact_curation_status": "Rejected", "notes": "no", "tags": ["vip"], "job_title": "Owner"}
    await finished(db, VALIDATE_EMAIL, **decided)

    await store(
        db,
        seen(
            domain,
            second,
            name="Ada Lune",
            job_title="Chef",
            email_validation_status="Queued",
            confidence=0.5,
        ),
    )

    [contact] = await all_of(db)
    assert (contact.contact_curation_status, contact.email_validation_status) == ("Rejected", "Complete")
    assert (contact.name, contact.job_title, contact.notes, contact.tags) == (
        "Ada Lune",
        "Owner",
        "no",
        ["vip"],
    )
    assert abs(contact.confidence - 0.9) < 1e-6


async def test_numbers_without_an_address_are_contacts_of_their_own(db: AsyncEngine) -> None:
    domain, (first, second) = await site(db, pages=2)

    await store(db, seen(domain, first, None, NUMBER), seen(domain, first))
    await store(db, seen(domain, second, None, NUMBER))

    assert [(one.email, one.phone_number) for one in await all_of(db)].count((None, NUMBER)) == 1
    assert {(one.email, one.phone_number) for one in await all_of(db)} == {(None, NUMBER), (MAIL, None)}
    assert len([one for one in await all_of(db, tables.sightings) if one.field == "phone"]) == 2


async def test_an_address_is_hidden_only_as_long_as_no_page_shows_it(db: AsyncEngine) -> None:
    domain, (first, second) = await site(db, pages=2)

    await store(db, seen(domain, first, is_email_hidden=True))
    before = [one.is_email_hidden for one in await all_of(db)]
    await store(db, seen(domain, second, is_email_hidden=False))

    assert (before, [one.is_email_hidden for one in await all_of(db)]) == ([True], [False])


async def test_the_same_address_on_two_domains_is_two_contacts(db: AsyncEngine) -> None:
    for name in ("a.co.uk", "b.co.uk"):
        domain, [page] = await site(db, name)
        await store(db, seen(domain, page))

    assert len(await all_of(db)) == 2


async def test_what_stands_on_five_unrelated_domains_is_tagged_as_boilerplate(db: AsyncEngine) -> None:
    agency, line = "studio@agency.co.uk", "+442079460099"
    tags: list[set[tuple[str, ...]]] = []
    for number in range(5):
        domain, [page] = await site(db, f"site-{number}.co.uk")
        own = seen(domain, page, f"hello@site-{number}.co.uk", email_relation="own")
        await store(
            db, seen(domain, page, agency, email_relation="other"), seen(domain, page, None, line), own
        )
        tags.append(
            {tuple(one.tags) for one in await all_of(db) if one.email == agency or one.phone_number == line}
        )

    assert tags == [{()}] * 4 + [{("boilerplate",)}]
    assert all(one.tags == [] for one in await all_of(db) if one.email_relation == "own")


async def test_boilerplate_is_tagged_once_however_often_it_is_seen(db: AsyncEngine) -> None:
    for number in range(7):
        domain, [page] = await site(db, f"site-{number}.co.uk")
        await store(db, seen(domain, page, "studio@agency.co.uk", email_relation="other"))

    assert {tuple(one.tags) for one in await all_of(db)} == {("boilerplate",)}


async def test_an_address_beside_a_number_of_an_agency_is_not_boilerplate(db: AsyncEngine) -> None:
    line = "+442079460099"
    for number in range(6):
        domain, [page] = await site(db, f"site-{number}.co.uk")
        mine = seen(domain, page, f"firm{number}@gmail.com", line, email_relation="free")
        await store(db, mine, seen(domain, page, None, line))

    rows = await all_of(db)
    assert {tuple(one.tags) for one in rows if one.email} == {()}
    assert {tuple(one.tags) for one in rows if not one.email} == {("boilerplate",)}


async def test_an_own_address_is_never_boilerplate(db: AsyncEngine) -> None:
    for number in range(6):
        domain, [page] = await site(db, f"branch-{number}.co.uk")
        await store(db, seen(domain, page, "office@chain.co.uk", email_relation="own"))

    assert {tuple(one.tags) for one in await all_of(db)} == {()}


async def test_pages_read_at_the_same_time_make_no_second_contact(db: AsyncEngine) -> None:
    domain, pages = await site(db, pages=12)

    await asyncio.gather(
        *(
            store(
                db, seen(domain, page), seen(domain, page, None, NUMBER), seen(domain, page, "b@lune.co.uk")
            )
            for page in pages
        )
    )

    assert len(await all_of(db)) == 3
    assert len(await all_of(db, tables.sightings)) == 36


async def test_a_long_quote_and_a_long_method_are_cut_to_what_fits(db: AsyncEngine) -> None:
    domain, [page] = await site(db)
    long = SightingRow("email", MAIL, "m" * 80, "q" * 900, "text", -1, 0.5)

    await store(db, ContactUpsert(domain, page, MAIL, None, {"source_url": "u"}, (long,), "1"))

    [one] = await all_of(db, tables.sightings)
    assert (len(one.quote), len(one.method)) == (300, 50)
