"""The dossier of one domain: what it shows, what its buttons change, and that foreign text stays text."""

from __future__ import annotations

import re
import uuid
from html import unescape
from typing import Any

import httpx
import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT
from scrapersky import tables
from scrapersky.queries.explanations import ExplanationQuery

ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
HOST = "stone-fitness.com"


async def add_domain(db: AsyncEngine, domain: str = HOST, **values: Any) -> uuid.UUID:
    made = uuid.uuid4()
    row = {"id": made, "tenant_id": TENANT, "domain": domain, "host": domain, **values}
    async with db.begin() as connection:
        await connection.execute(insert(tables.domains).values(row))
    return made


async def one(db: AsyncEngine, table: Any, row_id: uuid.UUID) -> Any:
    async with db.connect() as connection:
        return (await connection.execute(select(table).where(table.c.id == row_id))).one_or_none()


def text_of(page: httpx.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


def hidden(page: httpx.Response, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found, name
    return unescape(found[1])


async def test_a_person_pauses_the_host_and_resumes_it(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain_id = await add_domain(db, status="pending")
    done = await console.post(f"/domains/{domain_id}/pause-host", data={"hours": "24"})
    assert (done.status_code, done.headers["location"]) == (303, f"/domains/{HOST}?tab=requests")
    page = await console.get(f"/domains/{HOST}?tab=requests")
    assert "A person has paused this host until" in text_of(page)
    [why] = await ExplanationQuery(db).without_contacts([domain_id])
    assert (why.reason, why.error) == ("waiting", "a person has paused its host")
    async with db.connect() as connection:
        hours = func.extract("epoch", tables.hosts.c.paused_until - func.now()) / 3600
        assert 23 < await connection.scalar(select(hours)) <= 24

    assert (await console.post(f"/domains/{domain_id}/resume-host")).status_code == 303
    page = await console.get(f"/domains/{HOST}?tab=requests")
    assert "A person has paused" not in page.text
    assert "Pause host" in text_of(page)
    history = text_of(await console.get(f"/domains/{HOST}?tab=history"))
    assert "host.pause" in history
    assert "host.resume" in history


async def test_a_pause_of_a_host_has_one_of_the_offered_lengths(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    domain_id = await add_domain(db)
    for hours in ("", "0", "-1", "9999", "x"):
        answer = await console.post(f"/domains/{domain_id}/pause-host", data={"hours": hours})
        assert answer.status_code == 422, hours


@pytest.mark.req("R223")
async def test_a_domain_is_shown_with_status_and_error_and_reset(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    values = {"status": "error", "error": "connection refused", "sitemap_curation_status": "Selected"}
    domain_id = await add_domain(db, title="Stone Fitness", **values)
    page = await console.get(f"/domains/{HOST}")
    assert page.status_code == 200
    assert "Stone Fitness" in page.text
    assert "connection refused" in page.text
    assert "error" in page.text
    assert (await console.get(f"/domains/{domain_id}")).text.count(HOST)
    done = await console.post(f"/domains/{domain_id}/decide", data={"action": "reset"})
    assert (done.status_code, done.headers["location"]) == (303, f"/domains/{HOST}")
    row = await one(db, tables.domains, domain_id)
    assert (row.sitemap_curation_status, row.error) == ("New", None)


async def test_a_button_selects_queues_and_can_be_undone(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain_id = await add_domain(db, status="completed")
    await console.post(f"/domains/{domain_id}/decide", data={"value": "Selected"})
    row = await one(db, tables.domains, domain_id)
    assert (row.sitemap_curation_status, row.sitemap_analysis_status) == ("Selected", "queued")
    page = await console.get(f"/domains/{HOST}?tab=history")
    undo = re.search(r'action="(/operations/[^"]+/undo)"', page.text)
    assert undo
    assert "Curate: Selected" in text_of(page)
    await console.post(undo[1], data={"back": f"/domains/{HOST}"})
    row = await one(db, tables.domains, domain_id)
    assert (row.sitemap_curation_status, row.sitemap_analysis_status) == ("New", None)
    refused = await console.post(f"/domains/{domain_id}/decide", data={"value": "Sold"})
    assert refused.status_code == 422


async def test_scan_now_queues_the_home_page(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain_id = await add_domain(db, status="completed")
    await console.post(f"/domains/{domain_id}/decide", data={"action": "run"})
    assert (await one(db, tables.domains, domain_id)).status == "pending"


@pytest.mark.parametrize("tab", ["contacts", "pages", "sitemaps", "technology", "requests", "history", "x"])
async def test_every_scraped_field_is_inert(console: httpx.AsyncClient, db: AsyncEngine, tab: str) -> None:
    business, place, domain_id = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    own = {"tenant_id": TENANT}
    async with db.begin() as connection:
        row = {"id": place, **own, "place_id": "p", "name": ATTACK}
        await connection.execute(insert(tables.places_staging).values(row))
        row = {"id": business, **own, "place_id": "p", "business_name": ATTACK, "place_row_id": place}
        await connection.execute(insert(tables.local_businesses).values({**row, "main_category": ATTACK}))
        texts = (
            "title",
            "description",
            "generator",
            "canonical_url",
            "favicon_url",
            "wordpress_theme",
            "error",
        )
        known = {
            **dict.fromkeys(texts, ATTACK),
            "language": "<b>en",
            "tech_stack": {ATTACK: {"version": ATTACK, "categories": [ATTACK, ATTACK]}},
            "social_urls": {ATTACK: "javascript:alert(1)"},
            "facebook_url": "javascript:alert(1)",
            "email_addresses": [ATTACK],
            "phone_numbers": [ATTACK],
            "physical_addresses": [ATTACK],
            "domain_metadata": {"home_url": "javascript:alert(1)", "wordpress_plugins": [ATTACK]},
            "tags": ["<b>"],
            "notes": f"</textarea>{ATTACK}",
            "sitemap_analysis_error": ATTACK,
        }
        row = {"id": domain_id, **own, "domain": HOST, "host": HOST, "local_business_id": business, **known}
        await connection.execute(insert(tables.domains).values(row))
        row = {**own, "domain_id": domain_id, "host": HOST}
        now = (await connection.execute(select(tables.domains.c.created_at))).scalar_one()
        page = {"url": "javascript:alert(1)", "title": ATTACK, "page_type": ATTACK[:50], "last_scan_at": now}
        await connection.execute(
            insert(tables.pages).values({**row, **page, "page_processing_error": ATTACK})
        )
        sitemap = {"url": f"https://{HOST}/{ATTACK}", "sitemap_type": ATTACK[:50], "discovery_method": "<i>"}
        error = {"sitemap_import_error": ATTACK, "sitemap_import_finished_at": now}
        await connection.execute(insert(tables.sitemap_files).values({**row, **sitemap, **error}))
        # The row of the host is made by a trigger.
        host = {"robots_txt": ATTACK, "robots_status": "found", "robots_error": ATTACK, "backoff_until": now}
        await connection.execute(update(tables.hosts).values(**host, backoff_reason=ATTACK))
        job = {**row, "job_type": ATTACK[:50], "error": ATTACK, "progress_message": ATTACK}
        await connection.execute(insert(tables.jobs).values(job))
    await add_contact(db, HOST, email=f"{'a'}@{HOST}", name=ATTACK, job_title=ATTACK)
    answer = await console.get(f"/domains/{HOST}", params={"tab": tab})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    assert "<b>" not in answer.text
    assert not re.search(r'href="\s*javascript', answer.text)
    assert "&lt;script&gt;alert(1)" in answer.text


async def test_it_says_why_there_are_no_contacts(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_domain(db, status="error", error="blocked by a challenge page")
    page = await console.get(f"/domains/{HOST}")
    assert "Why there are no contacts" in page.text
    assert "Blocked by a challenge page." in text_of(page)


async def test_sitemaps_stand_below_the_file_that_lists_them(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    domain_id, index = await add_domain(db), uuid.uuid4()
    row = {"tenant_id": TENANT, "domain_id": domain_id, "host": HOST}
    async with db.begin() as connection:
        for made, url, parent in (
            (index, "z-index.xml", None),
            (uuid.uuid4(), "a-child.xml", index),
            (uuid.uuid4(), "m-alone.xml", None),
        ):
            values = {
                **row,
                "id": made,
                "url": f"https://{HOST}/{url}",
                "parent_id": parent,
                "url_count": 1234,
            }
            await connection.execute(insert(tables.sitemap_files).values(values))
    page = (await console.get(f"/domains/{HOST}?tab=sitemaps")).text
    assert page.index("m-alone.xml") < page.index("z-index.xml") < page.index("a-child.xml")
    assert "tree level-1" in page
    assert "1\u202f234" in page


async def test_notes_and_tags_are_saved_unless_it_was_changed_meanwhile(
    console: httpx.AsyncClient, db: AsyncEngine
) -> None:
    domain_id = await add_domain(db)
    version = hidden(await console.get(f"/domains/{HOST}"), "version")
    data = {"notes": "Called in May", "tags": "vip, 2026", "version": version}
    assert (await console.post(f"/domains/{domain_id}/edit", data=data)).status_code == 303
    row = await one(db, tables.domains, domain_id)
    assert (row.notes, row.tags) == ("Called in May", ["vip", "2026"])
    late = await console.post(f"/domains/{domain_id}/edit", data={**data, "notes": "mine"})
    assert late.status_code == 412
    assert "changed meanwhile" in late.text
    assert ">mine</textarea>" in late.text
    assert (await one(db, tables.domains, domain_id)).notes == "Called in May"


async def test_deleting_names_the_rows_that_go_with_it(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    await add_contact(db, HOST, email=f"ada@{HOST}")
    async with db.connect() as connection:
        domain_id = (await connection.execute(select(tables.domains.c.id))).scalar_one()
    asked = await console.get(f"/domains/{domain_id}/delete")
    assert "2 pages" in text_of(asked)
    assert "1 contacts" in text_of(asked)
    wrong = await console.post(f"/domains/{domain_id}/delete", data={"expected": "1"})
    assert wrong.status_code == 409
    assert await one(db, tables.domains, domain_id)
    done = await console.post(f"/domains/{domain_id}/delete", data={"expected": hidden(asked, "expected")})
    assert done.status_code == 303
    assert await one(db, tables.domains, domain_id) is None


async def test_a_viewer_reads_and_changes_nothing(open_console: Any, db: AsyncEngine) -> None:
    domain_id = await add_domain(db)
    async with open_console("viewer") as browser:
        page = await browser.get(f"/domains/{HOST}")
        assert page.status_code == 200
        assert "/decide" not in page.text
        assert "Delete domain" not in page.text
        for path in ("decide", "edit", "delete"):
            answer = await browser.post(f"/domains/{domain_id}/{path}", data={"value": "Selected"})
            assert answer.status_code == 403, path
        assert (await browser.get(f"/domains/{domain_id}/delete")).status_code == 403
    assert (await one(db, tables.domains, domain_id)).sitemap_curation_status == "New"


async def test_a_domain_of_another_tenant_does_not_exist(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    domain_id = await add_domain(db)
    async with db.begin() as connection:
        await connection.execute(
            update(tables.domains).where(tables.domains.c.id == domain_id).values(tenant_id=other)
        )
    for path in (f"/domains/{HOST}", f"/domains/{domain_id}", f"/domains/{domain_id}/delete"):
        assert (await console.get(path)).status_code == 404, path


@pytest.mark.req("R265")
async def test_the_credits_of_a_domain_are_shown(console: httpx.AsyncClient, db: AsyncEngine) -> None:
    domain_id = await add_domain(db)
    page = {"tenant_id": TENANT, "domain_id": domain_id, "host": HOST, "url": f"https://{HOST}/"}
    async with db.begin() as connection:
        await connection.execute(insert(tables.pages).values(**page, credits_used=25))
    assert "Credits 25" in text_of(await console.get(f"/domains/{HOST}?tab=technology"))
