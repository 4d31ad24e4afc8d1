"""The lead score of a contact: the sum of named parts with their reasons, and weights that admins edit."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_tenant
from product import TENANT, USER, WHO
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.lead_score import reset_score_part, score_leads, set_score_part
from scrapersky.declarations.lead_score import SCORE_PARTS
from scrapersky.destinations.contact_format import ExportOptions, header_line, row_line
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.maintenance import Maintenance, MaintenanceOptions
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.lead_score import LeadScoreQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.sorts import parse_sort

CONTACTS = tables.contacts
BEST = {
    "email": "anna@praxis.example",
    "email_relation": "own",
    "email_validation_result": "valid",
    "phone_number": "+4930123456",
    "name": "Anna Weber",
}


async def add_leads(db: AsyncEngine) -> tuple[uuid.UUID, uuid.UUID]:
    """A dentist in Berlin with WordPress who can be reached, and a number that was seen a year ago."""
    best = await add_contact(db, "praxis.example", **BEST)
    weak = await add_contact(
        db, "old.example", phone_number="+4930999", last_seen_at=datetime.now(UTC) - timedelta(days=400)
    )
    async with db.begin() as connection:
        business = uuid.uuid4()
        values = {"id": business, "tenant_id": TENANT, "place_id": "p1", "business_name": "Praxis Weber"}
        values |= {"main_category": "Dentist", "city": "Berlin", "country": "DE"}
        await connection.execute(insert(tables.local_businesses).values(values))
        domains = tables.domains
        mine = domains.c.domain == "praxis.example"
        facts = {"local_business_id": business, "tech_stack": {"WordPress": {"version": "6"}}}
        await connection.execute(update(domains).where(mine).values(facts))
    return best, weak


async def lead(db: AsyncEngine, contact: uuid.UUID) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(CONTACTS).where(CONTACTS.c.id == contact))).one()


async def test_a_score_is_the_sum_of_its_parts_and_says_why(db: AsyncEngine) -> None:
    best, weak = await add_leads(db)
    before = await lead(db, best)
    await score_leads(db)

    row = await lead(db, best)
    parts = row.lead_score_parts
    # Of 70: 25 for reachability, 20 for the verdict, 7.5 of 10 for two pages, 15 for freshness.
    assert row.lead_score == round(100 * 67.5 / 70) == 96
    assert parts["evidence"] == {"points": 10.7, "max": 14.3, "why": "2 pages"}
    assert parts["email_verdict"]["why"] == "valid"
    assert parts["reachability"]["why"] == "e-mail at the own domain, phone, named person"
    assert sum(part["points"] for part in parts.values()) == pytest.approx(row.lead_score, abs=0.5)
    assert row.updated_at == before.updated_at, "a score is no change of the contact"
    assert (await lead(db, weak)).lead_score == round(100 * (25 * 0.25 + 7.5) / 70)
    assert (await lead(db, weak)).lead_score_parts["freshness"]["why"] == "not seen for a year"

    # What the tenant looks for counts once it has said so, by whole words and codes.
    await set_score_part(db, WHO, "category", words=["dentist", "bakery"])
    await set_score_part(db, WHO, "area", words=["DE"])
    await set_score_part(db, WHO, "technology", words=["wordpress"])
    await score_leads(db)
    parts = (await lead(db, best)).lead_score_parts
    reasons = [parts[name]["why"] for name in ("category", "area", "technology")]
    assert reasons == ["dentist", "DE", "wordpress"]
    assert (await lead(db, weak)).lead_score_parts["category"]["points"] == 0
    await set_score_part(db, WHO, "category", words=["dent", "entist"])
    await score_leads(db)
    assert (await lead(db, best)).lead_score_parts["category"]["points"] == 0, "a part of a word is no match"


async def test_changing_a_weight_changes_the_scores_of_that_tenant_only(db: AsyncEngine) -> None:
    _, weak = await add_leads(db)
    await score_leads(db)
    before = (await lead(db, weak)).lead_score

    other = await add_tenant(db)
    await set_score_part(db, Actor(other, USER), "evidence", weight=100)
    await score_leads(db)
    assert (await lead(db, weak)).lead_score == before
    await set_score_part(db, WHO, "evidence", weight=100)
    assert not await LeadScoreQuery(db, TENANT).is_current()
    await score_leads(db)
    assert await LeadScoreQuery(db, TENANT).is_current()
    changed = (await lead(db, weak)).lead_score
    assert changed == round(100 * (25 * 0.25 + 75) / 160) > before

    await reset_score_part(db, WHO, "evidence")
    await score_leads(db)
    assert (await lead(db, weak)).lead_score == before
    async with db.connect() as connection:
        actions = (await connection.scalars(select(tables.audit_log.c.action))).all()
    assert actions.count("lead_score.set") == 2
    assert actions.count("lead_score.reset") == 1


async def test_a_changed_contact_is_scored_again_and_others_are_left_alone(db: AsyncEngine) -> None:
    best, weak = await add_leads(db)
    task = Maintenance(db, MaintenanceOptions(), lambda lines: None)
    await task.score_leads()
    async with db.begin() as connection:
        mine = CONTACTS.c.id == best
        await connection.execute(update(CONTACTS).where(mine).values(email_validation_result="invalid"))
    assert (await lead(db, best)).is_score_due
    assert not (await lead(db, weak)).is_score_due
    assert await score_leads(db) == 1
    assert (await lead(db, best)).lead_score_parts["email_verdict"] == {
        "points": 0,
        "max": 28.6,
        "why": "invalid",
    }


async def test_lists_are_sorted_by_score_and_exports_have_it(db: AsyncEngine) -> None:
    best, weak = await add_leads(db)
    fresh = await add_contact(db, "new.example", email="info@new.example")
    options = ExportOptions()
    await score_leads(db)
    entity = ENTITIES["contact"]
    query = ListQuery(db, TENANT)
    rows = (await query.page(entity, Filters(), sort=parse_sort(entity, "-lead_score"))).rows
    assert [row["id"] for row in rows] == [best, fresh, weak]
    first = await query.page(entity, Filters(), sort=parse_sort(entity, "lead_score"), limit=2)
    rest = await query.page(entity, Filters(), sort=parse_sort(entity, "lead_score"), after=first.next_keys)
    assert [row["id"] for row in (*first.rows, *rest.rows)] == [weak, fresh, best]

    lines = [row_line(contact, options) async for contact in ContactQuery(db).stream(TENANT)]
    exported = {row["id"]: row for row in csv.DictReader([header_line(options), *lines])}
    assert exported[str(best)]["lead_score"] == "96"
    assert exported[str(best)]["lead_score_why"].startswith(
        "reachability 35.7 of 35.7: e-mail at the own domain, phone, named person; email verdict 28.6 of 28.6"
    )


@pytest.mark.parametrize(
    ("part", "changes", "error"),
    [
        ("charm", {"weight": 1}, NotFound),
        ("evidence", {"weight": 101}, InvalidInput),
        ("evidence", {"weight": -1}, InvalidInput),
        ("evidence", {"words": ["x"]}, InvalidInput),
        ("category", {"words": ["…"]}, InvalidInput),
        ("category", {"words": ["x" * 101]}, InvalidInput),
    ],
)
async def test_bad_weights_and_words_are_refused(
    db: AsyncEngine, part: str, changes: dict[str, Any], error: Callable[..., Exception]
) -> None:
    with pytest.raises(error):  # type: ignore[call-overload]
        await set_score_part(db, WHO, part, **changes)
    assert all(row.is_default for row in await LeadScoreQuery(db, TENANT).parts())


def test_the_default_weights_sum_up_to_110_with_words_and_70_without() -> None:
    """The figures of the tests above depend on it."""
    assert sum(part.weight for part in SCORE_PARTS.values()) == 110
    assert sum(part.weight for part in SCORE_PARTS.values() if not part.has_words) == 70
