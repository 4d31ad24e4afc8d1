"""Lists by HTTP: filters, sorts, cursors, numbered pages, totals, facets, and single rows."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from sqlalchemy import delete, insert, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, add_domain, add_pages
from scrapersky import tables
from scrapersky.api import cursors
from scrapersky.tables.ids import new_id

RESOURCES = {
    "/searches": "search",
    "/places/staging": "place",
    "/local-businesses": "business",
    "/domains": "domain",
    "/sitemap-files": "sitemap",
    "/pages": "page",
    "/contacts": "contact",
}


async def get(api: httpx.AsyncClient, path: str, **params: Any) -> Any:
    answer = await api.get(f"/api/v3{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(api: httpx.AsyncClient, query: str, path: str = "/pages") -> str:
    answer = await api.get(f"/api/v3{path}?{query}")
    assert answer.status_code == 422, (query, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.text


async def add_site(db: AsyncEngine, name: str, pages: list[dict[str, Any]], **domain: Any) -> list[uuid.UUID]:
    """A domain with pages /0, /1 and so on, the last the newest."""
    domain_id = await add_domain(db, name, **domain)
    ids = sorted(new_id() for _ in pages)
    async with db.begin() as connection:
        for number, (row_id, page) in enumerate(zip(ids, pages, strict=True)):
            values = {"id": row_id, "tenant_id": TENANT, "domain_id": domain_id, "host": name}
            row = {**values, "url": f"https://{name}/{number}", **page}
            await connection.execute(insert(tables.pages).values(row))
    return ids


async def add_one_of_each(db: AsyncEngine, tenant: uuid.UUID = TENANT) -> dict[str, uuid.UUID]:
    ids = {name: new_id() for name in RESOURCES.values()}
    below = {"tenant_id": tenant, "domain_id": ids["domain"], "host": "shop.com"}
    place = {"tenant_id": tenant, "place_id": "p1"}
    rows: list[tuple[Any, str, dict[str, Any]]] = [
        (tables.place_searches, "search", {"tenant_id": tenant, "business_type": "cafe", "location": "Graz"}),
        (tables.places_staging, "place", {**place, "name": "Café", "website_url": "https://shop.com"}),
        (tables.local_businesses, "business", {**place, "business_name": "Café", "website_url": "shop.com"}),
        (tables.domains, "domain", {"tenant_id": tenant, "domain": "shop.com"}),
        (tables.sitemap_files, "sitemap", {**below, "url": "https://shop.com/sitemap.xml"}),
        (tables.pages, "page", {**below, "url": "https://shop.com/contact"}),
    ]
    async with db.begin() as connection:
        for table, name, values in rows:
            await connection.execute(insert(table).values({"id": ids[name], **values}))
        contact = {
            "tenant_id": tenant,
            "domain_id": ids["domain"],
            "page_id": ids["page"],
            "email": "a@shop.com",
            "source_url": "https://shop.com/contact",
        }
        await connection.execute(insert(tables.contacts).values({"id": ids["contact"], **contact}))
    return ids


@pytest.mark.req("R014", "R015", "R230")
async def test_every_resource_is_listed_counted_and_shown_in_one_way(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ids = await add_one_of_each(db)
    for path, name in RESOURCES.items():
        answer = await get(api, path)
        assert [row["id"] for row in answer["items"]] == [str(ids[name])], path
        assert {key: answer[key] for key in ("next", "total", "total_exact")} == {
            "next": None, "total": 1, "total_exact": True,
        }  # fmt: skip
        counts = await get(api, f"{path}/facets")
        assert counts["total"] == 1
        assert all(sum(value["count"] for value in values) == 1 for values in counts["facets"].values())
        row = await get(api, f"{path}/{ids[name]}")
        assert row["id"] == str(ids[name])
        assert not {"tenant_id", "lease_until", "url_hash"} & set(row)


async def test_a_row_of_another_tenant_does_not_exist(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="other"))
    ids = await add_one_of_each(db, other)
    for path, name in RESOURCES.items():
        assert (await get(api, path))["total"] == 0
        foreign, unknown = ids[name], uuid.uuid4()
        bodies = []
        for row_id in (foreign, unknown):
            answer = await api.get(f"/api/v3{path}/{row_id}")
            assert answer.status_code == 404
            bodies.append({**answer.json(), "instance": ""})
        assert str(bodies[0]).replace(str(foreign), str(unknown)) == str(bodies[1])


@pytest.mark.req("R072", "R073", "R076", "R243")
async def test_pages_are_filtered_and_sorted(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    pages = [
        {"priority_level": 3},
        {"priority_level": 1, "page_type": "contact_root", "page_curation_status": "Selected"},
        {"priority_level": 2, "page_type": "about", "page_processing_status": "Filtered"},
        {"priority_level": 1, "page_type": "contact_root", "contact_scrape_status": "ContactFound"},
        {"priority_level": 3, "url": "https://shop.com/100%_a\\b"},
    ]
    await add_site(db, "shop.com", pages)
    await add_site(db, "other.org", [{"priority_level": 2}])

    async def urls(**params: Any) -> str:
        items = (await get(api, "/pages", **params))["items"]
        return " ".join(row["url"].removeprefix("https://").removeprefix("shop.com/") for row in items)

    last = "100%_a\\b"
    assert await urls() == f"3 1 other.org/0 2 {last} 0"
    assert await urls(sort="-priority_level") == f"{last} 0 other.org/0 2 3 1"
    assert await urls(sort="created_at") == f"0 1 2 3 {last} other.org/0"
    assert await urls(sort="created_at:desc") == f"other.org/0 {last} 3 2 1 0"
    assert await urls(priority_level=1) == "3 1"
    assert await urls(priority_level=[1, 2], page_type="CONTACT_ROOT") == "3 1"
    assert await urls(page_type=["Contact_Root", "about"]) == "3 1 2"
    assert await urls(page_curation_status="Selected") == "1"
    assert await urls(page_processing_status="none", page_type="contact_root") == "3 1"
    assert await urls(page_processing_status=["none", "Filtered"], priority_level=2) == "other.org/0 2"
    assert await urls(contact_scrape_status="ContactFound") == "3"
    assert await urls(domain="OTHER") == "other.org/0"
    assert await urls(domain=["other", "nothing"], priority_level=1) == ""
    assert await urls(q="SHOP.com/1") == f"1 {last}"
    assert await urls(url_contains="shop.com/1", page_curation_status="Selected") == "1"
    assert await urls(created_after="2100-01-01T00:00:00Z") == ""
    assert (
        await urls(created_after="2000-01-01T00:00:00Z", created_before="2100-01-01T00:00:00Z", q="/2") == "2"
    )


@pytest.mark.req("R264")
async def test_other_filters_of_contacts_sitemaps_and_places(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    ids = await add_one_of_each(db)
    async with db.begin() as connection:
        await connection.execute(update(tables.contacts).values(tags=["vip"], email_type="role", name="Ada"))
        await connection.execute(update(tables.places_staging).values(search_id=ids["search"]))
        await connection.execute(delete(tables.sitemap_files))
        values = {"tenant_id": TENANT, "domain_id": ids["domain"], "url": "https://shop.com/map.xml"}
        failed = {"sitemap_import_status": "Error", "sitemap_import_error": "HTTP 500 by_server"}
        await connection.execute(insert(tables.sitemap_files).values(values | failed))
    for path, params, number in (
        ("/contacts", {"tag": ["vip", "other"]}, 1),
        ("/contacts", {"tag": "vi"}, 0),
        ("/contacts", {"email_type": "role", "email_validation_result": "none"}, 1),
        ("/contacts", {"name_contains": "ADA"}, 1),
        ("/contacts", {"name_contains": "shop"}, 0),
        ("/contacts", {"email_contains": "@shop", "domain": "op.co"}, 1),
        ("/contacts", {"page_id": str(ids["page"]), "domain_id": str(ids["domain"])}, 1),
        ("/contacts", {"page_id": str(ids["domain"])}, 0),
        ("/sitemap-files", {"sitemap_curation_status": "New", "sitemap_import_status": "Error"}, 1),
        ("/sitemap-files", {"error": "500 BY_s"}, 1),
        ("/sitemap-files", {"error": "500%by"}, 0),
        ("/sitemap-files", {"sitemap_type": "index", "discovery_method": "manual"}, 0),
        ("/places/staging", {"status": "New", "search_id": str(ids["search"]), "domain": "shop"}, 1),
        ("/places/staging", {"status": "Queued"}, 0),
        ("/local-businesses", {"source": "google_places", "domain": "shop.com", "name_contains": "caf"}, 1),
        ("/searches", {"status": "pending", "q": "graz"}, 1),
        ("/domains", {"status": "pending", "sitemap_analysis_status": "none", "domain": "SHOP"}, 1),
    ):
        answer = await get(api, path, **params)
        assert (len(answer["items"]), answer["total"]) == (number, number), (path, params)


async def test_filters_have_the_names_of_the_original_product_too(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    ids = await add_one_of_each(db)
    async with db.begin() as connection:
        await connection.execute(update(tables.places_staging).values(search_id=ids["search"]))
    for path, name, value, other in (
        ("/places/staging", "discovery_job_id", str(ids["search"]), str(uuid.uuid4())),
        ("/local-businesses", "business_name", "caf", "pub"),
        ("/domains", "domain_filter", "hop", "pub"),
        ("/sitemap-files", "deep_scrape_curation_status", "New", "Maybe"),
        *((path, "curation_status", "New", "Maybe") for path in RESOURCES if path != "/searches"),
    ):
        assert (await get(api, path, **{name: value}))["total"] == 1, path
        assert (await get(api, path, **{name: other}))["total"] == 0, path
    twice = await refused(api, "domain=shop&domain_filter=shop", "/domains")
    assert "are the same; use one of them" in twice


async def test_unknown_names_and_values_are_refused_with_the_known_ones(api: httpx.AsyncClient) -> None:
    assert "page_curation_status" in await refused(api, "colour=red")
    assert "Selected" in await refused(api, "page_curation_status=Perhaps")
    assert "ContactFound" in await refused(api, "contact_scrape_status=Perhaps")
    assert "priority_level" in await refused(api, "sort=url")
    for query in (
        "sort=created_at,url", "sort=-created_at:desc", "sort=created_at:down", "priority_level=4",
        "domain_id=abc", "created_after=yesterday", "created_after=2024-02-30T00:00:00Z", "q=",
        "created_before=10000-01-01T00:00:00Z", "updated_after=infinity", f"q={'x' * 201}",
        f"q={'%25' * 1_000}", "q=a%00b", "&".join(f"page_type=t{number}" for number in range(101)),
    ):  # fmt: skip
        await refused(api, query)


@pytest.mark.parametrize("sign", ["%", "_", "\\", "(a+)+$", "a & ", "'", "100%"])
async def test_every_sign_of_a_text_is_literal(api: httpx.AsyncClient, db: AsyncEngine, sign: str) -> None:
    """API-10."""
    await add_site(db, "shop.com", [{}, {"url": f"https://shop.com/x{sign}y"}])
    for name in ("q", "url_contains"):
        answer = await get(api, "/pages", **{name: sign})
        assert [row["url"] for row in answer["items"]] == [f"https://shop.com/x{sign}y"]
        assert (await get(api, "/pages/facets", **{name: sign}))["total"] == 1
    assert (await get(api, "/pages", domain=sign))["total"] == 0


BAD_SIZES = ["0", "-1", "1000000000", "abc", "1e3", "１０", "1_000", "٣", "9" * 5_000, "201", "1.0", " 5"]


@pytest.mark.parametrize("size", BAD_SIZES)
async def test_odd_sizes_are_refused(api: httpx.AsyncClient, size: str) -> None:
    """API-01."""
    for name in ("limit", "size", "page"):
        if name != "page" or size != "201":
            await refused(api, f"page=1&{name}={quote(size)}" if name == "size" else f"{name}={quote(size)}")


async def test_numbered_pages_end_after_ten_thousand_rows(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    """API-02: beyond them only cursors lead."""
    await add_pages(db, 5)
    first, second = [await get(api, "/pages", page=number, size=3) for number in (1, 2)]
    assert (len(first["items"]), len(second["items"]), second["next"], second["total"]) == (3, 2, None, 5)
    assert (await get(api, "/pages", after=first["next"]))["items"] == second["items"]
    assert (await get(api, "/pages", page=50, size=200))["items"] == []
    assert "after" in await refused(api, "page=51&size=200")
    for query in ("page=9223372036854775808", "page=-1", "offset=1", f"page=1&after={first['next']}"):
        await refused(api, query)


async def test_page_and_size_are_one_pair_and_after_and_limit_the_other(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    await add_pages(db, 5)
    assert (await get(api, "/pages", size=3))["items"] == (await get(api, "/pages", page=1, size=3))["items"]
    assert len((await get(api, "/pages", page=1))["items"]) == 5
    following = (await get(api, "/pages", limit=3))["next"]
    for query in ("page=1&limit=3", "size=3&limit=3", f"size=3&after={following}"):
        assert "page and size" in await refused(api, query)


async def all_pages(api: httpx.AsyncClient, path: str, **params: Any) -> list[dict[str, Any]]:
    """Every row, by following the Link header."""
    rows: list[dict[str, Any]] = []
    url: str | None = str(httpx.URL(f"/api/v3{path}", params=params))
    while url:
        answer = await api.get(url)
        assert answer.status_code == 200, answer.text
        rows += answer.json()["items"]
        link = answer.links.get("next")
        assert (link is None) == (answer.json()["next"] is None)
        url = link["url"] if link else None
    return rows


async def test_cursors_lead_through_the_whole_list_in_every_order(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    kinds = [
        {
            "priority_level": number % 3 + 1,
            "page_type": ("unknown", "about")[number % 2],
            "page_processing_status": (None, "Filtered", "Queued")[number % 3],
        }
        for number in range(23)
    ]
    ids = [str(row_id) for row_id in await add_site(db, "shop.com", kinds)]
    for sort in (
        "priority_level",
        "-priority_level",
        "created_at",
        "-created_at",
        "updated_at",
        "-updated_at",
    ):
        for filters in ({}, {"page_type": "about"}, {"page_type": ["about", "unknown"]}, {"q": "shop"}):
            whole = (await get(api, "/pages", sort=sort, limit=200, **filters))["items"]
            stepwise = await all_pages(api, "/pages", sort=sort, limit=4, **filters)
            assert stepwise == whole, (sort, filters)
            assert len(whole) == (11 if filters == {"page_type": "about"} else 23)
    assert [row["id"] for row in await all_pages(api, "/pages", sort="created_at", limit=5)] == ids
    names = [f"{letter}.com" for letter in "dacb"]
    for name in names:
        await add_domain(db, name)
    listed = await all_pages(api, "/domains", sort="domain", limit=2)
    assert [row["domain"] for row in listed] == sorted([*names, "shop.com"])
    assert await all_pages(api, "/domains", sort="-domain", limit=2, status="pending") == listed[::-1]


async def test_rows_that_stay_are_read_once_while_others_come_and_go(
    api: httpx.AsyncClient, db: AsyncEngine
) -> None:
    """Rows are added, removed and moved between facets on either side of the cursor all the time."""
    kinds = [{"priority_level": number % 3 + 1, "page_type": "about"} for number in range(40)]
    ids = await add_site(db, "shop.com", kinds)
    stay, go = set(ids[::2]), ids[1::2]
    domain = await add_domain(db, "busy.com")
    busy = True

    async def disturb() -> None:
        number = 0
        while busy:
            number += 1
            row = {"tenant_id": TENANT, "domain_id": domain, "url": f"https://busy.com/{number}"}
            facets = {"priority_level": number % 3 + 1, "page_type": "about"}
            async with db.begin() as connection:
                await connection.execute(insert(tables.pages).values(row | facets))
                if go:
                    await connection.execute(delete(tables.pages).where(tables.pages.c.id == go.pop()))
                moved = "UPDATE pages SET contact_scrape_status = CASE contact_scrape_status"
                moved += " WHEN 'New' THEN 'Error' ELSE 'New' END WHERE page_type = 'about'"
                await connection.execute(text(moved))

    task = asyncio.create_task(disturb())
    try:
        for sort in ("priority_level", "created_at", "-created_at"):
            seen = [
                row["id"] for row in await all_pages(api, "/pages", sort=sort, limit=3, page_type="about")
            ]
            assert len(seen) == len(set(seen)), sort
            assert {str(row_id) for row_id in stay} <= set(seen), sort
    finally:
        busy = False
        await task


async def test_a_cursor_is_valid_for_its_own_list_only(
    api: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """API-02: forged, foreign and expired cursors are refused."""
    await add_pages(db, 3)
    await add_pages(db, 3)
    cursor = (await get(api, "/pages", limit=2))["next"]
    assert len((await get(api, "/pages", limit=2, after=cursor))["items"]) == 2
    for query in (
        f"after={cursor}&sort=created_at", f"after={cursor}&page_type=unknown", f"after={cursor}x",
        f"after={cursor[:-4]}", f"after=A{cursor[1:]}", "after=abc", "after=", f"after={'A' * 5_000}",
        "after=%F0%9F%98%80", "after=WzEsMl0",
    ):  # fmt: skip
        await refused(api, query)
    await refused(api, f"after={cursor}", "/domains")
    monkeypatch.setattr(cursors, "LIFETIME_SECONDS", -1)
    assert "expired" in await refused(api, f"after={cursor}")


async def test_facets_ignore_their_own_filter(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    pages = [{"page_type": "about", "priority_level": 1}, {"page_type": "about"}, {"page_type": "blog"}, {}]
    await add_site(db, "shop.com", pages)
    await add_site(db, "other.com", [{"page_type": "about"}])
    counts = await get(api, "/pages/facets", page_type="about", priority_level="3", domain="shop")
    assert (counts["total"], counts["total_exact"]) == (1, True)
    assert counts["facets"]["priority_level"] == [{"value": "1", "count": 1}, {"value": "3", "count": 1}]
    assert {value["value"]: value["count"] for value in counts["facets"]["page_type"]} == {
        "about": 1, "blog": 1, "unknown": 1,
    }  # fmt: skip
    assert counts["facets"]["page_processing_status"] == [{"value": None, "count": 1}]


@pytest.mark.req("R082", "R230")
async def test_a_single_row_comes_with_what_belongs_to_it(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    contact_id = await add_contact(db, "shop.com", email="info@shop.com")
    async with db.begin() as connection:
        content = {"emails": ["info@shop.com"], "credits": 1}
        await connection.execute(update(tables.pages).values(scraped_content=content))
        page_id = (await connection.execute(text("SELECT page_id FROM contacts"))).scalar_one()
        domain_id = (await connection.execute(text("SELECT id FROM domains"))).scalar_one()
    page = await get(api, f"/pages/{page_id}")
    assert (page["scraped_content"], page["domain"]) == (content, "shop.com")
    assert [contact["email"] for contact in page["contacts"]] == ["info@shop.com"]
    contact = await get(api, f"/contacts/{contact_id}")
    assert [sighting["method"] for sighting in contact["sightings"]] == ["mailto", "text"]
    assert contact["sightings"][0]["quote"] == "mail info@shop.com"
    domain = await get(api, f"/domains/{domain_id}")
    assert [domain[name] for name in ("pages", "contacts", "sitemaps", "jobs")] == [2, 1, 0, 0]


async def test_a_single_row_has_a_version(api: httpx.AsyncClient, db: AsyncEngine) -> None:
    [page_id] = await add_pages(db, 1)
    first = await api.get(f"/api/v3/pages/{page_id}")
    again = await api.get(f"/api/v3/pages/{page_id}", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    async with db.begin() as connection:
        await connection.execute(update(tables.pages).values(title="New title"))
    changed = await api.get(f"/api/v3/pages/{page_id}", headers={"If-None-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.json()["title"]) == (200, "New title")


async def test_a_broad_search_is_not_counted(
    api: httpx.AsyncClient, db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrapersky.queries.rows.lists.MAX_COUNTED", 3)
    await add_site(db, "shop.com", [{"page_type": "about"}] * 3 + [{}] * 3)
    answer = await get(api, "/pages", q="shop", limit=5)
    assert (len(answer["items"]), answer["total"], answer["total_exact"]) == (5, 3, False)
    assert len(await all_pages(api, "/pages", q="shop", limit=2)) == 6
    assert len(await all_pages(api, "/pages", domain="shop", page_type="about", limit=2)) == 3
    assert (await get(api, "/pages/facets", q="shop"))["total_exact"] is False
