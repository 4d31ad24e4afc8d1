"""Erasing a person, judged by a search of the whole decoded database (D10, D11, D14)."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import item
from people import add_tenant
from privacy_dump import files_with, places_of
from product import TENANT, USER, WHO, add_domain
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.contacts import create_contact, delete_contacts, update_contact
from scrapersky.actions.privacy.erasure import erase_person, read_person
from scrapersky.actions.privacy.person_files import PersonFiles
from scrapersky.database import SUPPRESSION_LOG, tenant_engine
from scrapersky.errors import InvalidInput
from scrapersky.queries.audit import AuditQuery
from scrapersky.queries.privacy.subject_export import SubjectQuery
from scrapersky.sources.csv.uploads import SEARCHED, WAITING, Uploads
from scrapersky.stage_context.page_body_store import compress_body
from scrapersky.storage import ContactUpsert, SightingRow, Upsert, save

ANNA, NUMBER = "anna.beck@firma-beck.de", "+4930901820"
FORMS = {
    "plain": ANNA,
    "upper": ANNA.upper(),
    "url": quote(ANNA, safe=""),
    "url_all": "".join(f"%{byte:02X}" for byte in ANNA.encode()),
    "html": ANNA.replace("@", "&#64;"),
    "html_all": "".join(f"&#{ord(letter)};" for letter in ANNA),
    "json": ANNA.replace("@", "\\u0040"),
    "base64": base64.b64encode(f"x{ANNA}yz".encode()).decode(),
    "plus": ANNA.replace("@", "+news@"),
    "number": "030 / 90 18 20",
}


def body(page: UUID, html: str, tenant: UUID = TENANT) -> dict[str, Any]:
    values = {"page_id": page, "body": compress_body(html.encode()), "content_hash": bytes(32)}
    return values | {
        "tenant_id": tenant, "final_url": "https://firma-beck.de/", "status_code": 200, "size_bytes": 1,
    }  # fmt: skip


async def add(engine: AsyncEngine, table: Any, tenant: UUID = TENANT, **values: Any) -> Any:
    async with engine.begin() as connection:
        statement = insert(table).values(tenant_id=tenant, **values)
        return (await connection.execute(statement.returning(*table.primary_key))).first()


async def know(engine: AsyncEngine, tenant: UUID = TENANT) -> UUID:
    """A tenant that knows the person in every way; gives the domain."""
    domain = await add_domain(engine, "firma-beck.de", tenant_id=tenant)
    who = Actor(tenant, USER)
    contact = await create_contact(engine, who, "firma-beck.de", {"email": ANNA, "phone_number": NUMBER})
    await update_contact(engine, who, contact["id"], {"name": "Anna Beck"})
    for number, (name, form) in enumerate(FORMS.items()):
        page = await add(
            engine, tables.pages, tenant, domain_id=domain, host="firma-beck.de", title=f"Team: {form}",
            url=f"https://firma-beck.de/{number}", scraped_content={"found": [{"value": form}]},
        )  # fmt: skip
        await add(engine, tables.page_bodies, tenant, **{
            name: value for name, value in body(page.id, f"<p>{form}</p>").items() if name != "tenant_id"
        })  # fmt: skip
        await add(engine, tables.jobs, tenant, job_type="x", result_data={name: form})
        await add(
            engine, tables.failures, tenant, stage="read_page", row_id=name, error_class="X", reason=form,
            traceback=f"Traceback: {form}", attempts=1,
        )  # fmt: skip
        async with engine.begin() as connection:
            await record(connection, who, "note.add", after={"text": form})
    await add(
        engine, tables.sightings, tenant, contact_id=contact["id"], page_id=page.id, field="email",
        value=ANNA, method="text", quote=f"Write to {ANNA}", extractor_version="1",
    )  # fmt: skip
    url = f"https://firma-beck.de/?to={quote(ANNA)}"
    await add(engine, tables.pages, tenant, domain_id=domain, host="firma-beck.de", url=url)
    await add(
        engine, tables.local_businesses, tenant, source="csv", place_id="1", business_name="Beck",
        phone=NUMBER, listed_contact={"email": ANNA, "person": "Anna Beck"},
    )  # fmt: skip
    await add(
        engine,
        tables.places_staging,
        tenant,
        source="csv",
        place_id="1",
        name="Beck",
        raw_data={"email": ANNA},
    )
    destination = await add(engine, tables.destinations, tenant, name="CRM", kind="csv")
    other = await create_contact(engine, who, "firma-beck.de", {"email": "info@firma-beck.de"})
    await update_contact(engine, who, other["id"], {"notes": f"Ask {ANNA} or {NUMBER} first"})
    for contact_id in (contact["id"], other["id"]):
        await add(
            engine, tables.deliveries, tenant, contact_id=contact_id, destination_id=destination.id,
            external_id="42", skipped_reason=f"{ANNA} is there",
        )  # fmt: skip
    return domain


def export_files(folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = [ANNA, "info@firma-beck.de", ANNA.upper()]
    (folder / "a.csv").write_text("email,id\n" + "".join(f"{row},1\n" for row in rows))
    (folder / "b.jsonl").write_text("".join(json.dumps({"email": row}) + "\n" for row in rows))
    (folder / "c.bin").write_bytes(base64.b64encode(ANNA.encode()))


def files_in(folder: Path) -> PersonFiles:
    uploads = Uploads(folder.parent, TENANT)
    return PersonFiles(folder, uploads.path(SEARCHED), uploads.path(WAITING))


async def erase(engine: AsyncEngine, folder: Path, *entries: str) -> dict[str, Any]:
    identifiers = read_person(entries or (ANNA, NUMBER))
    report = await erase_person(
        engine,
        WHO,
        identifiers,
        "asked us to",
        files=files_in(folder),
        decrypt=lambda data: data.decode("latin-1"),
    )
    return report.as_dict()


@pytest.mark.req("R247")
async def test_d10_an_erased_person_is_nowhere_and_another_tenant_is_untouched(
    db: AsyncEngine, tmp_path: Path
) -> None:
    other = await add_tenant(db)
    await know(db)
    await know(db, other)
    export_files(tmp_path / "exports")
    uploads, theirs_too = Uploads(tmp_path, TENANT), Uploads(tmp_path, other)
    uploads.save(f"Firma,Mail\nBeck,{ANNA}\n".encode("utf-16"))
    searched = uploads.save_for_search(f"name\temail\nBeck\t{ANNA}\nFirma\tinfo@firma-beck.de\n".encode())
    kept = theirs_too.save_for_search(ANNA.encode())
    key = {"key": "k", "request": "POST /x", "body_hash": bytes(32), "claimed_until": "2026-01-01"}
    async with db.begin() as connection:
        now = await connection.scalar(select(tables.tenants.c.created_at).limit(1))
    await add(db, tables.idempotency_keys, user_id=USER, **{**key, "claimed_until": now}, body=ANNA.encode())
    before = await places_of(db, ANNA, TENANT)
    assert len(before) >= 10, before
    theirs = await places_of(db, ANNA, other)

    report = await erase(db, tmp_path / "exports")

    assert await places_of(db, ANNA, TENANT) == set()
    assert await places_of(db, "beck+news", TENANT) == set()
    assert await places_of(db, "901820", TENANT) == set()
    assert await places_of(db, ANNA, other) == theirs
    assert files_with(tmp_path, ANNA) == {kept.name}
    assert list(uploads.path(WAITING).iterdir()) == []
    assert searched.read_text() == "name\temail\nFirma\tinfo@firma-beck.de\n"
    assert (tmp_path / "exports" / "a.csv").read_text() == "email,id\ninfo@firma-beck.de,1\n"
    assert not (tmp_path / "exports" / "c.bin").exists()
    assert (report["contacts"], report["deleted"]["page_bodies"]) == (1, len(FORMS))
    assert (await AuditQuery(db, TENANT).verify()).is_intact
    assert (tmp_path / SUPPRESSION_LOG).exists()
    again = await erase(db, tmp_path / "exports")
    assert not any([*again["deleted"].values(), *again["redacted"].values(), again["contacts"]])


async def test_what_belongs_to_no_tenant_names_an_erased_person_no_more(
    db: AsyncEngine, tmp_path: Path
) -> None:
    async with db.begin() as connection:
        for host, text in {"a.example": f"# {ANNA}", "b.example": "# info@firma-beck.de"}.items():
            await connection.execute(insert(tables.hosts).values(host=host, robots_txt=text))
        await connection.execute(
            insert(tables.alerts).values(kind="x", subject="y", severity="warning", message=f"failed: {ANNA}")
        )
    report = await erase(db, tmp_path)
    assert await places_of(db, ANNA) == set()
    assert (report["redacted"]["hosts"], report["redacted"]["alerts"]) == (1, 1)


@pytest.mark.parametrize("key", [ANNA, NUMBER])
async def test_no_hash_is_left_from_which_an_erased_person_can_be_guessed(
    db: AsyncEngine, tmp_path: Path, key: str
) -> None:
    contact = {"email": key} if "@" in key else {"phone_number": key}
    for values in (contact, {"email": "info@firma-beck.de"}):
        added = await create_contact(db, WHO, "firma-beck.de", values)
        await delete_contacts(db, WHO, [added["id"]])
    report = await erase(db, tmp_path)
    assert report["deleted"]["contact_tombstones"] == 1
    tombstones = tables.contact_tombstones.c
    async with db.connect() as connection:
        [row] = (await connection.execute(select(tombstones.domain_id, tombstones.key_hash))).all()
    assert row.key_hash == sha256(f"{row.domain_id} info@firma-beck.de".encode()).digest()


GOOGLE_FORMS = (
    "anna.beck@gmail.com", "an.nabeck@googlemail.com", "annabeck%40gmail.com", "a.nnabeck%40googlemail.com",
    "anna.beck&#64;googlemail.com", "AnnaBeck\\u0040gmail.com",
    base64.b64encode(b"annabeck@googlemail.com").decode(),
)  # fmt: skip


async def test_a_mailbox_at_google_is_found_under_both_its_names(db: AsyncEngine, tmp_path: Path) -> None:
    for form in GOOGLE_FORMS:
        await add(db, tables.jobs, job_type="x", result_data={"found": form})
    await erase(db, tmp_path, "anna.beck@gmail.com")
    async with db.connect() as connection:
        kept = set(await connection.scalars(select(tables.jobs.c.result_data["found"].astext)))
    assert kept == {None}


async def test_the_name_beside_an_erased_address_goes_too(db: AsyncEngine, tmp_path: Path) -> None:
    people = {
        "1": {"email": ANNA, "person": "Anna Beck", "job_title": "Owner", "category": "bakery"},
        "2": {"emails": [ANNA, "x@y.de"], "person": "Anna Beck"},
        "3": {"email": "x@y.de", "person": "Xaver"},
    }
    for name, contact in people.items():
        await add(
            db, tables.local_businesses, source="csv", place_id=name, business_name="Beck",
            listed_contact=contact,
        )  # fmt: skip
    await erase(db, tmp_path)
    business = tables.local_businesses.c
    async with db.connect() as connection:
        query = select(business.place_id, business.listed_contact)
        kept = {row.place_id: row.listed_contact for row in await connection.execute(query)}
    assert kept["1"] == {"email": None, "person": None, "job_title": None, "category": "bakery"}
    assert kept["2"] == {"emails": ["x@y.de"], "person": None}
    assert kept["3"] == people["3"]


async def test_a_record_of_several_lines_goes_whole(db: AsyncEngine, tmp_path: Path) -> None:
    exports = tmp_path / "exports"
    exports.mkdir()
    rest = 'info@firma-beck.de,"call\r\nfirst"\r\n5" pipes,x\r\n'
    (exports / "a.csv").write_bytes(f'{ANNA},"Anna Beck\r\nOwner"\r\n{rest}'.encode())
    await erase(db, exports)
    assert (exports / "a.csv").read_bytes() == rest.encode()


@pytest.mark.parametrize("name", ["firma-beck.de", "FIRMA-BECK.DE"])
async def test_d11_three_visits_bring_nobody_back(db: AsyncEngine, tmp_path: Path, name: str) -> None:
    domain = await know(db)
    await erase(db, tmp_path)
    async with db.connect() as connection:
        page = await connection.scalar(select(tables.pages.c.id).limit(1))
    local = ANNA.partition("@")[0]
    line = {"phone": "030 / 90 18 20", "country": "DE", "person": "Anna Beck", "name": "Beck"}
    for form in (f"{local}@{name}", f"{local.title()}+x@{name}", f" {local} @ {name}"):
        seen = SightingRow("email", form, "text", f"Write to {form}", "text", 0, 0.9)
        contact = ContactUpsert(domain, page, form, NUMBER, {"source_url": "x"}, (seen,), "1")
        html = Upsert(tables.page_bodies, {k: v for k, v in body(page, form).items() if k != "tenant_id"})
        place = {"source": "csv", "place_id": "1", "name": "Beck", "phone": line["phone"]}
        place["raw_data"] = {**line, "email": form}
        async with db.begin() as connection:
            rows = [contact, html, Upsert(tables.places_staging, place)]
            await save(connection, [(item(), row) for row in rows])
    assert await places_of(db, ANNA) == set()
    assert await places_of(db, local) == set()
    for needle in ("90 18 20", "anna beck"):
        assert await places_of(db, needle) == set()
    async with db.connect() as connection:
        attempts = await connection.scalars(select(tables.suppressions.c.attempts))
    assert sum(attempts) >= 3


async def test_d14_an_export_names_every_place_and_source(db: AsyncEngine) -> None:
    other = await add_tenant(db)
    await know(db)
    await know(db, other)
    mine = tenant_engine(db, TENANT)

    known = await SubjectQuery(mine).export(TENANT, read_person([ANNA.upper()]))

    places = await places_of(db, ANNA, TENANT)
    assert set(known["places"]) == places
    [contact] = [row for row in known["places"]["contacts"] if row["email"] == ANNA]
    assert (contact["name"], contact["lawful_basis"]) == ("Anna Beck", "legitimate interest")
    assert known["sources"][0]["quote"] == f"Write to {ANNA}"
    assert known["deliveries"][0]["destination"] == "CRM"
    assert len(known["places"]["page_bodies"]) == len(FORMS) - 1
    assert {row.get("tenant_id", TENANT) for row in known["places"]["contacts"]} == {TENANT}
    assert not known["is_suppressed"]


@pytest.mark.parametrize("entries", [["firma.de"], ["nobody"], []])
def test_only_a_person_can_be_erased(entries: list[str]) -> None:
    with pytest.raises(InvalidInput):
        read_person(entries)
