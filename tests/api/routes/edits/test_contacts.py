"""Contacts by HTTP: what a person made, changed or deleted is never overwritten by a later crawl."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from fakes import item
from product import TENANT, USER
from scrapersky import tables
from scrapersky.storage import ContactUpsert, ListedContact, SightingRow, save
from scrapersky.storage.tombstones import add_tombstones

API = "/api/v3/contacts"
MAIL = "ada@lune.co.uk"


async def rows(db: AsyncEngine, table: Any = tables.contacts) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(table)))


async def crawl(db: AsyncEngine, domain_id: UUID, email: str | None = MAIL, **values: Any) -> int:
    """What a page shows, as the stage that reads pages stores it."""
    [page, *_] = await rows(db, tables.pages)
    seen = SightingRow("email", email or values["phone_number"], "text", "… quote …", "text", 3, 0.9)
    found = {"source_url": page.url, "confidence": 0.9, **values}
    contact = ContactUpsert(domain_id, page.id, email, values.get("phone_number"), found, (seen,), "1")
    async with db.begin() as connection:
        return await save(connection, [(item(), contact)])


@pytest.mark.req("R247")
async def test_a_contact_is_created_with_its_domain(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    body = {
        "domain": "https://www.Lune.co.uk/",
        "email": " ADA@Lune.co.uk",
        "phone_number": "020 7946 0018",
        "name": "Ada  Lune",
        "country": "United Kingdom",
        "social_urls": {"linkedin": "https://www.linkedin.com/in/ada"},
        "tags": ["vip"],
    }
    answer = await api.post(API, json=body)
    assert answer.status_code == 201, answer.text
    [contact] = await rows(db)
    [domain] = await rows(db, tables.domains)
    assert str(contact.id) == answer.json()["id"]
    assert (domain.domain, domain.status, contact.domain_id) == ("lune.co.uk", None, domain.id)
    assert (contact.email, contact.email_type, contact.email_relation) == (MAIL, "person", "own")
    assert (contact.phone_number, contact.phone_type) == ("+442079460018", "phone")
    assert (contact.name, contact.country, contact.tags) == ("Ada Lune", "GB", ["vip"])
    assert contact.source_url == f"manual:{contact.created_by}"
    assert (contact.lead_source, contact.email_validation_status) == ("manual", "Queued")
    assert {"email", "name", "phone_number", "phone_type"} <= set(contact.edited_fields)
    again = await api.post(API, json=body)
    assert again.status_code == 409
    assert len(await rows(db)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"domain": "lune.co.uk"},
        {"domain": "localhost", "email": MAIL},
        {"domain": "lune.co.uk", "email": "not an address"},
        {"domain": "lune.co.uk", "email": "a@b.co c@d.co"},
        {"domain": "lune.co.uk", "email": "=cmd@lune.co.uk"},
        {"domain": "lune.co.uk", "email": "ada@nospam.lune.co.uk"},
        {"domain": "lune.co.uk", "phone_number": "+999999999999999999999"},
        {"domain": "lune.co.uk", "phone_number": "1-800-FLOWERS"},
        {"domain": "lune.co.uk", "email": MAIL, "country": "Nowhere"},
        {"domain": "lune.co.uk", "email": MAIL, "social_urls": {"x": "javascript:alert(1)"}},
        {"domain": "lune.co.uk", "email": MAIL, "source_url": "file:///etc/passwd"},
        {"domain": "lune.co.uk", "email": MAIL, "tags": ["two words"]},
        {"domain": "lune.co.uk", "email": MAIL, "name": "x" * 301},
        {"domain": "lune.co.uk", "email": MAIL, "tenant_id": str(uuid4())},
        {"domain": "lune.co.uk", "email": MAIL, "contact_curation_status": "Selected"},
    ],
)
async def test_a_bad_contact_is_refused_and_leaves_nothing(
    api: httpx.AsyncClient, db: AsyncEngine, body: dict[str, Any]
) -> None:
    answer = await api.post(API, json=body)
    assert answer.status_code == 422, answer.text
    assert await rows(db) == await rows(db, tables.domains) == []


@pytest.mark.req("R247", "R266")
@pytest.mark.parametrize("method", ["PATCH", "PUT"])
async def test_an_edit_survives_the_next_crawl(api: httpx.AsyncClient, db: AsyncEngine, method: str) -> None:
    contact_id = await add_contact(db, "lune.co.uk", email=MAIL, name="A. Lune", job_title="Cook")
    body = {"name": "Ada Lune", "job_title": None, "notes": "met in May"}
    answer = await api.request(method, f"{API}/{contact_id}", json=body)
    assert answer.status_code == 200, answer.text
    [before] = await rows(db)
    await crawl(db, before.domain_id, name="Somebody", job_title="Cook", address="1 High St")
    [after] = await rows(db)
    assert (after.name, after.job_title, after.notes) == ("Ada Lune", None, "met in May")
    # What no person has set is still filled in.
    assert after.address == "1 High St"
    assert set(after.edited_fields) == {"name", "job_title", "notes"}


@pytest.mark.req("R266")
async def test_a_replaced_address_does_not_come_back(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(
        db, "lune.co.uk", email=MAIL, email_validation_status="Complete", email_validation_result="valid"
    )
    answer = await api.patch(f"{API}/{contact_id}", json={"email": "office@lune.co.uk"})
    assert answer.json()["email_validation_status"] == "Queued"
    [contact] = await rows(db)
    assert (contact.email, contact.email_type, contact.email_validation_result) == (
        "office@lune.co.uk", "role", None,
    )  # fmt: skip
    assert await crawl(db, contact.domain_id) == 0
    assert [row.email for row in await rows(db)] == ["office@lune.co.uk"]
    # The person changes their mind: both addresses are as the person wants them.
    await api.patch(f"{API}/{contact_id}", json={"email": MAIL})
    await crawl(db, contact.domain_id)
    await crawl(db, contact.domain_id, "office@lune.co.uk")
    assert [row.email for row in await rows(db)] == [MAIL]


@pytest.mark.req("R266", "R247")
async def test_a_deleted_contact_does_not_come_back(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, "lune.co.uk", email=MAIL)
    phone_id = await add_contact(db, "lune.co.uk", phone_number="+442079460018")
    [contact, *_] = await rows(db)
    assert (await api.delete(f"{API}/{contact_id}")).status_code == 204
    answer = await api.post(f"{API}/delete", json={"contact_ids": [str(phone_id)]})
    assert answer.json() == {"deleted_count": 1}
    assert await rows(db) == await rows(db, tables.sightings) == []
    await crawl(db, contact.domain_id)
    await crawl(db, contact.domain_id, None, phone_number="+442079460018")
    listed = ListedContact("lune.co.uk", MAIL, None, {"source_url": "file:list#line=1"}, "1")
    async with db.begin() as connection:
        await save(connection, [(item(), listed)])
    assert await rows(db) == await rows(db, tables.sightings) == []
    # The tombstones do not hold the address.
    for tombstone in await rows(db, tables.contact_tombstones):
        assert b"lune" not in tombstone.key_hash
    # A person may enter it again, and then it is an ordinary contact.
    assert (await api.post(API, json={"domain": "lune.co.uk", "email": MAIL})).status_code == 201
    assert await crawl(db, contact.domain_id) == 1
    assert [row.email for row in await rows(db)] == [MAIL]


async def test_an_unreachable_or_doubled_contact_is_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, "lune.co.uk", email=MAIL)
    await add_contact(db, "lune.co.uk", email="office@lune.co.uk")
    assert (await api.patch(f"{API}/{contact_id}", json={"email": None})).status_code == 422
    assert (await api.patch(f"{API}/{contact_id}", json={"email": "office@lune.co.uk"})).status_code == 409
    assert sorted(row.email for row in await rows(db)) == [MAIL, "office@lune.co.uk"]
    assert await rows(db, tables.contact_tombstones) == []


@pytest.mark.req("R266")
async def test_contacts_are_tagged(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = [str(await add_contact(db, f"shop{n}.com", email=f"a@shop{n}.com", tags=["old"])) for n in range(3)]
    body = {"contact_ids": ids[:2], "add": ["vip", "2026"], "remove": ["old"]}
    assert (await api.post(f"{API}/tags", json=body)).json() == {"updated_count": 2}
    assert (await api.post(f"{API}/tags", json=body)).json() == {"updated_count": 0}
    await api.put(f"{API}/{ids[2]}/tags", json={"tags": ["one"]})
    tags = {str(row.id): row.tags for row in await rows(db)}
    assert [tags[one] for one in ids] == [["vip", "2026"], ["vip", "2026"], ["one"]]
    many = {"contact_ids": ids, "add": [f"t{n}" for n in range(50)]}
    assert (await api.post(f"{API}/tags", json=many)).status_code == 422
    assert (await api.post(f"{API}/tags", json={"contact_ids": ids})).status_code == 422
    unknown = {"contact_ids": [ids[0], str(uuid4())], "add": ["x"]}
    assert (await api.post(f"{API}/tags", json=unknown)).status_code == 404
    assert {str(row.id): row.tags for row in await rows(db)} == tags


async def test_boilerplate_that_a_person_took_away_is_not_set_again(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    agency = "hello@agency.com"
    ids = [await add_contact(db, f"shop{n}.com", email=agency, tags=["boilerplate"]) for n in range(5)]
    await api.post(f"{API}/tags", json={"contact_ids": [str(ids[0])], "remove": ["boilerplate"]})
    await api.put(f"{API}/{ids[1]}/tags", json={"tags": ["vip"]})
    domain = uuid4()
    async with db.begin() as connection:
        values = {"id": domain, "tenant_id": TENANT, "domain": "another.com"}
        await connection.execute(insert(tables.domains).values(values))
    await crawl(db, domain, agency, email_relation="other")
    tags = {row.id: row.tags for row in await rows(db)}
    assert [tags[one] for one in ids] == [[], ["vip"], *[["boilerplate"]] * 3]
    assert sorted(map(tuple, tags.values())).count(("boilerplate",)) == 4


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
async def test_a_contact_of_another_tenant_does_not_exist(
    api: httpx.AsyncClient, db: AsyncEngine, method: str
) -> None:
    other, domain, contact = uuid4(), uuid4(), uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
        await connection.execute(insert(tables.domains).values(id=domain, tenant_id=other, domain="a.com"))
        values = {"id": contact, "tenant_id": other, "domain_id": domain, "email": "a@a.com"}
        await connection.execute(insert(tables.contacts).values(**values, source_url="https://a.com/"))
    body = {"name": "Mine"} if method == "PATCH" else None
    foreign = await api.request(method, f"{API}/{contact}", json=body)
    random = await api.request(method, f"{API}/{uuid4()}", json=body)
    assert foreign.status_code == random.status_code == 404
    bulk = {"contact_ids": [str(contact)], "add": ["x"]}
    assert (await api.post(f"{API}/tags", json=bulk)).status_code == 404
    [row] = await rows(db)
    assert (row.name, row.tags) == (None, [])


async def test_an_edit_of_an_old_version_is_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    path = f"{API}/{await add_contact(db, 'lune.co.uk', email=MAIL)}"
    first = await api.patch(path, json={"name": "Ada"})
    tag = {"If-Match": first.headers["ETag"]}
    second = await api.patch(path, json={"name": "Ada Lune"}, headers=tag)
    assert (second.status_code, second.headers["ETag"] != tag["If-Match"]) == (200, True)
    for method, body in (("PATCH", {"name": "Old"}), ("DELETE", None)):
        assert (await api.request(method, path, json=body, headers=tag)).status_code == 412
    [row] = await rows(db)
    assert row.name == "Ada Lune"


@pytest.mark.req("R266")
async def test_a_crawl_that_waits_for_a_deletion_brings_nothing_back(db: AsyncEngine) -> None:
    contact_id = await add_contact(db, "lune.co.uk", email=MAIL)
    [contact] = await rows(db)
    async with db.begin() as connection:
        # As `delete_contacts` does it, but the transaction stays open while the page is stored.
        await add_tombstones(connection, [contact_id], USER)
        await connection.execute(delete(tables.contacts).where(tables.contacts.c.id == contact_id))
        waiting = asyncio.create_task(crawl(db, contact.domain_id))
        await asyncio.sleep(0.3)
        assert not waiting.done()
    assert await waiting == 0
    assert await rows(db) == []


async def test_a_new_address_is_not_validated_while_the_setting_is_off(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await api.put("/api/v3/settings/AUTO_EMAIL_VALIDATION", json={"value": False})
    await api.post(API, json={"domain": "lune.co.uk", "email": MAIL})
    [contact] = await rows(db)
    assert contact.email_validation_status is None


async def test_every_change_is_in_the_audit_log_once(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact = (await api.post(API, json={"domain": "lune.co.uk", "email": MAIL})).json()["id"]
    await api.patch(f"{API}/{contact}", json={"name": "Ada"})
    await api.post(f"{API}/tags", json={"contact_ids": [contact], "add": ["vip"]})
    await api.post(f"{API}/validate", json={"contact_ids": [contact], "again": True})
    await api.patch(f"{API}/{contact}", json={"email": "nothing"})
    await api.delete(f"{API}/{contact}")
    log = tables.audit_log.c
    async with db.connect() as connection:
        entries = list(
            await connection.execute(select(log.action, log.row_id, log.actor).order_by(log.number))
        )
    actions = ["create", "update", "tag", "validate", "delete"]
    assert [entry.action for entry in entries] == [f"contact.{action}" for action in actions]
    assert {entry.actor for entry in entries} == {"local"}
    assert [entry.row_id for entry in entries] == [contact, contact, contact, None, contact]
