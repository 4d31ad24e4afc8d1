"""The demo world: offered on an empty loopback installation, seen by managers, removed by one click."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from people import add_key, add_person, bearer
from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.installation.demo_tenant import add_demo_tenant
from scrapersky.api.caller import DEMO_COOKIE
from scrapersky.errors import Conflict
from scrapersky.queries.installation.tenants import TenantQuery
from scrapersky.tables.seed import DEMO_TENANT_ID
from scrapersky.web.console.add import demo

LOOK = {"Cookie": f"{DEMO_COOKIE}=1"}
PATIENCE_SECONDS = 240


async def add_demo_domain(db: AsyncEngine) -> uuid.UUID:
    domain_id = uuid.uuid4()
    row = {"id": domain_id, "tenant_id": DEMO_TENANT_ID, "domain": "invented.com", "host": "invented.com"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.domains).values(row))
    return domain_id


async def until_loaded(console: httpx.AsyncClient) -> httpx.Response:
    """The page once it no longer asks for itself."""
    for _ in range(PATIENCE_SECONDS):
        page = await console.get("/demo")
        if 'hx-trigger="every 2s"' not in page.text:
            return page
        await asyncio.sleep(1)
    raise TimeoutError


async def count_of_demo(db: AsyncEngine) -> dict[str, int]:
    async with db.connect() as connection:
        numbers = {}
        for table in tables.metadata.sorted_tables:
            if "tenant_id" in table.c:
                query = select(func.count()).select_from(table).where(table.c.tenant_id == DEMO_TENANT_ID)
                numbers[table.name] = (await connection.execute(query)).scalar_one()
        return {name: number for name, number in numbers.items() if number}


async def test_it_is_offered_on_an_empty_installation_only(
    console: httpx.AsyncClient, open_console: Any, db: AsyncEngine
) -> None:
    assert "Load the demo world" in (await console.get("/demo")).text
    assert "Load the demo world" in (await console.get("/add")).text
    async with open_console(public_url="https://sky.example.com") as public:
        assert (await public.post("/demo")).status_code in (401, 303, 403, 409)
    await add_contact(db, "stone-fitness.com", email="ada@stone-fitness.com")
    assert "Load the demo world" not in (await console.get("/demo")).text
    assert "Load the demo world" not in (await console.get("/add")).text
    assert (await console.post("/demo")).status_code == 409
    assert not await count_of_demo(db)


async def test_a_load_that_ended_with_its_server_can_be_begun_again(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_demo_tenant(db, WHO, TENANT)
    page = (await console.get("/demo")).text
    assert "The demo world could not be built." in page
    assert "finished snapshot" not in page
    assert (await console.post("/demo/remove")).status_code == 303
    assert "Load the demo world" in (await console.get("/demo")).text


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_only_admins_load_and_remove_it(open_console: Any, db: AsyncEngine, role: str) -> None:
    await add_demo_tenant(db, WHO, TENANT)
    domain_id = await add_demo_domain(db)
    async with open_console(role) as browser:
        for path in ("/demo", "/demo/look", "/demo/leave", "/demo/remove"):
            assert (await browser.post(path)).status_code == 403, path
        browser.headers["Cookie"] += f"; {DEMO_COOKIE}=1"
        assert (await browser.get(f"/domains/{domain_id}")).status_code == 404
        assert "demo-banner" not in (await browser.get("/add/progress")).text
    assert (await count_of_demo(db))["domains"] == 1


async def test_the_cookie_leads_managers_into_the_demo_and_nobody_else(
    console: httpx.AsyncClient, open_console: Any, db: AsyncEngine
) -> None:
    assert (await console.post("/demo/look")).status_code == 404
    # Without the tenant the cookie is nothing.
    assert "demo-banner" not in (await console.get("/demo", headers=LOOK)).text
    await add_demo_tenant(db, WHO, TENANT)
    domain_id = await add_demo_domain(db)
    assert (await console.get(f"/domains/{domain_id}")).status_code == 404
    inside = await console.get(f"/domains/{domain_id}", headers=LOOK)
    assert inside.status_code == 200
    assert "You are looking at the <strong>demo world</strong>" in inside.text
    assert (await console.get("/api/v3/domains", headers=LOOK)).json()["total"] == 1
    # A decision there is about the demo's own rows.
    await console.post(f"/domains/{domain_id}/decide", data={"value": "Rejected"}, headers=LOOK)
    async with db.connect() as connection:
        row = (await connection.execute(select(tables.domains))).one()
        entry = (
            await connection.execute(select(tables.audit_log).order_by(tables.audit_log.c.created_at.desc()))
        ).first()
    assert (row.tenant_id, row.sitemap_curation_status) == (DEMO_TENANT_ID, "Rejected")
    assert entry is not None
    assert entry.tenant_id == DEMO_TENANT_ID
    left = await console.post("/demo/leave", headers=LOOK)
    assert f'{DEMO_COOKIE}=""' in left.headers["set-cookie"]
    # A key never follows the cookie, whatever it may do.
    admin = await add_person(db, "admin@example.com")
    key = bearer(await add_key(db, admin, "admin"))
    answer = await console.get("/api/v3/domains", headers={**key, **LOOK})
    assert answer.json()["total"] == 0
    # Nor an admin of another tenant.
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    stranger = await add_person(db, "other@example.com", tenant_id=other)
    answer = await console.get(
        "/api/v3/domains", headers={**bearer(await add_key(db, stranger, "admin")), **LOOK}
    )
    assert answer.json()["total"] == 0


async def test_accounts_and_settings_stay_those_of_the_installation(
    open_console: Any, db: AsyncEngine
) -> None:
    await add_demo_tenant(db, WHO, TENANT)
    async with open_console(role="admin") as admin:
        look = {"Cookie": f"{admin.headers['cookie']}; {LOOK['Cookie']}"}
        people = await admin.get("/settings/people", headers=look)
        assert "admin@example.com" in people.text
        assert "demo world" not in people.text
        form = {"name": "robot", "scope": "read", "days": "30"}
        assert (await admin.post("/settings/keys", data=form, headers=look)).status_code == 201
        users = await admin.get("/api/v3/users", headers=look)
        assert [user["email"] for user in users.json()["items"]] == ["admin@example.com"]
    async with db.connect() as connection:
        owners = (await connection.execute(select(tables.api_keys.c.tenant_id))).scalars().all()
    assert owners == [TENANT]


async def test_no_worker_processes_the_demo_and_no_tenant_is_taken_over(db: AsyncEngine) -> None:
    assert await TenantQuery(db).disabled() == set()
    await add_demo_tenant(db, WHO, TENANT)
    assert await TenantQuery(db).disabled() == {DEMO_TENANT_ID}
    with pytest.raises(Conflict):
        await add_demo_tenant(db, WHO, TENANT)


async def test_removing_it_leaves_nothing_of_it_and_everything_else(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_contact(db, "stone-fitness.com", email="ada@stone-fitness.com")
    await add_demo_tenant(db, WHO, TENANT)
    domain_id = await add_demo_domain(db)
    await console.post(f"/domains/{domain_id}/decide", data={"value": "Selected"}, headers=LOOK)
    data = {"domain": "invented.com", "email": "a@invented.com"}
    assert (await console.post("/contacts/new", data=data, headers=LOOK)).status_code == 303
    removed = await console.post("/demo/remove", headers=LOOK)
    assert removed.status_code == 303
    assert f'{DEMO_COOKIE}=""' in removed.headers["set-cookie"]
    assert not await count_of_demo(db)
    async with db.connect() as connection:
        assert (await connection.execute(select(tables.tenants.c.id))).scalars().all() == [TENANT]
        assert (await connection.execute(select(tables.hosts.c.host))).scalars().all() == [
            "stone-fitness.com"
        ]
        assert len((await connection.execute(select(tables.contacts))).all()) == 1


async def test_a_program_that_fails_is_reported(
    console: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module that runs, and is not the program: it ends at once.
    monkeypatch.setattr(demo, "PROGRAM", "this")
    assert (await console.post("/demo")).status_code == 303
    page = await until_loaded(console)
    assert "could not be built" in page.text
    assert "The program ended early" in page.text
    assert (await console.post("/demo/remove")).status_code == 303
    assert "Load the demo world" in (await console.get("/demo")).text


async def test_the_real_pipeline_fills_it(
    console: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "SIZE", 3)
    assert (await console.post("/demo")).status_code == 303
    page = await until_loaded(console)
    assert "Look at the demo world" in page.text, page.text
    numbers = await count_of_demo(db)
    assert numbers["local_businesses"] == numbers["places_staging"] == 3
    assert numbers["contacts"] > 0
    assert numbers["sightings"] > 0
    async with db.connect() as connection:
        tenants = set((await connection.execute(select(tables.domains.c.tenant_id))).scalars())
        waiting = (await connection.execute(select(tables.domains.c.status))).scalars().all()
    assert tenants == {DEMO_TENANT_ID}
    assert "pending" not in waiting
    assert (await console.post("/demo/remove")).status_code == 303
    assert not await count_of_demo(db)
