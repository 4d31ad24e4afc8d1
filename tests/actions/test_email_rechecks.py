"""Old verdicts on addresses are checked again before contacts leave."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, ago
from scrapersky import tables
from scrapersky.actions.contacts.rechecks import AddressNotChecked, EmailRechecks, checked_chunks
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.queries.exports import list_export
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.stage_context.delivery_payloads import DeliveryPayloads
from scrapersky.stage_context.email_checker import EmailVerdict

GONE = EmailVerdict("invalid", 0, "the domain shop.com does not exist")
TAKES_MAIL = EmailVerdict("valid", 80, "shop.com takes mail")
NO_DNS = EmailVerdict("unknown", 50, "DNS is not reachable", is_conclusive=False)


class Checker:
    """Says the same about every address, and keeps which were asked about."""

    def __init__(self, verdict: EmailVerdict) -> None:
        self.verdict = verdict
        self.asked: list[str] = []

    async def check(self, email: str) -> EmailVerdict:
        self.asked.append(email)
        return self.verdict


def rechecks(checker: Checker) -> EmailRechecks:
    return EmailRechecks(checker, timedelta(days=90))


async def add(
    db: AsyncEngine, email: str, *, days: int, result: str = "valid", method: str = "dns"
) -> uuid.UUID:
    made: uuid.UUID = await add_contact(
        db, "shop.com", email=email, email_validation_result=result, email_validation_score=80,
        email_validation_method=method, email_validated_at=ago(days=days),
    )  # fmt: skip
    return made


async def exported(db: AsyncEngine, checker: Checker) -> dict[str, Any]:
    listed = list_export(db, ENTITIES["contact"], TENANT, Filters())
    chunks = checked_chunks(db, listed, rechecks(checker))
    return {row["email"]: row for chunk in [chunk async for chunk in chunks] for row in chunk}


async def stored(db: AsyncEngine, contact: uuid.UUID) -> Any:
    async with db.connect() as connection:
        query = select(tables.contacts).where(tables.contacts.c.id == contact)
        return (await connection.execute(query)).one()


async def delivered(db: AsyncEngine, contact: uuid.UUID, checker: Checker) -> dict[str, Any]:
    destination = uuid.uuid4()
    values = {"id": destination, "tenant_id": TENANT, "name": str(destination), "kind": "csv"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.destinations).values(values))
    payloads = DeliveryPayloads(Database(db), rechecks=rechecks(checker))
    payload = await payloads.load(TENANT, uuid.uuid4(), contact, destination)
    return dict(payload.contact)


async def test_an_export_checks_old_verdicts_again_and_stores_the_new_ones(db: AsyncEngine) -> None:
    old, young = await add(db, "old@shop.com", days=91), await add(db, "young@shop.com", days=89)
    checker = Checker(GONE)
    rows = await exported(db, checker)
    assert checker.asked == ["old@shop.com"]
    assert (
        rows["old@shop.com"]["email_validation_result"],
        rows["young@shop.com"]["email_validation_result"],
    ) == (
        "invalid",
        "valid",
    )
    row = await stored(db, old)
    assert (row.email_validation_result, row.email_validation_reason) == ("invalid", GONE.reason)
    assert row.email_validated_at > ago(minutes=5)
    assert (await stored(db, young)).email_validation_result == "valid"
    await exported(db, checker)
    assert checker.asked == ["old@shop.com"]


async def test_without_dns_an_export_keeps_the_verdict_and_its_age(db: AsyncEngine) -> None:
    contact = await add(db, "old@shop.com", days=180)
    rows = await exported(db, Checker(NO_DNS))
    assert rows["old@shop.com"]["email_validation_result"] == "valid"
    assert rows["old@shop.com"]["email_validation_score"] == 40
    assert (await stored(db, contact)).email_validated_at < ago(days=179)


@pytest.mark.parametrize(("verdict", "result"), [(TAKES_MAIL, "catch-all"), (GONE, "invalid")])
async def test_dns_replaces_what_a_mailbox_answered_only_if_the_address_cannot_work(
    db: AsyncEngine, verdict: EmailVerdict, result: str
) -> None:
    await add(db, "old@shop.com", days=400, result="catch-all", method="debounce")
    rows = await exported(db, Checker(verdict))
    assert rows["old@shop.com"]["email_validation_result"] == result


async def test_an_address_that_is_no_longer_valid_is_not_delivered(db: AsyncEngine) -> None:
    contact = await add(db, "old@shop.com", days=91)
    with pytest.raises(Discard, match=r"no longer valid: the domain shop\.com does not exist"):
        await delivered(db, contact, Checker(GONE))
    assert (await stored(db, contact)).email_validation_result == "invalid"


async def test_an_address_that_still_works_is_delivered_with_the_new_verdict(db: AsyncEngine) -> None:
    contact = await add(db, "old@shop.com", days=91)
    assert (await delivered(db, contact, Checker(TAKES_MAIL)))["email_validation_score"] == 80


async def test_a_delivery_waits_until_the_address_can_be_checked(db: AsyncEngine) -> None:
    contact = await add(db, "old@shop.com", days=91)
    with pytest.raises(AddressNotChecked, match="could not be checked again"):
        await delivered(db, contact, Checker(NO_DNS))


async def test_a_young_verdict_is_delivered_as_it_is(db: AsyncEngine) -> None:
    contact = await add(db, "young@shop.com", days=89)
    checker = Checker(GONE)
    await delivered(db, contact, checker)
    assert checker.asked == []


async def test_an_address_that_changed_meanwhile_keeps_what_is_known_about_it(db: AsyncEngine) -> None:
    contact = await add(db, "new@shop.com", days=91)
    as_read = {**dict((await stored(db, contact))._mapping), "email": "former@shop.com"}
    await rechecks(Checker(GONE)).refresh(db, TENANT, [as_read])
    assert (await stored(db, contact)).email_validation_result == "valid"
