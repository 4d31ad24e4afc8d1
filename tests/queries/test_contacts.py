"""Contacts as people read and export them."""

from __future__ import annotations

import uuid

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, change
from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.queries import ProgressQuery
from scrapersky.queries import contacts as module
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.explanations import ExplanationQuery


async def listed(db: AsyncEngine, **given: object) -> list[str]:
    return [one["email"] async for one in ContactQuery(db).stream(TENANT, **given)]  # type: ignore[arg-type]


async def test_contacts_come_with_page_words_and_verdict(db: AsyncEngine) -> None:
    await add_contact(db, "shop.com", email="info@shop.com", email_validation_result="valid")
    [one] = [one async for one in ContactQuery(db).stream(TENANT)]
    assert one["source_url"] == "https://shop.com/contact"
    assert (one["evidence"], one["email_validation_result"]) == ("mail info@shop.com", "valid")


async def test_more_domains_than_a_statement_has_parameters_may_be_asked_for(db: AsyncEngine) -> None:
    """`find` takes 100,000 lines; a statement has 32,767 parameters."""
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    async with db.connect() as connection:
        domain = await connection.scalar(
            select(tables.contacts.c.domain_id).where(tables.contacts.c.id == contact)
        )
    ids = [domain, *(uuid.uuid4() for _ in range(40_000))]
    assert await listed(db, domain_ids=ids) == ["info@shop.com"]
    assert await ExplanationQuery(db).without_contacts(ids) == []
    counts = await ProgressQuery(db).of_domains(ids)
    assert counts["read_metadata"].open <= 1


async def test_a_long_list_comes_whole_in_parts(db: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 3)
    for number in range(9):
        await add_contact(db, f"d{number % 2}.com", email=f"n{number}@x.com")
    found = await listed(db)
    assert sorted(found) == [f"n{number}@x.com" for number in range(9)]


@pytest.mark.parametrize("word", statuses.EXCLUDED)
async def test_what_was_rejected_is_left_out(db: AsyncEngine, word: str) -> None:
    await add_contact(db, "a.com", email="good@a.com")
    await add_contact(db, "a.com", email="bad@a.com", contact_curation_status=word)
    await add_contact(db, "b.com", email="below@b.com")
    await change(db, tables.domains, tables.domains.c.domain == "b.com", sitemap_curation_status=word)
    assert await listed(db) == ["good@a.com"]
