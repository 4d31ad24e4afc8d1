"""One contact in the console: create, read, edit, tag, validate, delete, and its evidence."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from html import unescape
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT
from scrapersky import tables
from scrapersky.web.console.details.contact_page import split_quote

ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
HOST = "stone-fitness.com"
EMAIL = f"ada@{HOST}"


async def contact_of(db: AsyncEngine, contact_id: uuid.UUID) -> Any:
    table = tables.contacts
    async with db.connect() as connection:
        return (await connection.execute(select(table).where(table.c.id == contact_id))).one_or_none()


def version_of(page: httpx.Response) -> str:
    found = re.search(r'name="version" value="([^"]*)"', page.text)
    assert found
    return unescape(found[1])


@pytest.mark.req("R247", "R266")
async def test_a_contact_is_created_read_edited_and_deleted(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    assert (await console.get("/contacts/new")).status_code == 200
    values = {"domain": HOST, "email": "Ada@Stone-Fitness.com", "name": "Ada", "tags": "vip new"}
    made = await console.post(
        "/contacts/new", data={**values, "social_urls": "linkedin https://linkedin.com/in/ada"}
    )
    assert made.status_code == 303
    path = made.headers["location"]
    contact_id = uuid.UUID(path.rpartition("/")[2])
    row = await contact_of(db, contact_id)
    assert (row.email, row.name, row.tags) == (EMAIL, "Ada", ["vip", "new"])
    assert row.social_urls == {"linkedin": "https://linkedin.com/in/ada"}
    page = await console.get(path)
    assert "added by hand" in page.text
    assert "later crawls will not overwrite it" in page.text
    fields = {"email": EMAIL, "name": "Ada Lovelace", "job_title": "Owner", "version": version_of(page)}
    saved = await console.post(
        f"{path}/edit", data={**fields, "social_urls": "linkedin https://linkedin.com/in/ada"}
    )
    assert saved.status_code == 303
    assert "not%20overwrite" in saved.headers["set-cookie"]
    row = await contact_of(db, contact_id)
    assert (row.name, row.job_title) == ("Ada Lovelace", "Owner")
    assert {"name", "job_title"} <= set(row.edited_fields)
    assert "Set by people" in (await console.get(path)).text
    assert (await console.get(f"{path}/delete")).status_code == 200
    assert (await console.post(f"{path}/delete")).status_code == 303
    assert await contact_of(db, contact_id) is None
    async with db.connect() as connection:
        assert (await connection.execute(select(tables.contact_tombstones))).all()


@pytest.mark.req("R266")
async def test_only_fields_that_a_person_changed_count_as_edited(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL, name="Ada", address="1 Main Street")
    page = await console.get(f"/contacts/{contact_id}")
    fields = {"email": EMAIL, "name": "Ada King", "address": "1 Main Street", "version": version_of(page)}
    await console.post(f"/contacts/{contact_id}/edit", data=fields)
    assert (await contact_of(db, contact_id)).edited_fields == ["name"]
    page = await console.get(f"/contacts/{contact_id}")
    same = await console.post(f"/contacts/{contact_id}/edit", data={**fields, "version": version_of(page)})
    assert "Nothing%20was%20changed" in same.headers["set-cookie"]


async def test_an_edit_of_an_old_version_is_refused_and_kept_on_the_page(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL, name="Ada")
    version = version_of(await console.get(f"/contacts/{contact_id}"))
    async with db.begin() as connection:
        later = {"name": "Theirs", "updated_at": tables.contacts.c.updated_at + timedelta(seconds=1)}
        await connection.execute(update(tables.contacts).values(later))
    data = {"email": EMAIL, "name": "Mine", "version": version}
    late = await console.post(f"/contacts/{contact_id}/edit", data=data)
    assert late.status_code == 412
    assert "changed meanwhile" in late.text
    assert 'value="Mine"' in late.text
    assert (await contact_of(db, contact_id)).name == "Theirs"


async def test_bad_input_says_what_is_wrong(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    for data, reason in (
        ({"domain": "no domain", "email": EMAIL}, "Invalid domain"),
        ({"domain": HOST, "email": "no-address"}, "e-mail"),
        ({"domain": HOST}, "needs an e-mail address or a phone number"),
    ):
        answer = await console.post("/contacts/new", data=data)
        assert answer.status_code == 422, data
        assert reason in answer.text, data
    async with db.connect() as connection:
        assert not (await connection.execute(select(tables.contacts))).all()


@pytest.mark.req("R266")
async def test_tags_are_added_and_removed(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL)
    await console.post(f"/contacts/{contact_id}/tags", data={"add": "vip 2026"})
    await console.post(f"/contacts/{contact_id}/tags", data={"remove": "vip"})
    assert (await contact_of(db, contact_id)).tags == ["2026"]
    wrong = await console.post(f"/contacts/{contact_id}/tags", data={"add": "a" * 60})
    assert wrong.status_code == 422
    assert "Invalid tag" in wrong.text


async def test_validation_and_decisions_are_queued(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL)
    await console.post(f"/contacts/{contact_id}/validate")
    assert (await contact_of(db, contact_id)).email_validation_status == "Queued"
    await console.post(f"/contacts/{contact_id}/decide", data={"value": "Rejected"})
    assert (await contact_of(db, contact_id)).contact_curation_status == "Rejected"
    refused = await console.post(f"/contacts/{contact_id}/validate")
    assert "cannot%20be%20validated" in refused.headers["set-cookie"]


async def test_the_evidence_leads_to_the_quoted_text(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL)
    async with db.begin() as connection:
        await connection.execute(update(tables.sightings).values(quote=f"write to {EMAIL.upper()} today"))
    page = (await console.get(f"/contacts/{contact_id}")).text
    assert f"write to <mark>{EMAIL.upper()}</mark> today" in page
    assert f"https://{HOST}/contact" in page
    assert "mailto" in page
    assert "90 %" in page
    assert f'href="/domains/{HOST}"' in page
    assert "email: in a link to write to<br>" in page
    assert "seen on 2 pages" in page
    assert "Speaks against it" not in page
    assert 'rel="noreferrer' in page


async def test_every_field_of_a_contact_is_inert(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    fields = ("name", "job_title", "address", "country", "email_validation_reason", "lead_source")
    contact_id = await add_contact(
        db,
        HOST,
        email=EMAIL,
        **dict.fromkeys(fields, ATTACK),
        notes=f"</textarea>{ATTACK}",
        tags=["<b>"],
        social_urls={ATTACK: "javascript:alert(1)"},
        email_validation_suggestion=ATTACK,
        email_validation_error=ATTACK,
    )
    async with db.begin() as connection:
        hostile = {"quote": f"{ATTACK}{EMAIL}{ATTACK}", "extractor_version": "<i>", "method": "<u>"}
        await connection.execute(
            update(tables.sightings).values(hostile).where(tables.sightings.c.method == "text")
        )
        await connection.execute(update(tables.pages).values(url=tables.pages.c.url + ATTACK))
    for path in ("", "/delete"):
        answer = await console.get(f"/contacts/{contact_id}{path}")
        assert answer.status_code == 200
        for mark in ("<script>alert", "<img src=x", "<b>", "<i>", "<u>"):
            assert mark not in answer.text, mark
        assert not re.search(r'href="\s*javascript', answer.text)
    assert f"<mark>{EMAIL}</mark>" in (await console.get(f"/contacts/{contact_id}")).text


async def test_a_viewer_cannot_change_a_contact(open_console: Any, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, HOST, email=EMAIL)
    async with open_console("viewer") as browser:
        page = await browser.get(f"/contacts/{contact_id}")
        assert page.status_code == 200
        assert "Save contact" not in page.text
        assert "/decide" not in page.text
        for path in ("edit", "tags", "validate", "decide", "delete"):
            assert (await browser.post(f"/contacts/{contact_id}/{path}")).status_code == 403, path
        assert (await browser.get("/contacts/new")).status_code == 403
        assert (await browser.post("/contacts/new", data={"domain": HOST})).status_code == 403
    assert (await contact_of(db, contact_id)).contact_curation_status == "New"


async def test_a_contact_of_another_tenant_does_not_exist(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    other, domain_id, contact_id = (uuid.uuid4() for _ in range(3))
    assert other != TENANT
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
        row = {"id": domain_id, "tenant_id": other, "domain": HOST, "host": HOST}
        await connection.execute(insert(tables.domains).values(row))
        row = {
            "id": contact_id,
            "tenant_id": other,
            "domain_id": domain_id,
            "email": EMAIL,
            "source_url": "x",
        }
        await connection.execute(insert(tables.contacts).values(row))
    for path in ("", "/delete"):
        assert (await console.get(f"/contacts/{contact_id}{path}")).status_code == 404
    assert (await console.post(f"/contacts/{contact_id}/delete")).status_code == 404
    assert await contact_of(db, contact_id)


@pytest.mark.parametrize(
    ("quote", "value", "marked"),
    [
        ("write to Ada@X.com now", "ada@x.com", "Ada@X.com"),
        ("call (030) 12 34-567", "+49301234567", "030) 12 34-567"),
        ("tel:+493012345678", "+493012345678", "+493012345678"),
        ("ada [at] x.com", "ada@x.com", ""),
        ("no number", "+4930", ""),
    ],
)
def test_the_value_is_marked_in_its_quote(quote: str, value: str, marked: str) -> None:
    parts = split_quote(quote, value)
    assert "".join(parts) == quote
    assert parts[1] == marked


async def test_the_page_shows_basis_source_robots_decision_and_notice(
    open_console: Any, db: AsyncEngine
) -> None:
    contact = await add_contact(db, HOST, email=EMAIL, name=ATTACK)
    host = {"robots_status": "found", "robots_txt": "User-agent: *\nDisallow: /contact"}
    async with db.begin() as connection:
        await connection.execute(update(tables.hosts).values(host))
        await connection.execute(
            update(tables.contacts).values(source_url=f"https://{HOST}/contact", lawful_basis="consent")
        )
    async with open_console("viewer") as client:
        page = (await client.get(f"/contacts/{contact}")).text
    card = page[page.index('id="privacy"') : page.index('id="validation-title"')]
    assert "<dd>consent</dd>" in card
    assert 'href="#evidence"' in card
    assert f'href="https://{HOST}/contact"' in card
    assert "not allowed" in card
    assert "Set PRIVACY_CONTROLLER and PRIVACY_CONTACT" in card
    assert "[PRIVACY_CONTROLLER is not set]" in card
    assert ATTACK not in page
    named = {"privacy_controller": "Muster GmbH, Berlin", "privacy_contact": "privacy@muster.example"}
    async with open_console("operator", **named) as client:
        page = (await client.get(f"/contacts/{contact}")).text
    assert "Muster GmbH, Berlin" in page
    assert "Set PRIVACY_CONTROLLER" not in page
