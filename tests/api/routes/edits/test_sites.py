"""Domains, sitemap files and pages by HTTP: edited and deleted, with the effect in the database."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, add_job
from scrapersky import tables
from scrapersky.actions.site_edits import BELOW_DOMAIN

API = "/api/v3"


async def rows(db: AsyncEngine, table: Any) -> list[Any]:
    async with db.connect() as connection:
        return list(await connection.execute(select(table).order_by(table.c.id)))


async def add(db: AsyncEngine, table: Any, **values: Any) -> UUID:
    made = uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(table).values(**{"id": made, "tenant_id": TENANT, **values}))
    return made


async def site(db: AsyncEngine) -> UUID:
    """A domain with two pages, one contact with two sightings, two sitemap files and a job."""
    await add_contact(db, "lune.co.uk", email="ada@lune.co.uk")
    [domain] = await rows(db, tables.domains)
    index = await add(db, tables.sitemap_files, domain_id=domain.id, url="https://lune.co.uk/sitemap.xml")
    url = "https://lune.co.uk/pages.xml"
    await add(db, tables.sitemap_files, domain_id=domain.id, url=url, parent_id=index)
    await add_job(db, "sitemap", domain_id=domain.id)
    return UUID(str(domain.id))


async def test_a_domain_gets_notes_and_tags(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain = await site(db)
    body = {"notes": " call in May ", "tags": ["vip", "vip"]}
    answer = await api.patch(f"{API}/domains/{domain}", json=body)
    assert answer.status_code == 200, answer.text
    [row] = await rows(db, tables.domains)
    assert (row.notes, row.tags) == ("call in May", ["vip"])
    assert (await api.patch(f"{API}/domains/{domain}", json={"status": "completed"})).status_code == 422
    assert (await api.patch(f"{API}/domains/{uuid4()}", json=body)).status_code == 404


async def test_a_domain_is_deleted_only_with_the_expected_count(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    domain = await site(db)
    await add_contact(db, "other.com", email="a@other.com")
    for wrong in ("", "?expected_count=0", "?expected_count=5"):
        refused = await api.delete(f"{API}/domains/{domain}{wrong}")
        assert refused.status_code == 409
        assert "1 contact, 2 pages, 2 sitemap files, 1 job" in refused.json()["detail"]
    assert len(await rows(db, tables.domains)) == 2
    answer = await api.delete(f"{API}/domains/{domain}?expected_count=6")
    assert answer.json() == {"contacts": 1, "pages": 2, "sitemap_files": 2, "jobs": 1}
    assert [row.domain for row in await rows(db, tables.domains)] == ["other.com"]
    assert len(await rows(db, tables.contacts)) == 1
    assert len(await rows(db, tables.pages)) == len(await rows(db, tables.sightings)) == 2
    assert await rows(db, tables.sitemap_files) == await rows(db, tables.jobs) == []


async def test_rows_are_deleted_before_their_domain_only_with_an_audit_entry(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """They go in batches; a crash in between must not leave rows gone of which the log says nothing."""
    domain = await site(db)
    async with db.begin() as connection:
        await connection.execute(text("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (false) NOT VALID"))
    answer = await api.delete(f"{API}/domains/{domain}?expected_count=6")
    assert answer.status_code >= 400
    assert [len(await rows(db, table)) for table in BELOW_DOMAIN] == [1, 2, 2, 1]


async def test_a_sitemap_file_is_added_edited_and_deleted(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    url = "https://lune.co.uk/sitemap.xml"
    answer = await api.post(f"{API}/sitemap-files", json={"sitemap_url": url, "auto_import": True})
    assert answer.status_code == 201, answer.text
    [row] = await rows(db, tables.sitemap_files)
    assert (row.url, row.sitemap_import_status) == (url, "Queued")
    assert (await api.post(f"{API}/sitemap-files", json={"sitemap_url": url})).status_code == 409
    bad = await api.post(f"{API}/sitemap-files", json={"sitemap_url": "https://lune.co.uk/about"})
    assert bad.status_code == 422
    path = f"{API}/sitemap-files/{row.id}"
    for method, body in (("PUT", {"notes": "main"}), ("PATCH", {"priority_level": 1})):
        assert (await api.request(method, path, json=body)).status_code == 200
    [row] = await rows(db, tables.sitemap_files)
    assert (row.notes, row.priority_level) == ("main", 1)
    assert (await api.patch(path, json={"priority_level": 9})).status_code == 422
    await add(db, tables.sitemap_files, domain_id=row.domain_id, url=f"{url}.gz", parent_id=row.id)
    assert (await api.delete(path)).status_code == 204
    assert await rows(db, tables.sitemap_files) == []
    assert (await api.delete(path)).status_code == 404


async def test_a_page_is_edited_and_deleted_and_its_contacts_stay(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await site(db)
    [contact] = await rows(db, tables.contacts)
    path = f"{API}/pages/{contact.page_id}"
    assert (await api.patch(path, json={"priority_level": 1})).json()["priority_level"] == 1
    assert (await api.delete(path)).status_code == 204
    [after] = await rows(db, tables.contacts)
    assert (after.id, after.page_id) == (contact.id, None)
    assert len(await rows(db, tables.pages)) == len(await rows(db, tables.sightings)) == 1


@pytest.mark.parametrize("path", ["domains", "sitemap-files", "pages"])
async def test_rows_of_another_tenant_do_not_exist(
    api: httpx.AsyncClient, db: AsyncEngine, path: str
) -> None:
    other = {"tenant_id": uuid4()}
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other["tenant_id"], name="Other"))
    domain = await add(db, tables.domains, domain="a.com", **other)
    below = {"domain_id": domain, "url": "https://a.com/sitemap.xml", **other}
    ids = {
        "domains": domain,
        "sitemap-files": await add(db, tables.sitemap_files, **below),
        "pages": await add(db, tables.pages, **below),
    }
    body = {"priority_level": 1} if path == "pages" else {"notes": "mine"}
    for row_id in (ids[path], uuid4()):
        assert (await api.patch(f"{API}/{path}/{row_id}", json=body)).status_code == 404
        assert (await api.delete(f"{API}/{path}/{row_id}")).status_code == 404
    assert len(await rows(db, tables.pages)) == 1


async def test_an_edit_of_an_old_version_is_refused(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    path = f"{API}/domains/{await site(db)}"
    tag = {"If-Match": (await api.patch(path, json={"notes": "one"})).headers["ETag"]}
    assert (await api.patch(path, json={"notes": "two"}, headers=tag)).status_code == 200
    assert (await api.patch(path, json={"notes": "three"}, headers=tag)).status_code == 412
    assert (await api.delete(f"{path}?expected_count=6", headers=tag)).status_code == 412
    [row] = await rows(db, tables.domains)
    assert row.notes == "two"
