"""The eight workflows, each followed from a request to the API to the rows that it leaves in the database.

All gates are closed, so that nothing but the request starts a workflow.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from contacts_lab import add_contact
from demo_lab import Lab, find_domain, lab, well
from google_lab import with_google
from product import until
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.web import create_app
from scrapersky_demo.contracts.google_city import BOX, clustered_city

ORIGIN = "http://localhost:8000"
WORLD = well(3, 8)
CLOSED = {
    "AUTO_SITEMAP_ANALYSIS": "false",
    "SITEMAP_AUTO_IMPORT": "false",
    "AUTO_PAGE_READING": "false",
    "AUTO_EMAIL_VALIDATION": "false",
    "DECISION_GRACE_SECONDS": "0",
}


@asynccontextmanager
async def opened(url: str, folder: Path) -> AsyncIterator[Lab]:
    async with lab(url, WORLD, folder, **CLOSED) as found:
        yield found


async def send(found: Lab, path: str, **body: Any) -> Any:
    """One POST to the API, as the local user."""
    context = ApiContext(found.engine, found.settings, Log(), SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"))
    web = create_app(HealthQuery(found.engine, None), StageQuery(found.engine), api=context)
    transport = httpx.ASGITransport(web, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        answer = await client.post(f"/api/v3{path}", json=body)
    await context.close()
    assert answer.is_success, answer.text
    return answer.json()


async def select(found: Lab, path: str) -> None:
    decided = await send(found, f"{path}/decisions", filter={"curation_status": "New"}, decision="Selected")
    assert (decided["updated_count"], decided["queued_count"]) == (1, 1)


async def done(found: Lab, stage: str, table: str, column: str) -> None:
    """Run one stage until the only row of its table is complete."""

    async def is_complete() -> bool:
        return await found.statuses(table, column) == {"Complete": 1}

    async with found.working(stage):
        await until(is_complete)


async def add_host(found: Lab) -> str:
    """A domain that has been submitted, and waits for a decision."""
    host = find_domain(WORLD, sitemap="standard")
    await send(found, "/domains/direct-submit", domains=[host], auto_queue=False)
    return host


@pytest.mark.req("R245", "R246")
async def test_wf1_a_place_search_stores_places_that_wait_for_a_decision(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path) as found, with_google(found, clustered_city(25)):
        await send(found, "/searches", business_type="bakery", box=BOX, source="google_places")
        await found.run("search_places")
        assert await found.one("SELECT places_found FROM place_searches WHERE status = 'complete'") == 25
        assert await found.statuses("places_staging", "deep_scan_status") == {None: 25}
        assert await found.statuses("places_staging", "status") == {"New": 25}


@pytest.mark.req("R245", "R246")
async def test_wf2_a_selected_place_is_scanned_and_becomes_a_business(
    database_url: str, tmp_path: Path
) -> None:
    business = next(one for one in WORLD.businesses if one.host)
    async with opened(database_url, tmp_path) as found:
        await found.do(
            "INSERT INTO places_staging (tenant_id, source, place_id, name)"
            " VALUES (:tenant, 'demo', :id, 'x')",
            tenant=found.who.tenant_id,
            id=business.id,
        )
        await select(found, "/places/staging")
        await found.run("deep_scan")
        [row] = await found.rows("SELECT business_name, website_url, phone FROM local_businesses")
        assert tuple(row) == (business.name, business.website, business.main_line.e164)
        assert await found.statuses("places_staging", "deep_scan_status") == {"Completed": 1}


@pytest.mark.req("R245", "R248")
async def test_wf3_a_selected_business_leads_to_its_domain(database_url: str, tmp_path: Path) -> None:
    business = next(one for one in WORLD.businesses if one.host)
    async with opened(database_url, tmp_path) as found:
        await found.do(
            "INSERT INTO local_businesses (tenant_id, source, place_id, business_name, website_url)"
            " VALUES (:tenant, 'demo', '1', :name, :website)",
            tenant=found.who.tenant_id,
            name=business.name,
            website=business.website,
        )
        await select(found, "/local-businesses")
        await found.run("extract_domain", "read_metadata")
        [row] = await found.rows(
            "SELECT d.domain, d.status, b.domain_extraction_status FROM domains d"
            " JOIN local_businesses b ON b.id = d.local_business_id"
        )
        assert tuple(row) == (business.host, "completed", "Completed")


@pytest.mark.req("R138", "R245")
async def test_wf4_a_selected_domain_gets_a_job_that_finds_its_sitemaps_and_no_contact(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path) as found:
        await add_host(found)
        await select(found, "/domains")
        await found.run("submit_domain", "discover_sitemaps")
        assert await found.statuses("domains", "sitemap_analysis_status") == {"submitted": 1}
        [job] = await found.rows("SELECT status, job_type FROM jobs")
        assert tuple(job) == ("complete", "sitemap")
        assert await found.one("SELECT count(*) FROM sitemap_files") > 0
        assert await found.one("SELECT count(*) FROM contacts") == 0


async def add_sitemap(found: Lab) -> str:
    """A sitemap that has been submitted, and waits for a decision."""
    host = await add_host(found)
    urls = [f"http://{host}/sitemap.xml"]
    await send(found, "/sitemaps/direct-submit", sitemap_urls=urls, auto_import=False)
    assert await found.statuses("sitemap_files", "sitemap_import_status") == {None: 1}
    return host


@pytest.mark.req("R245")
async def test_wf5_a_selected_sitemap_is_queued_for_import(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as found:
        await add_sitemap(found)
        await select(found, "/sitemap-files")
        assert await found.statuses("sitemap_files", "sitemap_curation_status") == {"Selected": 1}
        assert await found.statuses("sitemap_files", "sitemap_import_status") == {"Queued": 1}


@pytest.mark.req("R245")
async def test_wf6_a_queued_sitemap_is_imported_into_pages(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as found:
        host = await add_sitemap(found)
        await select(found, "/sitemap-files")
        await found.run("import_sitemap")
        assert await found.statuses("sitemap_files", "sitemap_import_status") == {"Complete": 1}
        pages = await found.one("SELECT count(*) FROM pages WHERE url LIKE :below", below=f"http://{host}/%")
        assert 0 < pages <= await found.one("SELECT url_count FROM sitemap_files")


@pytest.mark.req("R245", "R247", "R249")
async def test_wf7_a_selected_page_is_read_and_its_contacts_are_stored_with_evidence(
    database_url: str, tmp_path: Path
) -> None:
    async with opened(database_url, tmp_path) as found:
        host = await add_host(found)
        await send(found, "/pages/direct-submit", urls=[f"http://{host}/"], auto_queue=False)
        await select(found, "/pages")
        await found.run("read_page")
        assert await found.statuses("pages", "page_processing_status") == {"Complete": 1}
        without = (
            "SELECT count(*) FROM contacts c WHERE NOT EXISTS (SELECT FROM sightings WHERE contact_id = c.id)"
        )
        assert await found.one("SELECT count(*) FROM contacts") > 0
        assert await found.one(without) == 0


@pytest.mark.req("R245", "R247", "R270")
async def test_wf8_a_contact_is_validated_and_delivered(database_url: str, tmp_path: Path) -> None:
    async with opened(database_url, tmp_path) as found:
        contact = await add_contact(found.engine, "shop.com", email="ada@shop.com")
        await send(found, "/contacts/validate", contact_ids=[str(contact)])
        await done(found, "validate_email", "contacts", "email_validation_status")
        made = await send(found, "/destinations", name="Leads", kind="csv", options={"file": "leads.csv"})
        sent = await send(
            found, f"/destinations/{made['id']}/send", ids=[str(contact)], include=["unverified"]
        )
        assert sent["queued_count"] == 1
        await done(found, "deliver", "deliveries", "status")
        assert "ada@shop.com" in (tmp_path / "exports" / "leads.csv").read_text()
