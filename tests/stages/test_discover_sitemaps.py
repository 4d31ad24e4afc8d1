"""Sitemap job → sitemap files, queued in the same transaction; without any, the links of the home page."""

from __future__ import annotations

import inspect
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from fakes import USER, FakeWeb, context, index, item, rows_of, urlset
from scrapersky import tables
from scrapersky.actions.searches import submit_scan
from scrapersky.cli.data.sitemap import scan
from scrapersky.engine.outcome import Discard
from scrapersky.fetch.errors import PermanentHTTPError, RobotsUnreachable, Timeout, TransientHTTPError
from scrapersky.settings import load_settings
from scrapersky.stage_context.job_progress import JobCancelled, JobProgress
from scrapersky.stages import discover_sitemaps, read_metadata
from scrapersky.storage import ContactUpsert, LinkSitemapsToJob, PageList, Update
from scrapersky.wiring import stage_limits

SITE = "https://lune.co.uk"
LINKS = """<a href="/contact">Contact</a><a href="/bread">Bread</a>
<a href="/blog/a/b/c/">Post</a><a href="/x.pdf">x</a>"""


def job(**given: Any) -> Any:
    data = {"domain": "lune.co.uk", "home_url": f"{SITE}/", **given}
    return item("lune.co.uk", id=7, job_id=uuid4(), domain_id=uuid4(), result_data=data, created_by=USER)


def sitemaps(done: Any) -> list[dict[str, Any]]:
    return [dict(row.values) for row in rows_of(done, tables.sitemap_files)]


def methods(done: Any) -> dict[str, str]:
    return {one["url"].removeprefix(SITE): one["discovery_method"] for one in sitemaps(done)}


@pytest.mark.req("R001", "R176", "R179")
async def test_every_found_sitemap_is_queued_and_says_how_it_was_found() -> None:
    web = FakeWeb(
        {f"{SITE}/a.xml": urlset(f"{SITE}/1", f"{SITE}/2"), f"{SITE}/b.xml": index(f"{SITE}/c.xml")},
        named=(f"{SITE}/a.xml",),
    )
    one = job(linked_sitemaps=[f"{SITE}/b.xml"])

    done = await discover_sitemaps.run(one, context(web))

    assert methods(done) == {"/a.xml": "robots_txt", "/b.xml": "html_link", "/c.xml": "sitemap_index"}
    assert {made["sitemap_import_status"] for made in sitemaps(done)} == {"Queued"}
    known = {made["url"]: made for made in sitemaps(done)}
    assert (known[f"{SITE}/a.xml"]["sitemap_type"], known[f"{SITE}/a.xml"]["url_count"]) == ("standard", 2)
    assert known[f"{SITE}/b.xml"]["sitemap_type"] == "index"
    for made in sitemaps(done):
        assert (made["job_id"], made["domain_id"]) == (one.row.job_id, one.row.domain_id)
        assert (made["created_by"], made["host"]) == (USER, "lune.co.uk")


async def test_sitemaps_wait_for_a_person_without_auto_import() -> None:
    """D1: a setting."""
    web = FakeWeb({f"{SITE}/a.xml": urlset(f"{SITE}/1")}, named=(f"{SITE}/a.xml",))

    done = await discover_sitemaps.run(job(), context(web, settings={"sitemap_auto_import": False}))

    assert [made["sitemap_import_status"] for made in sitemaps(done)] == [None]


@pytest.mark.req("R005")
async def test_eight_sitemaps_give_eight_queued_rows() -> None:
    children = [f"{SITE}/part-{number}.xml" for number in range(7)]
    web = FakeWeb({f"{SITE}/sitemap.xml": index(*children)})

    done = await discover_sitemaps.run(job(), context(web))

    assert len(sitemaps(done)) == 8
    assert {made["sitemap_import_status"] for made in sitemaps(done)} == {"Queued"}
    assert rows_of(done, Update)[0].values["total_sitemaps"] == 8


async def test_the_usual_paths_are_tried_only_when_nothing_was_named() -> None:
    named = FakeWeb({f"{SITE}/a.xml": urlset(f"{SITE}/1")}, named=(f"{SITE}/a.xml",))
    silent = FakeWeb({f"{SITE}/wp-sitemap.xml": index(f"{SITE}/p.xml")})

    await discover_sitemaps.run(job(), context(named))
    done = await discover_sitemaps.run(job(cms="wordpress"), context(silent))

    assert named.asked == [f"{SITE}/a.xml"]
    assert silent.asked == [f"{SITE}/wp-sitemap.xml"], "what the builder is known to use comes first"
    assert methods(done) == {"/wp-sitemap.xml": "common_path", "/p.xml": "sitemap_index"}


async def test_a_page_that_is_no_sitemap_makes_no_row() -> None:
    """A soft 404 under /sitemap.xml, and a named file that is a page: the second is worth telling."""
    web = FakeWeb(
        {
            f"{SITE}/named.xml": "<html><body>Not found</body></html>",
            f"{SITE}/sitemap.xml": "<html>Oops</html>",
            f"{SITE}/": LINKS,
        },
        named=(f"{SITE}/named.xml",),
    )

    done = await discover_sitemaps.run(job(), context(web))

    assert sitemaps(done) == []
    [problem] = done.fields["result_data"]["problems"]
    assert problem.startswith(f"{SITE}/named.xml: not a sitemap")


async def test_a_site_without_sitemaps_falls_back_to_its_links_and_says_so() -> None:
    done = await discover_sitemaps.run(job(), context(FakeWeb({f"{SITE}/": LINKS})))

    [pages] = rows_of(done, PageList)
    assert {page.url.removeprefix(SITE): page.status for page in pages.pages} == {
        "/contact": "Queued",
        "/bread": "Queued",
        "/blog/a/b/c/": None,
    }
    assert "no sitemap found" in done.fields["result_data"]["note"]
    # D12: nought is the answer "none found", where NULL means that nobody has looked.
    assert rows_of(done, Update)[0].values == {"total_sitemaps": 0, "sitemap_urls": 0}


@pytest.mark.req("R258")
async def test_every_linked_page_is_queued_when_all_are_to_be_read() -> None:
    web, settings = FakeWeb({f"{SITE}/": LINKS}), {"read_all_pages": True}
    done = await discover_sitemaps.run(job(), context(web, settings=settings))

    [pages] = rows_of(done, PageList)
    assert [page.status for page in pages.pages] == ["Queued"] * 3


async def test_a_site_with_a_feed_alone_is_also_read_by_its_links_and_says_so() -> None:
    feed = f"<rss><channel><item><link>{SITE}/blog/1</link></item></channel></rss>"
    web = FakeWeb({f"{SITE}/": LINKS, f"{SITE}/feed/": feed}, named=(f"{SITE}/feed/",))

    done = await discover_sitemaps.run(job(), context(web))

    assert [one["sitemap_type"] for one in sitemaps(done)] == ["rss"]
    [pages] = rows_of(done, PageList)
    assert f"{SITE}/bread" in {page.url for page in pages.pages}
    assert "only feeds" in done.fields["result_data"]["note"]


async def test_the_domain_learns_what_the_job_found() -> None:
    web = FakeWeb({f"{SITE}/sitemap.xml": urlset(*(f"{SITE}/{number}" for number in range(5)))})
    one = job()

    done = await discover_sitemaps.run(one, context(web))

    [change] = rows_of(done, Update)
    assert (change.table, change.id) == (tables.domains, one.row.domain_id)
    assert change.values == {"total_sitemaps": 1, "sitemap_urls": 5}
    assert (done.fields["progress"], done.fields["progress_percent"]) == (1.0, 100)
    assert done.fields["progress_message"] == "1 sitemap found"
    [file] = [upsert.values for upsert in rows_of(done, tables.sitemap_files)]
    assert file["additional_json"]["first_urls"] == [f"{SITE}/{number}" for number in range(5)]
    assert sum(file["additional_json"]["guessed_types"].values()) == 5
    assert len(rows_of(done, LinkSitemapsToJob)) == 1


@pytest.mark.req("R138")
async def test_the_result_of_discovery_is_sitemaps_never_contacts() -> None:
    web = FakeWeb({f"{SITE}/": f"{LINKS}<a href='mailto:hello@lune.co.uk'>mail</a>"})

    done = await discover_sitemaps.run(job(), context(web))

    assert rows_of(done, ContactUpsert) == rows_of(done, tables.contacts) == []


@pytest.mark.req("R062")
async def test_progress_is_told_step_by_step() -> None:
    web = FakeWeb({f"{SITE}/": LINKS})
    made = context(web)

    await discover_sitemaps.run(job(), made)

    percents = [percent for percent, _ in made.progress.reports]
    assert len(percents) > 3
    assert percents == [round(number / len(percents) * 100) for number in range(len(percents))]
    messages = [message for _, message in made.progress.reports]
    assert messages == [f"checking {url}" for url in web.asked if url != f"{SITE}/"]
    assert messages[0] == f"checking {SITE}/sitemap.xml"


@pytest.mark.req("R169", "R183")
@pytest.mark.parametrize(
    "data", [{}, {"domain": ""}, {"domain": None}, {"domain": "x.co.uk", "max_pages": "many"}]
)
async def test_a_job_without_a_domain_fails_with_the_reason(data: dict[str, Any]) -> None:
    one = item("x", id=7, job_id=uuid4(), domain_id=None, result_data=data, created_by=USER)

    with pytest.raises(Discard, match=r"the job's input is not valid: (domain|max_pages): "):
        await discover_sitemaps.run(one, context())


@pytest.mark.req("R172")
@pytest.mark.parametrize("failure", [Timeout(), TransientHTTPError(503)])
async def test_an_ill_host_is_tried_again_instead_of_called_without_sitemaps(failure: Exception) -> None:
    with pytest.raises(type(failure)):
        await discover_sitemaps.run(job(), context(FakeWeb({f"{SITE}/sitemap.xml": failure})))


async def test_a_robots_file_that_cannot_be_read_closes_the_site_for_now() -> None:
    closed = RobotsUnreachable(wait=timedelta(minutes=5))

    with pytest.raises(RobotsUnreachable):
        await discover_sitemaps.run(
            job(), context(FakeWeb({f"{SITE}/sitemap.xml": urlset(SITE)}, closed=closed))
        )


async def test_a_named_file_that_is_gone_does_not_hide_the_others() -> None:
    web = FakeWeb(
        {f"{SITE}/gone.xml": PermanentHTTPError(404), f"{SITE}/here.xml": urlset(f"{SITE}/1")},
        named=(f"{SITE}/gone.xml", f"{SITE}/here.xml"),
    )

    done = await discover_sitemaps.run(job(), context(web))

    assert methods(done) == {"/here.xml": "robots_txt"}
    assert "404" in done.fields["result_data"]["problems"][0]


async def test_more_sitemaps_than_the_limit_are_said_to_be_there() -> None:
    web = FakeWeb({f"{SITE}/sitemap.xml": index(*(f"{SITE}/p{number}.xml" for number in range(50)))})

    done = await discover_sitemaps.run(job(), context(web, settings={"sitemap_files_per_domain": 10}))

    assert len(sitemaps(done)) == 10
    assert "more sitemaps than the limit of 10" in done.fields["result_data"]["problems"][0]


@pytest.mark.req("R170")
@pytest.mark.parametrize(("named", "limit"), [({"max_pages": 5}, 5), ({}, 33), ({"max_pages": None}, 33)])
async def test_every_sitemap_is_told_how_many_pages_the_job_wants(named: Any, limit: int) -> None:
    web = FakeWeb({f"{SITE}/sitemap.xml": index(f"{SITE}/a.xml", f"{SITE}/b.xml")})

    done = await discover_sitemaps.run(job(**named), context(web, settings={"job_max_pages": 33}))

    found = [row.values["max_pages"] for row in rows_of(done, tables.sitemap_files)]
    assert found == [limit] * 3


@pytest.mark.req("R170")
async def test_a_job_that_names_no_number_asks_for_1000_pages() -> None:
    """By the settings as they come, by the limits made from them, and by a scan without a number."""
    settings = load_settings(env_file=None, environment={})
    web = FakeWeb({f"{SITE}/sitemap.xml": urlset(SITE)})
    kit = replace(context(web), limits=stage_limits(settings))

    done = await discover_sitemaps.run(job(), kit)

    assert [row.values["max_pages"] for row in rows_of(done, tables.sitemap_files)] == [1_000]
    assert settings.sitemap_job_max_pages == stage_limits(settings).job_max_pages == 1_000
    assert inspect.signature(submit_scan).parameters["max_pages"].default == 1_000
    assert next(one.default for one in scan.params if one.name == "max_pages") == 1_000


async def test_the_input_of_a_job_stays_beside_its_result() -> None:
    done = await discover_sitemaps.run(
        job(max_pages=5), context(FakeWeb({f"{SITE}/sitemap.xml": urlset(SITE)}))
    )

    assert done.fields["result_data"]["domain"] == "lune.co.uk"
    assert done.fields["result_data"]["max_pages"] == 5


@pytest.mark.parametrize("failure", [TransientHTTPError(500), Timeout()])
async def test_one_named_file_that_is_broken_does_not_hide_the_others(failure: Exception) -> None:
    broken, good = "https://old.example.net/map.xml", f"{SITE}/a.xml"
    web = FakeWeb({broken: failure, good: urlset(f"{SITE}/1")}, named=(broken, good))

    done = await discover_sitemaps.run(job(), context(web))

    assert methods(done) == {"/a.xml": "robots_txt"}
    assert str(failure) in done.fields["result_data"]["problems"][0]


@pytest.mark.req("R059")
async def test_a_named_file_that_is_broken_is_tried_again_when_there_is_no_other() -> None:
    web = FakeWeb({f"{SITE}/a.xml": TransientHTTPError(503)}, named=(f"{SITE}/a.xml",))

    with pytest.raises(TransientHTTPError):
        await discover_sitemaps.run(job(), context(web))


async def test_what_waits_for_a_person_is_not_forgotten_for_the_safety_net_d1() -> None:
    web = FakeWeb({f"{SITE}/a.xml": urlset(f"{SITE}/1")}, named=(f"{SITE}/a.xml",))

    done = await discover_sitemaps.run(job(), context(web, settings={"sitemap_auto_import": False}))

    assert [made["sitemap_import_finished_at"] is not None for made in sitemaps(done)] == [True]


async def test_a_job_that_a_person_cancels_is_cancelled_and_not_failed() -> None:
    class Unwanted(JobProgress):
        async def report(self, item: Any, percent: float, message: str) -> None:
            raise JobCancelled("cancelled by a person")

    web = FakeWeb({}, named=(f"{SITE}/a.xml",))

    done = await discover_sitemaps.run(job(), context(web, progress=Unwanted()))

    assert done is not None
    assert done.status == "cancelled"


async def test_the_home_page_is_neither_fetched_nor_read_again_for_its_links() -> None:
    """The stage before has read it; whether its copy was handed to the reading of pages does not matter."""
    web = FakeWeb({f"{SITE}/": LINKS})
    shared = context(web)
    domain = item("lune.co.uk", domain="lune.co.uk", country=None, sitemap_analysis_status=None)
    await read_metadata.run(domain, shared)
    await shared.fetch(f"{SITE}/")

    done = await discover_sitemaps.run(job(), shared)
    again = await discover_sitemaps.run(job(), shared)

    [pages] = rows_of(done, PageList)
    assert [listed.url for listed in pages.pages][:2] == [f"{SITE}/contact", f"{SITE}/bread"]
    assert rows_of(again, PageList)[0].pages == pages.pages
    assert web.asked.count(f"{SITE}/") == 2, "once by the first stage, once by the second job"
