"""Suppressions: who is on the list is deleted at once, comes back by no way, and is known by a hash only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_tenant
from pipeline_rows import add_contact
from product import TENANT, USER, WHO, add_domain
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.contacts import create_contact, update_contact
from scrapersky.actions.privacy.suppression_log import apply_log
from scrapersky.actions.privacy.suppressions import (
    SuppressionResult,
    add_suppressions,
    apply_open_suppressions,
    delete_suppression,
    import_suppressions,
)
from scrapersky.database import SUPPRESSION_LOG, tenant_engine
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.log import Log
from scrapersky.queries.exports import ExportQuery, list_export
from scrapersky.queries.privacy.suppressions import SuppressionQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.settings import Settings
from scrapersky.wiring import build_maintenance

REASON = "objected by e-mail"


async def suppress(engine: AsyncEngine, *entries: str, who: Actor = WHO, **options: Any) -> SuppressionResult:
    async with engine.begin() as connection:
        return await add_suppressions(connection, who, entries, REASON, **options)


async def addresses(engine: AsyncEngine, tenant: UUID = TENANT) -> list[str]:
    contacts = tables.contacts.c
    query = select(contacts.email, contacts.phone_number).where(contacts.tenant_id == tenant)
    async with engine.connect() as connection:
        rows = (await connection.execute(query)).all()
    return sorted(str(row.email or row.phone_number) for row in rows)


async def dump(engine: AsyncEngine, table: str) -> str:
    async with engine.connect() as connection:
        rows = await connection.scalars(text(f"SELECT t::text FROM {table} t"))
        return "\n".join(rows)


async def test_a_suppression_deletes_every_form_of_the_address_and_nothing_else(db: AsyncEngine) -> None:
    domain = await add_domain(db, "bäckerei.de")
    for email in (
        "anna@bäckerei.de",
        "anna+news@xn--bckerei-5wa.de",
        "annabel@bäckerei.de",
        "ann_a@bäckerei.de",
    ):
        await add_contact(db, domain, email=email)

    result = await suppress(db, " ANNA@Bäckerei.de ")

    assert result.counts == {"new": 1, "known": 0, "invalid": 0}
    assert result.deleted_contacts == 2
    assert await addresses(db) == ["ann_a@bäckerei.de", "annabel@bäckerei.de"]


async def test_a_domain_covers_its_contacts_and_addresses_elsewhere(db: AsyncEngine) -> None:
    own, other = await add_domain(db, "shop.firma.de"), await add_domain(db, "verein.de")
    await add_contact(db, own, email="someone@gmail.com")
    await add_contact(db, other, email="chef@mail.firma.de")
    await add_contact(db, other, email="vorstand@meinefirma.de")

    await suppress(db, "firma.de")

    assert await addresses(db) == ["vorstand@meinefirma.de"]


async def test_a_number_is_taken_from_a_contact_that_has_an_address_of_its_own(db: AsyncEngine) -> None:
    domain = await add_domain(db, "firma.de")
    await add_contact(db, domain, phone_number="+4930901820")
    kept = await add_contact(
        db, domain, email="info@firma.de", phone_number="+4930901820", phone_type="phone"
    )

    result = await suppress(db, "030 / 90 18 20", country="DE")

    assert (result.deleted_contacts, result.changed_contacts) == (1, 1)
    async with db.connect() as connection:
        [row] = (await connection.execute(select(tables.contacts))).all()
    assert (row.id, row.phone_number, row.phone_type) == (kept, None, None)


async def test_only_hashes_are_stored_and_the_reason_loses_addresses(db: AsyncEngine, tmp_path: Path) -> None:
    async with db.begin() as connection:
        await add_suppressions(
            connection, WHO, ["anna@firma.de", "+49 30 901820", "firma.de"], "anna@firma.de wrote to us"
        )
    stored = await dump(db, "suppressions") + await dump(db, "audit_values") + await dump(db, "audit_log")
    stored += (tmp_path / SUPPRESSION_LOG).read_text()
    assert "wrote to us" in stored
    assert not [part for part in ("anna", "firma", "901820") if part in stored]


async def test_an_invalid_entry_does_not_stop_the_others_and_is_not_repeated(db: AsyncEngine) -> None:
    result = await suppress(db, "anna@firma.de", "nobody", "anna+x@FIRMA.de")
    assert [(line.number, line.status) for line in result.lines] == [(1, "new"), (2, "invalid"), (3, "known")]
    assert result.lines[1].reason
    assert "nobody" not in result.lines[1].reason
    assert result.lines[0].id == result.lines[2].id


async def test_a_suppression_needs_a_reason(db: AsyncEngine) -> None:
    async with db.begin() as connection:
        with pytest.raises(InvalidInput, match="reason"):
            await add_suppressions(connection, WHO, ["anna@firma.de"], "  ")


@pytest.mark.req("R266")
async def test_people_cannot_enter_what_is_suppressed(db: AsyncEngine) -> None:
    await suppress(db, "anna@firma.de", "böse.de")
    with pytest.raises(Conflict, match="email of this contact is suppressed"):
        await create_contact(db, WHO, "firma.de", {"email": "Anna+2@firma.de"})
    with pytest.raises(Conflict, match="domain of this contact is suppressed"):
        await create_contact(db, WHO, "www.böse.de", {"email": "x@gmx.de"})
    domain = await add_domain(db, "verein.de")
    contact = await add_contact(db, domain, email="info@verein.de")
    with pytest.raises(Conflict):
        await update_contact(db, WHO, contact, {"email": "anna@firma.de"})
    assert await addresses(db) == ["info@verein.de"]


async def test_a_tenant_is_not_stopped_by_another_but_by_one_for_all(db: AsyncEngine) -> None:
    other = await add_tenant(db)
    domain, theirs = await add_domain(db, "firma.de"), await add_domain(db, "firma.de", tenant_id=other)
    await add_contact(db, domain, email="anna@firma.de")
    async with db.begin() as connection:
        row = {"tenant_id": other, "domain_id": theirs, "email": "anna@firma.de", "source_url": "x"}
        await connection.execute(insert(tables.contacts).values(row))

    await suppress(db, "anna@firma.de")
    assert (await addresses(db), await addresses(db, other)) == ([], ["anna@firma.de"])

    await suppress(db, "anna@firma.de", all_tenants=True)
    assert await addresses(db, other) == []
    mine = tenant_engine(db, other)
    with pytest.raises(Conflict):
        await create_contact(mine, Actor(other, USER), "firma.de", {"email": "anna@firma.de"})
    [listed] = await SuppressionQuery(mine).list_suppressions(other)
    assert listed["all_tenants"]
    with pytest.raises(NotFound):
        await delete_suppression(mine, Actor(other, USER), listed["id"])


async def test_a_withdrawn_suppression_stops_nobody(db: AsyncEngine) -> None:
    result = await suppress(db, "anna@firma.de")
    assert result.lines[0].id
    await delete_suppression(db, WHO, result.lines[0].id)
    await create_contact(db, WHO, "firma.de", {"email": "anna@firma.de"})
    assert await addresses(db) == ["anna@firma.de"]


async def test_an_opt_out_list_is_imported_line_by_line(db: AsyncEngine) -> None:
    domain = await add_domain(db, "firma.de")
    for number in range(5):
        await add_contact(db, domain, email=f"person{number}@firma.de")
    lines = [f"person{number}@firma.de;x" for number in (1, 3)] + ["no address;x", "person1@FIRMA.de;x"]
    file = "\n".join(["E-Mail;Note", *lines]).encode()

    result = await import_suppressions(db, WHO, [file], REASON, kind="email")

    assert [line.status for line in result.lines] == ["new", "new", "invalid", "known"]
    assert [line.number for line in result.lines] == [2, 3, 4, 5]
    assert result.deleted_contacts == 2
    assert await addresses(db) == [f"person{number}@firma.de" for number in (0, 2, 4)]


async def test_an_interrupted_import_is_finished_by_maintenance(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every contact that is written as in the list is gone with its line, so that no total counts it."""
    domain = await add_domain(db, "firma.de")
    for name in ("anna", "anna+news", "bob"):
        await add_contact(db, domain, email=f"{name}@firma.de")

    async def stop(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as broken:
        broken.setattr("scrapersky.actions.privacy.suppressions.sweep_contacts", stop)
        with pytest.raises(OSError, match="killed"):
            await import_suppressions(db, WHO, [b"email\nanna@firma.de\n"], REASON)
    assert await addresses(db) == ["anna+news@firma.de", "bob@firma.de"]
    assert await shown(db) == (1, ["bob@firma.de"])

    assert await build_maintenance(Settings(), db, Log()).apply_suppressions() == 1

    assert await addresses(db) == ["bob@firma.de"]
    assert await apply_open_suppressions(db) == (0, 0)


async def shown(engine: AsyncEngine) -> tuple[int, list[str]]:
    """A page of one row: what is withheld leaves no gap."""
    page = await ListQuery(engine, TENANT).page(ENTITIES["contact"], Filters(), limit=1)
    listed = list_export(engine, ENTITIES["contact"], TENANT, Filters())
    chunks = [chunk async for chunk in ExportQuery(engine).chunks(listed, limit=1)]
    return len(page.rows), [row["email"] for chunk in chunks for row in chunk]


@pytest.mark.parametrize("way", ["add", "import"])
async def test_totals_facets_and_pages_agree_with_what_is_shown(db: AsyncEngine, way: str) -> None:
    domain = await add_domain(db, "firma.de")
    emails = [f"person{number}@firma.de" for number in range(6)]
    for email in emails:
        await add_contact(db, domain, email=email)
    if way == "add":
        await suppress(db, *emails[2:5])
    else:
        await import_suppressions(db, WHO, ["\n".join(["email", *emails[2:5]]).encode()], REASON)
    query, entity = ListQuery(db, TENANT), ENTITIES["contact"]
    page, facets = await query.page_and_facets(entity, Filters(), limit=3)
    listed = list_export(db, entity, TENANT, Filters())
    assert sorted(row["email"] for row in page.rows) == [*emails[:2], emails[5]]
    assert (page.total.number, page.next_keys) == (3, None)
    assert facets.total.number == 3
    assert await query.count(entity, Filters()) == 3
    assert await ExportQuery(db).count(listed) == 3


async def nobody(_tenant: UUID, people: list[Identifier], _reason: str) -> None:
    raise AssertionError(f"{people} were suppressed, not erased")


async def test_an_older_backup_learns_what_was_suppressed_since(db: AsyncEngine, tmp_path: Path) -> None:
    """The restored database is this one without its suppressions and with its old contacts (D12)."""
    kept = await suppress(db, "anna@firma.de", "bob@firma.de")
    assert kept.lines[1].id
    await delete_suppression(db, WHO, kept.lines[1].id)
    domain = await add_domain(db, "firma.de")
    async with db.begin() as connection:
        await connection.execute(text("DELETE FROM suppressions"))
    for name in ("anna", "bob"):
        await add_contact(db, domain, email=f"{name}@firma.de")
    with (tmp_path / SUPPRESSION_LOG).open("a") as log:
        log.write('{"cut off')

    assert await apply_log(db, nobody) == 1
    assert await addresses(db) == ["bob@firma.de"]
    assert await apply_log(db, nobody) == 0
    with pytest.raises(Conflict):
        await create_contact(db, WHO, "firma.de", {"email": "anna@firma.de"})


def test_the_log_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    from scrapersky.suppression_key import LoggedSuppression, SuppressionKey

    path = tmp_path / "log"
    key = SuppressionKey(lambda: lambda data: [data], lambda: path)
    key.append_log([LoggedSuppression(None, "email", b"\x01" * 32, "why")])
    assert path.stat().st_mode & 0o077 == 0
    assert json.loads(path.read_text())["action"] == "suppress"
    assert [line.keyed_hash for line in key.read_log()] == [b"\x01" * 32]
