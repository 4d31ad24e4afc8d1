"""Sitemap file → pages: every URL is stored, the promising ones queued, and children the best first."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from fakes import USER, FakeWeb, context, index, item, page, rows_of, urlset
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.fetch.errors import PermanentHTTPError, Timeout
from scrapersky.stages import import_sitemap
from scrapersky.storage import ContactUpsert, PageList

SITE = "https://lune.co.uk"
MAP = f"{SITE}/sitemap.xml"


def sitemap(url: str = MAP, **more: Any) -> Any:
    known = {"domain_id": uuid4(), "url": url, "depth": 0, "job_id": uuid4(), "created_by": USER}
    known |= {"max_urls": None, "max_pages": None, "additional_json": {}}
    return item("lune.co.uk", **(known | more))


async def run(body: Any, *, one: Any = None, **policy: Any) -> Any:
    return await import_sitemap.run(one or sitemap(), context(FakeWeb({MAP: body}), settings=policy))


def statuses(done: Any) -> dict[str, str | None]:
    return {one.url.removeprefix(SITE): one.status for one in rows_of(done, PageList)[0].pages}


@pytest.mark.req("R143", "R144", "R248")
async def test_urls_become_pages_and_the_promising_ones_are_queued() -> None:
    one = sitemap()

    done = await run(
        urlset(f"{SITE}/", f"{SITE}/contact", f"{SITE}/blog/bread/", f"{SITE}/menu.pdf"), one=one
    )

    [pages] = rows_of(done, PageList)
    assert (pages.domain_id, pages.host, pages.sitemap_id) == (one.row.domain_id, "lune.co.uk", one.id)
    # D8: to be read = Queued, not to be read = NULL, excluded by rule = Filtered.
    assert statuses(done) == {
        "/": "Queued",
        "/contact": "Queued",
        "/blog/bread/": None,
        "/menu.pdf": "Filtered",
    }
    contact = next(one for one in pages.pages if one.url.endswith("contact"))
    assert (contact.page_type, contact.priority) == ("contact_root", 1)


async def test_every_url_is_stored_even_the_least_promising_one() -> None:
    """The data loss of September 2025: nothing is dropped, it is only not read."""
    urls = [f"{SITE}/tag/{number}/" for number in range(300)]

    done = await run(urlset(*urls))

    assert len(statuses(done)) == done.fields["page_count"] == done.fields["url_count"] == 300


async def test_only_some_of_the_second_choice_are_queued_the_shallow_ones_first() -> None:
    deep = [f"{SITE}/services/roof/part-{number}" for number in range(20)]
    flat = [f"{SITE}/offer-{number}" for number in range(8)]

    found = statuses(await run(urlset(*deep, *flat)))

    queued = [url for url, status in found.items() if status == "Queued"]
    assert len(queued) == 10
    assert {url for url in queued if url.startswith("/offer")} == {url.removeprefix(SITE) for url in flat}


@pytest.mark.req("R258")
async def test_every_page_that_is_not_excluded_is_queued_when_all_are_to_be_read() -> None:
    posts = [f"{SITE}/blog/{number}/" for number in range(30)]
    offers = [f"{SITE}/services/offer-{number}" for number in range(20)]
    listed = urlset(f"{SITE}/contact", *posts, *offers, f"{SITE}/a.jpg", "https://elsewhere.org/contact")

    found = statuses(await run(listed, read_all_pages=True))

    assert {url for url, status in found.items() if status != "Queued"} == {
        "/a.jpg",
        "https://elsewhere.org/contact",
    }
    closed = statuses(await run(listed, read_all_pages=True, auto_page_reading=False))
    assert set(closed.values()) == {None, "Filtered"}


async def test_nothing_is_queued_when_reading_does_not_go_by_itself() -> None:
    found = statuses(await run(urlset(f"{SITE}/contact", f"{SITE}/a.jpg"), auto_page_reading=False))

    assert found == {"/contact": None, "/a.jpg": "Filtered"}


async def test_urls_on_other_hosts_are_stored_but_filtered() -> None:
    """B11, SM-07: a sitemap cannot send us anywhere else; what is no web address is dropped and counted."""
    done = await run(
        urlset(
            f"{SITE}/contact",
            "https://elsewhere.org/contact",
            "http://169.254.169.254/x",
            "javascript:alert(1)",
        )
    )

    found = {one.url: (one.status, one.page_type) for one in rows_of(done, PageList)[0].pages}
    assert found[f"{SITE}/contact"] == ("Queued", "contact_root")
    assert found["https://elsewhere.org/contact"] == ("Filtered", "external")
    assert all(status == "Filtered" for url, (status, _) in found.items() if "lune" not in url)
    assert "javascript:alert(1)" not in found
    assert sum(done.fields["additional_json"]["dropped"].values()) >= 1


async def test_children_of_an_index_are_queued_one_level_deeper_the_best_first() -> None:
    one = sitemap(depth=1)
    body = index(f"{SITE}/image-sitemap.xml", f"{SITE}/product-sitemap.xml", f"{SITE}/page-sitemap.xml")

    done = await run(body, one=one)

    children = [dict(row.values) for row in rows_of(done, tables.sitemap_files)]
    assert [child["url"].removeprefix(SITE) for child in children] == [
        "/page-sitemap.xml",
        "/product-sitemap.xml",
        "/image-sitemap.xml",
    ]
    assert [child["priority_level"] for child in children] == [1, 3, 3]
    for child in children:
        assert (child["parent_id"], child["depth"], child["discovery_method"]) == (one.id, 2, "sitemap_index")
        assert (child["sitemap_import_status"], child["job_id"]) == ("Queued", one.row.job_id)
    assert (done.fields["sitemap_type"], statuses(done)) == ("index", {})


@pytest.mark.req("R170")
async def test_pages_and_children_carry_the_limits_of_their_domain() -> None:
    one = sitemap(max_pages=7, max_urls=9)

    listing = await run(urlset(f"{SITE}/a"), one=one)
    done = await run(index(f"{SITE}/a.xml"), one=one, sitemap_files_per_domain=4)

    assert [pages.max_pages for pages in rows_of(listing, PageList)] == [7]
    assert (listing.fields["left_out_pages"], listing.fields["left_out_files"]) == (None, None)
    children = rows_of(done, tables.sitemap_files)
    assert [(row.values["max_pages"], row.max_files) for row in children] == [(7, 4)]


async def test_children_wait_for_a_person_without_auto_import() -> None:
    done = await run(index(f"{SITE}/a.xml"), sitemap_auto_import=False)

    assert [row.values["sitemap_import_status"] for row in rows_of(done, tables.sitemap_files)] == [None]


async def test_indexes_are_followed_to_a_depth_and_no_further() -> None:
    """B11: an index that names itself, or a chain of a hundred, ends."""
    done = await run(index(MAP, f"{SITE}/deeper.xml"), one=sitemap(depth=5), sitemap_depth=5)

    assert rows_of(done, tables.sitemap_files) == []


async def test_an_index_with_a_namespace_prefix_keeps_its_children() -> None:
    body = index(f"{SITE}/a.xml").replace(b"<sitemapindex xmlns=", b"<sm:sitemapindex xmlns:sm=")
    body = body.replace(b"<sitemap>", b"<sm:sitemap>").replace(b"</sitemap>", b"</sm:sitemap>")
    body = (
        body.replace(b"<loc>", b"<sm:loc>")
        .replace(b"</loc>", b"</sm:loc>")
        .replace(b"</sitemapindex>", b"</sm:sitemapindex>")
    )

    assert len(rows_of(await run(body), tables.sitemap_files)) == 1


@pytest.mark.req("R141", "R146")
@pytest.mark.parametrize("body", ["<html><body>Not found</body></html>", '{"error": 404}', ""])
async def test_what_is_no_sitemap_ends_as_an_error_with_the_reason(body: str) -> None:
    with pytest.raises(Discard, match=r"not a sitemap: .+"):
        await run(body)


@pytest.mark.req("R146")
@pytest.mark.parametrize("failure", [Timeout(), PermanentHTTPError(404)])
async def test_a_file_that_cannot_be_fetched_fails_with_its_class(failure: Exception) -> None:
    with pytest.raises(type(failure)):
        await run(failure)


async def test_a_file_with_more_urls_than_the_limit_is_flagged_partial_and_can_be_continued() -> None:
    body = urlset(*(f"{SITE}/p{number}" for number in range(30)))

    part = await run(body, sitemap_urls_per_file=10)
    more = await run(body, one=sitemap(max_urls=100), sitemap_urls_per_file=10)

    assert (part.fields["is_partial"], len(statuses(part))) == (True, 10)
    assert part.fields["max_urls"] == 10
    assert (more.fields["is_partial"], len(statuses(more))) == (False, 30)


@pytest.mark.parametrize("damage", ["cut", "limit"])
async def test_a_damaged_or_cut_file_keeps_what_was_read_and_is_flagged_partial(damage: str) -> None:
    whole = urlset(*(f"{SITE}/p{number}" for number in range(30)))
    body = page(
        whole[: len(whole) // 2] if damage == "cut" else whole,
        kind="application/xml",
        truncated=damage == "limit",
    )

    done = await run(body)

    assert done.fields["is_partial"] is True
    assert len(statuses(done)) >= 13


async def test_gzip_text_and_dates_are_read() -> None:
    packed = gzip.compress(urlset(f"{SITE}/contact", more="<lastmod>2024-05-06</lastmod>"))

    zipped = await run(page(packed, kind="application/gzip"))
    plain = await run(page(f"{SITE}/contact\n{SITE}/team\n", kind="text/plain"))

    [one] = rows_of(zipped, PageList)[0].pages
    assert one.last_modified_at == datetime(2024, 5, 6, tzinfo=UTC)
    assert zipped.fields["has_lastmod"] is True
    assert (plain.fields["sitemap_type"], statuses(plain)) == (
        "text",
        {"/contact": "Queued", "/team": "Queued"},
    )


async def test_the_file_says_what_it_was() -> None:
    body = urlset(f"{SITE}/1")

    done = await run(page(body, kind="application/xml"), one=sitemap(additional_json={"note": "by hand"}))

    assert (done.fields["size_bytes"], done.fields["status_code"]) == (len(body), 200)
    assert done.fields["additional_json"]["note"] == "by hand"


async def test_an_import_makes_pages_never_contacts() -> None:
    assert rows_of(await run(urlset(f"{SITE}/contact")), ContactUpsert) == []


async def test_a_repeated_url_is_one_page() -> None:
    """SM-14."""
    done = await run(urlset(*[f"{SITE}/contact"] * 1_000))

    assert statuses(done) == {"/contact": "Queued"}


async def test_pages_are_judged_by_the_domain_when_its_sitemap_lies_on_another_host() -> None:
    elsewhere = "https://maps.cdn.net/lune.xml"
    web = FakeWeb({elsewhere: urlset(f"{SITE}/contact", "https://maps.cdn.net/contact")})

    done = await import_sitemap.run(sitemap(elsewhere), context(web))

    assert statuses(done) == {"/contact": "Queued", "https://maps.cdn.net/contact": "Filtered"}


async def test_a_stranger_cannot_send_us_to_others_nor_without_end_b11() -> None:
    many = index("https://victim.net/a.xml", *[f"{SITE}/{number}.xml" for number in range(30)])

    done = await run(many, sitemap_files_per_domain=20)

    children = [one.values["url"] for one in rows_of(done, tables.sitemap_files)]
    assert len(children) == 20
    assert all(url.startswith(SITE) for url in children)


async def test_a_damaged_file_is_imported_and_its_damage_is_told() -> None:
    text = urlset(f"{SITE}/contact")
    wrong = gzip.compress(text)[:-8] + b"\0" * 8
    for body, told in (
        (page(wrong), "gzip_checksum"),
        (page(text, damage="a wrong checksum"), "a wrong checksum"),
    ):
        done = await run(body)
        assert list(statuses(done)) == ["/contact"]
        assert told in str(done.fields["additional_json"]["problems"])
