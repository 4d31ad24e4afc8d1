"""Domain → a sitemap job in the same transaction: "submitted" means that the job exists."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import USER, FakeWeb, context, item, rows_of
from scrapersky import tables
from scrapersky.stages import submit_domain
from scrapersky.storage import ContactUpsert


def domain(**more: Any) -> Any:
    known = {"home_url": "https://www.lune.co.uk/", "sitemaps": ["https://www.lune.co.uk/map.xml"]}
    columns = {
        "domain": "lune.co.uk",
        "domain_metadata": known,
        "is_wordpress": None,
        "generator": None,
    } | more
    return item("lune.co.uk", **columns)


@pytest.mark.req("R134", "R178", "R248")
async def test_a_submitted_domain_comes_with_its_job() -> None:
    """D12: the job row is among the rows that the finishing transaction writes."""
    one = domain()

    done = await submit_domain.run(one, context(settings={"sitemap_urls_per_domain": 77}))

    [job] = [row.values for row in rows_of(done, tables.jobs)]
    assert (job["job_type"], job["host"], job["domain_id"]) == ("sitemap", "lune.co.uk", one.id)
    assert job["result_data"]["domain"] == "lune.co.uk"
    assert job["result_data"]["max_pages"] == 77
    assert job["result_data"]["home_url"] == "https://www.lune.co.uk/"
    assert job["result_data"]["linked_sitemaps"] == ["https://www.lune.co.uk/map.xml"]
    # R178: what the system makes is made by a real user.
    assert job["created_by"] == USER
    assert done.status is None, "the stage's own success word stands"


@pytest.mark.parametrize(
    ("known", "cms"),
    [
        ({"is_wordpress": True}, "wordpress"),
        ({"generator": "Joomla! - Open Source"}, "Joomla! - Open Source"),
        ({}, ""),
    ],
)
async def test_the_job_says_what_the_site_is_built_with(known: dict[str, Any], cms: str) -> None:
    done = await submit_domain.run(domain(**known), context())

    assert rows_of(done, tables.jobs)[0].values["result_data"]["cms"] == cms


@pytest.mark.req("R138")
async def test_submission_makes_sitemap_work_never_contacts() -> None:
    """The incident of June 2025: a scraper of addresses stood where discovery belonged."""
    web = FakeWeb()

    done = await submit_domain.run(domain(), context(web))

    assert [row.table for row in done.rows] == [tables.jobs]
    assert rows_of(done, ContactUpsert) == rows_of(done, tables.contacts) == rows_of(done, tables.pages) == []
    assert web.asked == [], "nothing is fetched by the submission itself"


async def test_a_domain_whose_metadata_was_never_read_can_be_submitted() -> None:
    done = await submit_domain.run(domain(domain_metadata={}), context())

    given = rows_of(done, tables.jobs)[0].values["result_data"]
    assert (given["home_url"], given["linked_sitemaps"]) == (None, [])
