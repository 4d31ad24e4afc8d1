"""Every way in that exists, with inner addresses in it: only the site itself is asked (B1, B11)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from hostile import ANSWERS, HostileServer, Visit
from rig import open_fetcher
from special_addresses import INNER, disguises
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import USER, context, index, item, rows_of, urlset
from product import WHO
from scrapersky import tables
from scrapersky.actions.searches import submit_scan
from scrapersky.actions.submissions import import_csv, submit_domains, submit_pages, submit_sitemaps
from scrapersky.errors import InvalidInput
from scrapersky.fetch.errors import Failure
from scrapersky.stages import discover_sitemaps, import_sitemap, read_metadata
from scrapersky.storage import PageList

HOST = "http://shop.example"
METADATA = ("169.254.169.254", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16")
TARGETS = [*INNER, *METADATA, *(f"[{form}]" for inner in INNER for form in disguises(inner)), "2130706433"]
INSIDE = [f"http://{target}/sitemap.xml" for target in TARGETS]


@pytest.fixture
def opened_fetcher(server: HostileServer) -> Any:
    """A fetcher for which every name, and every address that it lets pass, leads to the hostile server."""
    return open_fetcher(server.port)


def serve(monkeypatch: pytest.MonkeyPatch, path: str, body: bytes) -> None:
    async def answer(visit: Visit) -> None:
        await visit.page(body, headers="Content-Type: text/html\r\n")

    monkeypatch.setitem(ANSWERS, path, answer)


def asked(server: HostileServer) -> set[str]:
    return {host for host, *_ in server.log}


@pytest.mark.parametrize("submit", [submit_domains, submit_pages, submit_sitemaps])
async def test_no_submission_takes_an_inner_address(db: AsyncEngine, submit: Any) -> None:
    """B1: the form, the API's actions and files."""
    lines = [*INSIDE, *(url.removeprefix("http://") for url in INSIDE), *TARGETS]
    assert {line.status for line in (await submit(db, WHO, lines)).lines} == {"invalid"}
    for kind in ("domain", "page", "sitemap"):
        data = "\n".join(["url", *lines]).encode()
        assert {line.status for line in (await import_csv(db, WHO, kind, [data])).lines} == {"invalid"}
    for url in lines:
        with pytest.raises(InvalidInput):
            await submit_scan(db, WHO, url)


async def test_links_and_canonical_addresses_of_a_home_page_lead_to_no_inner_address(
    server: HostileServer, opened_fetcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B1: link, canonical, base, sitemap links, and sitemaps that robots.txt names."""
    server.robots = b"\n".join(b"Sitemap: " + url.encode() for url in INSIDE)
    links = "".join(f'<a href="{url}">Contact</a><link rel="sitemap" href="{url}">' for url in INSIDE)
    head = f'<base href="{INSIDE[0]}"><link rel="canonical" href="{INSIDE[2]}">'
    serve(monkeypatch, "/", f"<html><head>{head}</head><body>{links}</body></html>".encode())
    home = item("shop.example", domain="shop.example", country=None, sitemap_analysis_status=None)
    async with opened_fetcher as fetcher:
        done = await read_metadata.run(home, context(fetcher, schemes=("http",)))
        job = {"domain": "shop.example", "linked_sitemaps": INSIDE, "home_url": f"{HOST}/", "max_pages": 10}
        one = item("shop.example", id=1, job_id=uuid4(), domain_id=uuid4(), result_data=job, created_by=USER)
        found = await discover_sitemaps.run(one, context(fetcher, progress=FakeProgress()))

    assert [page.url for pages in rows_of(done, PageList) for page in pages.pages] == [f"{HOST}/"]
    assert rows_of(found, tables.sitemap_files) == []
    assert rows_of(found, tables.domains)[0].values["total_sitemaps"] == 0
    assert asked(server) == {"shop.example"}


class FakeProgress:
    """Nobody looks on, and nobody cancels."""

    async def report(self, *_: Any, **__: Any) -> str | None:
        return None


async def test_a_sitemap_leads_to_no_inner_address(
    server: HostileServer, opened_fetcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B1, B11: pages and further sitemaps that it lists, and what it redirects to."""
    serve(monkeypatch, "/pages.xml", urlset(f"{HOST}/contact", *INSIDE))
    serve(monkeypatch, "/index.xml", index(f"{HOST}/a.xml", *INSIDE))
    known = {"domain_id": uuid4(), "depth": 0, "job_id": None, "created_by": USER, "additional_json": {}}
    known |= {"max_urls": None, "max_pages": None}

    def sitemap(url: str) -> Any:
        return item("shop.example", url=url, **known)

    async with opened_fetcher as fetcher:
        pages = await import_sitemap.run(sitemap(f"{HOST}/pages.xml"), context(fetcher))
        files = await import_sitemap.run(sitemap(f"{HOST}/index.xml"), context(fetcher))
        for url in [*INSIDE, *(f"{HOST}/to?{inside}" for inside in INSIDE)]:
            with pytest.raises(Failure) as caught:
                await import_sitemap.run(sitemap(url), context(fetcher))
            assert caught.value.failure_class in ("bad_url", "bad_redirect")

    queued = [
        one.url for listed in rows_of(pages, PageList) for one in listed.pages if one.status == "Queued"
    ]
    assert queued == [f"{HOST}/contact"]
    assert [row.values["url"] for row in rows_of(files, tables.sitemap_files)] == [f"{HOST}/a.xml"]
    assert asked(server) == {"shop.example"}
