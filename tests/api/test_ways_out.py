"""Who is suppressed leaves by no way out: every list, row, file, command and kind of destination is tried.

The contacts are inserted behind the product's back, so that each way out has to stop them itself.
"""

from __future__ import annotations

import asyncio
import io
import re
import zipfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args
from uuid import UUID, uuid4

import duckdb
import httpx
import pytest
from click import Group
from click.testing import CliRunner
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from fakes import FakeDestination, context, item
from matches_lab import add_match
from pipeline_rows import add_business, add_page, add_place, add_site
from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.contacts.rechecks import EmailRechecks
from scrapersky.actions.privacy.suppressions import suppress
from scrapersky.actions.schedules.exports import Exporter
from scrapersky.api.routes.exports import PATHS
from scrapersky.cli import main
from scrapersky.declarations import statuses
from scrapersky.destinations.contact_format import FileFormat
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.queries.contacts import ContactQuery
from scrapersky.queries.rows.dossier import DossierQuery
from scrapersky.stage_context.delivery_payloads import DeliveryPayloads
from scrapersky.stage_context.delivery_sender import DeliverySender
from scrapersky.stages import deliver

FORMATS = get_args(FileFormat)
SECRET = "a key of tests that is long enough 0123456789"
# Suppressed: an address, a number alone, a domain, a number beside an address, and a quoted address.
NEEDLES = ("anna", "901820", "chef@", "901821")
KEPT = "info@verein.de"
WORDS = {"title": "Write to anna@firma.de", "description": "Call +49 30 901820"}


@dataclass(frozen=True)
class World:
    contacts: dict[str, UUID]
    rows: dict[str, UUID]


@pytest.fixture
async def world(db: AsyncEngine) -> World:
    await suppress(db, WHO, ["anna@firma.de", "+49 30 901820", "firma-zwei.de", "+49 30 901821"], "objected")
    contacts = {
        "address": await add_contact(db, "firma.de", email="anna+shop@firma.de", name="Anna"),
        "number": await add_contact(db, "firma.de", phone_number="+4930901820"),
        "domain": await add_contact(db, "firma-zwei.de", email="chef@gmx.de"),
        "kept": await add_contact(
            db, "verein.de", email=KEPT, phone_number="+4930901821", phone_type="phone"
        ),
    }
    async with db.begin() as connection:
        quoted = tables.sightings.update().where(tables.sightings.c.contact_id == contacts["kept"])
        await connection.execute(quoted.values(quote=f"{KEPT} or anna@firma.de"))
    match = await add_match(db)
    async with db.begin() as connection:
        places = tables.places_staging
        await connection.execute(
            places.update().values(phone="+49 30 901820", website_url="mailto:anna@firma.de")
        )
    site = await add_site(db, **WORDS, social_urls={"mail": "mailto:anna%40firma.de"}, notes="anna@firma.de")
    rows = {
        "place": await add_place(db, name="Shop", formatted_address="Weg 1, anna@firma.de", raw_data=WORDS),
        "business": await add_business(db, business_name="Shop", phone="+49 30 901820", listed_contact=WORDS),
        "domain": site,
        "page": await add_page(db, site, **WORDS, h1="anna@firma.de", scraped_content={"found": [WORDS]}),
        "match": match,
    }
    return World(contacts, rows)


def text_of(data: bytes, form: str = "") -> str:
    """The values of a file as text."""
    if form == "xlsx":
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            return " ".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
    return data.decode(errors="replace")


def parquet_text(path: Path) -> str:
    return str(duckdb.sql(f"SELECT * FROM '{path}'").fetchall())


def leaks(text: str) -> list[str]:
    return [needle for needle in NEEDLES if needle in text.lower()]


async def test_no_list_or_row_of_the_api_shows_who_is_suppressed(
    api: httpx.AsyncClient, make_web: Any, world: World
) -> None:
    """Every route that answers with the rows of a list, one row or a file, as the router table names them."""
    web: FastAPI = make_web()
    paths = {str(route.path) for route in iter_route_contexts(web.routes) if "GET" in (route.methods or ())}
    shown = []
    for name, path in PATHS.items():
        listed = f"/api/v3{path}"
        assert listed in paths or name == "job", name
        answer = await api.get(listed)
        assert leaks(answer.text) == [], listed
        shown.append(answer.text)
        for row in answer.json()["items"]:
            if f"{listed}/{{row_id:uuid}}" in paths:
                one = await api.get(f"{listed}/{row['id']}")
                assert one.status_code == 200
                assert leaks(one.text) == [], f"{listed}/{name}"
    assert KEPT in "".join(shown)
    for name in ("address", "number", "domain"):
        assert (await api.get(f"/api/v3/contacts/{world.contacts[name]}")).status_code == 404


async def test_no_pair_verdict_or_dossier_shows_who_is_suppressed(
    api: httpx.AsyncClient, db: AsyncEngine, world: World
) -> None:
    for path in ("/matches", f"/matches/{world.rows['match']}"):
        answer = await api.get(f"/api/v3{path}")
        assert (answer.status_code, leaks(answer.text)) == (200, []), path
        assert "place_a" in answer.text
    ids = ",".join(str(contact) for contact in world.contacts.values())
    answer = await api.get("/api/v3/contacts/validation-status", params={"contact_ids": ids})
    assert [row["email"] for row in answer.json()["items"]] == [KEPT]
    dossier = DossierQuery(db, TENANT)
    async with db.connect() as connection:
        domains = (await connection.scalars(select(tables.domains.c.id))).all()
    shown = [contact for domain in domains for contact in await dossier.contacts(domain)]
    assert [contact["email"] for contact in shown] == [KEPT]
    assert leaks(str(shown)) == []


@pytest.mark.parametrize("form", FORMATS)
async def test_no_file_holds_who_is_suppressed(
    api: httpx.AsyncClient, make_web: Any, world: World, tmp_path: Path, form: str
) -> None:
    """The exports of the router table, also those that a person starts in the console."""
    web: FastAPI = make_web()
    exports = {
        str(route.path)
        for route in iter_route_contexts(web.routes)
        if re.fullmatch(r"/api/v3/.*export", str(route.path)) and "GET" in (route.methods or ())
    }
    assert exports == {f"/api/v3{path}/export" for path in PATHS.values()}
    for path in sorted(exports):
        answer = await api.get(path, params={"format": form})
        assert answer.status_code == 200
        file = tmp_path / "out.parquet"
        file.write_bytes(answer.content)
        text = parquet_text(file) if form == "parquet" else text_of(answer.content, form)
        assert leaks(text) == [], path
        assert (KEPT in text) == (path == "/api/v3/contacts/export")


@pytest.mark.parametrize("form", FORMATS)
async def test_no_export_of_a_schedule_holds_who_is_suppressed(
    db: AsyncEngine, world: World, tmp_path: Path, form: str
) -> None:
    exporter = Exporter(db, lambda tenant: tmp_path, EmailRechecks(None, timedelta(days=9_999)))  # type: ignore[arg-type]
    for entity in PATHS:
        file = tmp_path / f"{entity}.{form}"
        await exporter.write(TENANT, entity, {}, file.name)
        text = parquet_text(file) if form == "parquet" else text_of(file.read_bytes(), form)
        assert leaks(text) == [], entity
        assert (KEPT in text) == (entity == "contact")


@pytest.mark.parametrize("kind", statuses.DESTINATION_KIND)
async def test_no_destination_gets_who_is_suppressed(db: AsyncEngine, world: World, kind: str) -> None:
    destination = uuid4()
    async with db.begin() as connection:
        row = {"id": destination, "tenant_id": TENANT, "name": "Out", "kind": kind}
        await connection.execute(insert(tables.destinations).values(row))
    crm = FakeDestination()
    stage = context(payloads=DeliveryPayloads(Database(db)), sender=DeliverySender({kind: crm}))

    def delivery(contact: UUID) -> Any:
        return item(action="upsert", contact_id=contact, destination_id=destination, external_id=None)

    for name in ("address", "number", "domain"):
        with pytest.raises(Discard, match="suppressed"):
            await deliver.run(delivery(world.contacts[name]), stage)
    assert crm.got == []
    await deliver.run(delivery(world.contacts["kept"]), stage)
    [sent] = crm.got
    assert leaks(str(sent.contact)) == []
    assert sent.contact["email"] == KEPT
    assert (sent.contact["phone_number"], sent.contact["phone_type"]) == (None, None)


def commands(group: Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for name in group.list_commands(None):  # type: ignore[arg-type]
        command = group.get_command(None, name)  # type: ignore[arg-type]
        found += commands(command, (*path, name)) if isinstance(command, Group) else [(*path, name)]
    return found


def test_every_command_that_writes_contacts_is_known() -> None:
    """Commands with --output write files; `find` and `demo` write what `ContactQuery.stream` gives."""
    writing = set()
    for path in commands(main):
        command: Any = main
        for name in path:
            command = command.get_command(None, name)
        if any("--output" in parameter.opts for parameter in command.params):
            writing.add(path)
    assert writing == {("export",), ("find",), ("demo",)}


@pytest.mark.parametrize("form", FORMATS)
async def test_no_command_writes_who_is_suppressed(
    world: World, database_url: str, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"DATABASE_URL": database_url, "SECRET_KEY": SECRET, "DATA_FOLDER": str(tmp_path / "data")}

    def run(*arguments: str) -> bytes:
        result = CliRunner().invoke(main, list(arguments), env=settings)
        assert result.exit_code == 0, result.output
        return result.stdout_bytes

    def run_all() -> None:
        for rows in ("contacts", "businesses", "places", "pages", "domains"):
            file = tmp_path / f"{rows}.{form}"
            run("export", rows, "-o", str(file))
            text = parquet_text(file) if form == "parquet" else text_of(file.read_bytes(), form)
            assert leaks(text) == [], rows
            assert (KEPT in text) == (rows == "contacts")
        for kind in ("contact", "business", "place"):
            assert leaks(run(kind, "list", "--json").decode()) == [], kind
        shown = CliRunner().invoke(main, ["contact", "show", str(world.contacts["address"])], env=settings)
        assert shown.exit_code != 0

    await asyncio.to_thread(run_all)


async def test_find_writes_nobody_who_is_suppressed(db: AsyncEngine, world: World) -> None:
    written = [row async for row in ContactQuery(db).stream(TENANT)]
    assert [row["email"] for row in written] == [KEPT]
    assert leaks(str(written)) == []
