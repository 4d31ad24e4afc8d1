"""Submitting domains, sitemaps and pages: an answer for every line, the good lines stored."""

from __future__ import annotations

import asyncio
import time
import uuid

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, USER
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import continue_import, submit_scan, submit_search
from scrapersky.actions.submission_input import MAX_INPUT_BYTES, MAX_SUBMITTED_LINES
from scrapersky.actions.submissions import (
    SubmissionOptions,
    import_csv,
    submit_domains,
    submit_pages,
    submit_sitemaps,
)
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.sources import SourceOptions, list_sources

WHO = Actor(TENANT, USER)
CSV = list_sources(SourceOptions())


async def all_of(engine: AsyncEngine, row: type) -> list:
    async with engine.connect() as connection:
        return list(await connection.execute(select(row).order_by(row.c.id)))


@pytest.mark.req("R117", "R233")
@pytest.mark.parametrize(
    "text",
    [
        "example.com",
        "www.example.com",
        "http://example.com",
        "https://example.com/contact?q=1#top",
        "HTTPS://WWW.Example.COM.:443/path?q#f",
        " EXAMPLE.com ",
    ],
)
async def test_every_form_of_a_domain_is_one_domain(db: AsyncEngine, text: str) -> None:
    submission = await submit_domains(db, WHO, text)
    [row] = await all_of(db, tables.domains)
    assert (row.domain, row.status, row.sitemap_curation_status) == ("example.com", "pending", "New")
    [line] = submission.lines
    assert (line.number, line.status, line.id, line.queued) == (1, "new", row.id, True)


async def test_duplicates_in_one_request_are_reported_with_their_line(db: AsyncEngine) -> None:
    submission = await submit_domains(db, WHO, "example.com\n\nEXAMPLE.com \nhttp://example.com/\n")
    assert [(line.number, line.status, line.reason) for line in submission.lines] == [
        (1, "new", ""),
        (3, "known", "the same as line 1"),
        (4, "known", "the same as line 1"),
    ]
    assert len({line.id for line in submission.lines}) == 1
    assert len(await all_of(db, tables.domains)) == 1


REFUSED = [
    "localhost", "LOCALHOST.", "foo.localhost", "metadata.google.internal", "host.docker.internal",
    "kubernetes.default.svc", "x.local", "printer.lan", "127.0.0.1", "[::1]", "10.0.0.1", "8.8.8.8",
    "①②⑦.⓪.⓪.①", "127。0。0。1", "http://example.com@127.0.0.1/", "http://127.0.0.1\\@example.com/",
    "http://example.com#@127.0.0.1/", "http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", "http://%31%32%37.0.0.1/",
    "http://ex%2fample.com/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://[::1",
    "file:///etc/passwd", "gopher://x", "ftp://x", "javascript:alert(1)", "data:text/html,x", "//example.com",
    "a" * 64 + ".com", "a." * 128 + "com", "a" * 1_000_000, "co.uk", "github.io", "com",
    "'; DROP TABLE domains;--", "{{7*7}}", "${jndi:x}", "<script>alert(1)</script>.com", "\x00evil.com",
    "\ud800.com", "example.com:22", "http://example.com:8080/", "[::1]:80", "example.com:",
    "user:pw@example.com",
]  # fmt: skip


@pytest.mark.timed
async def test_what_is_no_public_domain_is_refused_and_its_neighbours_are_stored(db: AsyncEngine) -> None:
    began = time.perf_counter()
    submission = await submit_domains(db, WHO, ["good-one.com", *REFUSED, "good-two.de"])
    assert time.perf_counter() - began < 2
    first, *middle, last = submission.lines
    assert (first.status, last.status) == ("new", "new")
    assert [line.status for line in middle] == ["invalid"] * len(REFUSED)
    assert all(line.reason and line.id is None for line in middle)
    assert {row.domain for row in await all_of(db, tables.domains)} == {"good-one.com", "good-two.de"}
    assert await submit_domains(db, WHO, ["x"]) == await submit_domains(db, WHO, ["x"])


async def test_an_international_name_is_one_row_in_both_forms(db: AsyncEngine) -> None:
    submission = await submit_domains(db, WHO, ["münchen.de", "xn--mnchen-3ya.de"])
    assert [line.status for line in submission.lines] == ["new", "known"]
    assert [row.domain for row in await all_of(db, tables.domains)] == ["xn--mnchen-3ya.de"]


async def test_pages_on_platforms_are_no_domains(db: AsyncEngine) -> None:
    submission = await submit_domains(db, WHO, ["facebook.com/acme", "linktr.ee/x", "sites.google.com/x"])
    assert [line.status for line in submission.lines] == ["platform"] * 3
    assert await all_of(db, tables.domains) == []


async def test_too_many_lines_are_refused_by_name_of_the_limit(db: AsyncEngine) -> None:
    with pytest.raises(InvalidInput, match="100,000"):
        await submit_domains(db, WHO, "\n".join(f"d{n}.com" for n in range(MAX_SUBMITTED_LINES + 1)))
    assert await all_of(db, tables.domains) == []


@pytest.mark.timed
@pytest.mark.reliability
async def test_a_hundred_thousand_lines_take_at_most_thirty_seconds(db: AsyncEngine) -> None:
    lines = [f"shop-{n}.com" for n in range(MAX_SUBMITTED_LINES)]
    began = time.perf_counter()
    submission = await submit_domains(db, WHO, lines)
    assert time.perf_counter() - began < 30
    assert submission.counts == {
        **dict.fromkeys(("new", "lines", "queued"), MAX_SUBMITTED_LINES),
        **dict.fromkeys(("known", "invalid", "platform"), 0),
    }


async def test_submitting_again_resets_no_decision_and_no_state(db: AsyncEngine) -> None:
    await submit_domains(db, WHO, ["kept.com", "rejected.com"])
    async with db.begin() as connection:
        domains = tables.domains
        await connection.execute(
            update(domains)
            .where(domains.c.domain == "rejected.com")
            .values(sitemap_curation_status="Rejected", status=None)
        )
        await connection.execute(
            update(domains).where(domains.c.domain == "kept.com").values(sitemap_curation_status="Maybe")
        )
    submission = await submit_domains(db, WHO, ["kept.com", "rejected.com"])
    assert [(line.status, line.queued) for line in submission.lines] == [("known", True), ("known", False)]
    rows = {row.domain: row for row in await all_of(db, tables.domains)}
    assert rows["kept.com"].sitemap_curation_status == "Maybe"
    assert (rows["rejected.com"].sitemap_curation_status, rows["rejected.com"].status) == ("Rejected", None)


@pytest.mark.parametrize("auto_queue", [True, False])
async def test_every_way_in_queues_or_not_as_it_is_told(db: AsyncEngine, auto_queue: bool) -> None:
    """Trap 40: the same option on lines and on files, for domains, sitemaps and pages."""
    options = SubmissionOptions(auto_queue=auto_queue)
    await submit_domains(db, WHO, "a.com", options)
    await import_csv(db, WHO, "domain", [b"domain\nb.com\n"], options)
    await submit_sitemaps(db, WHO, "https://a.com/sitemap.xml", options)
    await import_csv(db, WHO, "sitemap", [b"sitemap_url\nhttps://b.com/sitemap.xml\n"], options)
    await submit_pages(db, WHO, "https://a.com/contact", options)
    await import_csv(db, WHO, "page", [b"url\nhttps://b.com/contact\n"], options)
    statuses = [row.status for row in await all_of(db, tables.domains)]
    assert statuses == (["pending"] * 2 if auto_queue else [None] * 2)
    imports = [row.sitemap_import_status for row in await all_of(db, tables.sitemap_files)]
    assert imports == (["Queued"] * 2 if auto_queue else [None] * 2)
    assert [row.page_processing_status for row in await all_of(db, tables.pages)] == imports


async def test_a_sitemap_that_is_not_to_be_imported_is_left_alone_by_the_safety_net(db: AsyncEngine) -> None:
    from scrapersky.maintenance import queue_missed_sitemaps

    await submit_sitemaps(db, WHO, "https://a.com/sitemap.xml", SubmissionOptions(auto_queue=False))
    async with db.begin() as connection:
        assert await queue_missed_sitemaps(connection) == 0


async def test_a_domain_that_was_never_queued_is_queued_when_it_is_submitted(db: AsyncEngine) -> None:
    await submit_pages(db, WHO, "https://a.com/contact")
    [domain] = await all_of(db, tables.domains)
    assert domain.status is None
    submission = await submit_domains(db, WHO, "a.com")
    assert (submission.lines[0].status, submission.lines[0].queued) == ("known", True)
    [domain] = await all_of(db, tables.domains)
    assert domain.status == "pending"


@pytest.mark.req("R215")
async def test_submitted_sitemaps_are_queued_below_their_domain(db: AsyncEngine) -> None:
    lines = ["https://www.shop.com/sitemap.xml", "http://shop.com/feeds/all.xml.gz", "https://shop.com/",
             "facebook.com/sitemap.xml", "https://WWW.shop.com/sitemap.xml#x"]  # fmt: skip
    submission = await submit_sitemaps(db, WHO, lines)
    assert [line.status for line in submission.lines] == ["new", "new", "invalid", "platform", "known"]
    [domain] = await all_of(db, tables.domains)
    sitemaps = await all_of(db, tables.sitemap_files)
    assert {row.url for row in sitemaps} == {
        "https://www.shop.com/sitemap.xml",
        "http://shop.com/feeds/all.xml.gz",
    }
    for row in sitemaps:
        assert (row.domain_id, row.host, row.created_by) == (domain.id, "shop.com", USER)
        assert (row.sitemap_import_status, row.discovery_method) == ("Queued", "manual")


async def test_submitted_pages_carry_type_and_priority(db: AsyncEngine) -> None:
    lines = [
        "https://shop.com/contact?utm_source=x",
        "shop.com/contact",
        "https://shop.com/blog/2020/05/a-story",
    ]
    submission = await submit_pages(db, WHO, lines)
    assert [line.status for line in submission.lines] == ["new", "known", "new"]
    contact, story = sorted(await all_of(db, tables.pages), key=lambda row: row.priority_level)
    assert (contact.url, contact.page_type, contact.priority_level) == (
        "https://shop.com/contact",
        "contact_root",
        1,
    )
    assert story.page_processing_status == "Queued"
    await submit_pages(db, WHO, "https://shop.com/x", SubmissionOptions(priority=2))
    assert (await all_of(db, tables.pages))[-1].priority_level == 2
    with pytest.raises(InvalidInput, match="1, 2 or 3"):
        await submit_pages(db, WHO, "https://shop.com/y", SubmissionOptions(priority=5))


@pytest.mark.req("R188")
async def test_records_belong_to_whoever_submitted_them(db: AsyncEngine) -> None:
    person = uuid.uuid4()
    async with db.begin() as connection:
        values = {"id": person, "tenant_id": TENANT, "email": "ada@people.org"}
        await connection.execute(tables.users.insert().values(values))
    await submit_domains(db, Actor(TENANT, person), "mine.com")
    await submit_domains(db, WHO, "ours.com")
    owners = {row.domain: row.created_by for row in await all_of(db, tables.domains)}
    assert owners == {"mine.com": person, "ours.com": USER}


async def test_tenants_do_not_see_each_others_domains(db: AsyncEngine) -> None:
    other = uuid.uuid4()
    async with db.begin() as connection:
        await connection.execute(tables.tenants.insert().values(id=other, name="Other"))
    await submit_pages(db, WHO, "https://a.com/contact")
    submission = await submit_pages(db, Actor(other, USER), "https://a.com/contact")
    assert submission.lines[0].status == "new"
    assert len(await all_of(db, tables.pages)) == 2


async def test_two_submissions_of_the_same_lines_meet(db: AsyncEngine) -> None:
    lines = [f"https://d{n}.com/page" for n in range(500)]
    both = await asyncio.gather(submit_pages(db, WHO, lines), submit_pages(db, WHO, lines[::-1]))
    assert sum(one.count("new") for one in both) == 500
    assert set(both[0].ids) == set(both[1].ids)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("domain", b"\xef\xbb\xbfName;Website\nAcme;a.com\nBeta;b.com\n"),
        ("domain", b"sep=|\nfirma|webseite\nAcme|a.com\nBeta|b.com\n"),
        ("domain", b"a.com\nb.com\n"),
        ("domain", "domain,note\na.com,ä\nb.com,ß\n".encode("utf-16")),
        ("domain", b"id,tenant_id,status,created_at,Domain\n1,2,Rejected,NaN,a.com\n9,9,done,x,b.com\n"),
        ("page", b"link\thello\nhttps://a.com/contact\tx\nhttps://b.com/team\ty\n"),
        ("sitemap", b"\"sitemap_url\"\r\n\"https://a.com/sitemap.xml\"\r\n\"https://b.com/sitemap.xml\"\r\n"),
    ],
)  # fmt: skip
async def test_files_of_every_make_are_imported(db: AsyncEngine, kind: str, data: bytes) -> None:
    submission = await import_csv(db, WHO, kind, [data[:7], data[7:]])
    assert submission.counts["new"] == 2
    assert submission.mapping
    rows = await all_of(db, tables.domains)
    assert {row.domain for row in rows} == {"a.com", "b.com"}
    assert {(row.tenant_id, row.sitemap_curation_status) for row in rows} == {(TENANT, "New")}


async def test_bad_lines_of_a_file_are_named_and_the_others_imported(db: AsyncEngine) -> None:
    lines = [b"name,domain"] + [b"shop,shop%d.com" % n for n in range(2, 1_001)]
    lines[4] = b'"shop,shop5.com'
    lines[6] = b"shop,sh\x00op7.com"
    lines[8] = b"shop," + b"x" * 200_000
    lines[10] = b"shop,"
    submission = await import_csv(db, WHO, "domain", [b"\n".join(lines)])
    bad = {line.number: line.reason for line in submission.lines if line.status != "new"}
    assert bad == {
        5: "a quote that is not closed",
        7: "control character",
        9: "longer than 100,000 characters",
        11: "the cell is empty",
    }
    assert submission.counts["new"] == 995


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04rest", "ZIP"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b"domain,domain\na.com,b.com\n", "two columns"),
        (b"domain,,x\na.com,b.com,c\n", "no heading"),
        (b",".join(b"c%d" % n for n in range(10_000)), "line 1: more than 200 columns"),
        (b"x" * (MAX_INPUT_BYTES + 1), "10,485,760 bytes"),
        (b"domain\n" + b"a.com\n" * (MAX_SUBMITTED_LINES + 1), "100,000"),
    ],
)
async def test_files_that_are_none_are_refused_with_the_reason(
    db: AsyncEngine, data: bytes, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        await import_csv(db, WHO, "domain", [data])
    assert await all_of(db, tables.domains) == []


async def test_a_file_with_headings_alone_has_no_rows(db: AsyncEngine) -> None:
    assert (await import_csv(db, WHO, "domain", [b"domain\n"])).lines == []


async def test_importing_a_file_again_gives_the_same_end_state(db: AsyncEngine) -> None:
    data = b"domain\n" + b"\n".join(b"shop%d.com" % n for n in range(100))
    first = await import_csv(db, WHO, "domain", [data])
    again = await import_csv(db, WHO, "domain", [data])
    assert again.counts["known"] == 100
    assert again.ids == first.ids


@pytest.mark.req("R246")
async def test_a_search_is_queued_before_it_answers(db: AsyncEngine) -> None:
    request = SearchRequest("dentist", "Portland, OR", "csv", params={"file": "places.csv"})
    search = await submit_search(db, WHO, request, CSV)
    [row] = await all_of(db, tables.place_searches)
    assert (row.id, row.status, row.created_by) == (search.id, "pending", USER)
    assert (row.business_type, row.location, row.params) == (
        "dentist",
        "Portland, OR",
        {"file": "places.csv"},
    )
    for kind, source in (("x" * 101, "csv"), ("dentist", "other"), ("den\x00tist", "csv")):
        with pytest.raises(InvalidInput):
            await submit_search(db, WHO, SearchRequest(kind, "here", source), CSV)


@pytest.mark.req("R165", "R166")
async def test_a_scan_has_its_job_in_the_database_before_it_answers(db: AsyncEngine) -> None:
    number, job_id = await submit_scan(db, WHO, "https://www.Example.com/about", 500)
    [job] = await all_of(db, tables.jobs)
    [domain] = await all_of(db, tables.domains)
    assert (job.id, job.job_id, job.job_type, job.status) == (number, job_id, "sitemap", "pending")
    assert job.result_data == {"domain": "example.com", "max_pages": 500}
    assert (job.created_by, job.domain_id, domain.domain) == (USER, domain.id, "example.com")


async def test_a_scan_of_what_is_no_site_or_is_rejected_makes_no_job(db: AsyncEngine) -> None:
    for url, pages in (("http://127.0.0.1/", 10), ("facebook.com/x", 10), ("a.com", 0)):
        with pytest.raises(InvalidInput):
            await submit_scan(db, WHO, url, pages)
    await submit_domains(db, WHO, "no.com")
    async with db.begin() as connection:
        await connection.execute(update(tables.domains).values(sitemap_curation_status="Archived"))
    with pytest.raises(Conflict, match="Archived"):
        await submit_scan(db, WHO, "no.com")
    assert await all_of(db, tables.jobs) == []


async def test_a_sitemap_that_was_taken_in_part_goes_on(db: AsyncEngine) -> None:
    part, whole = (
        await submit_sitemaps(db, WHO, "https://a.com/sitemap.xml\nhttps://a.com/sitemap2.xml")
    ).ids
    sitemaps = tables.sitemap_files
    async with db.begin() as connection:
        for word in ("Processing", "Complete"):
            lease = func.now() if word == "Processing" else None
            await connection.execute(
                update(sitemaps).values(sitemap_import_status=word, sitemap_import_lease_until=lease)
            )
        await connection.execute(
            update(sitemaps).where(sitemaps.c.id == part).values(is_partial=True, max_urls=50_000)
        )
    assert await continue_import(db, WHO, [part, whole], 10_000) == 1
    rows = {row.id: row for row in await all_of(db, tables.sitemap_files)}
    assert rows[part].sitemap_import_status == "Queued"
    assert (rows[part].max_urls, rows[part].max_pages) == (60_000, None)
    assert rows[whole].sitemap_import_status == "Complete"
    with pytest.raises(NotFound):
        await continue_import(db, WHO, [whole])
