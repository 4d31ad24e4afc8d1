"""Domain → its metadata, the hand-off to the sitemap analysis, and the first pages to read."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import FakeWeb, context, item, page, rows_of
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.fetch.errors import ConnectFailed, TLSFailed, TransientHTTPError
from scrapersky.stages import read_metadata
from scrapersky.storage import ContactUpsert, PageList, Upsert

HOME = """<!DOCTYPE html><html lang="en"><head><title>Bakery Lune</title>
<meta name="description" content="Bread since 1982"><meta name="generator" content="WordPress 6.4.2">
<link rel="icon" href="/favicon.ico"><link rel="sitemap" href="/sitemap.xml">
<link rel="stylesheet" href="/wp-content/plugins/elementor/assets/css/frontend.min.css"></head>
<body class="elementor-page"><img class="site-logo" src="/logo.png" alt="logo">
<a href="mailto:hello@lune.co.uk">hello@lune.co.uk</a> <a href="tel:+442079460018">020 7946 0018</a>
<a href="https://www.facebook.com/bakerylune">Facebook</a>
<nav><a href="/contact/">Contact</a><a href="/team/">Team</a><a href="/blog/how-to-bake/">Blog</a>
<a href="https://elsewhere.org/contact">Partner</a></nav></body></html>"""


def domain(**more: Any) -> Any:
    columns = {"domain": "lune.co.uk", "country": "GB", "sitemap_analysis_status": None} | more
    return item("lune.co.uk", **columns)


def lune(body: str = HOME) -> FakeWeb:
    return FakeWeb({"https://lune.co.uk/": body})


@pytest.mark.req("R115", "R116")
async def test_every_key_field_is_filled_with_real_data() -> None:
    done = await read_metadata.run(domain(), context(lune()))

    known = done.fields
    assert (known["title"], known["description"], known["language"]) == (
        "Bakery Lune",
        "Bread since 1982",
        "en",
    )
    assert (known["is_wordpress"], known["wordpress_version"], known["has_elementor"]) == (
        True,
        "6.4.2",
        True,
    )
    assert known["favicon_url"] == "https://lune.co.uk/favicon.ico"
    assert known["logo_url"] == "https://lune.co.uk/logo.png"
    assert (known["email_addresses"], known["phone_numbers"]) == (["hello@lune.co.uk"], ["+442079460018"])
    assert known["facebook_url"] == "https://www.facebook.com/bakerylune"
    assert "WordPress" in known["tech_stack"]
    assert isinstance(known["domain_metadata"], dict)
    assert known["domain_metadata"]["sitemaps"] == ["https://lune.co.uk/sitemap.xml"]
    assert known["last_scan_at"].tzinfo is not None


@pytest.mark.req("R110", "R248")
@pytest.mark.parametrize(("auto", "handed"), [(True, "queued"), (False, None)])
async def test_success_queues_the_sitemap_analysis(auto: bool, handed: str | None) -> None:
    """D9: by default; without the setting a person does it."""
    done = await read_metadata.run(domain(), context(lune(), settings={"auto_sitemap_analysis": auto}))

    assert done.fields.get("sitemap_analysis_status") == handed


async def test_an_analysis_that_runs_is_not_queued_a_second_time() -> None:
    done = await read_metadata.run(domain(sitemap_analysis_status="processing"), context(lune()))

    assert "sitemap_analysis_status" not in done.fields


async def test_home_contact_and_team_pages_are_queued_at_once() -> None:
    one = domain()

    done = await read_metadata.run(one, context(lune()))

    [pages] = rows_of(done, PageList)
    assert (pages.domain_id, pages.host, pages.lead_source) == (one.id, "lune.co.uk", "home_page")
    assert {page.url: page.status for page in pages.pages} == {
        "https://lune.co.uk/": "Queued",
        "https://lune.co.uk/contact/": "Queued",
        "https://lune.co.uk/team/": "Queued",
    }


async def test_pages_wait_for_a_person_when_reading_does_not_go_by_itself() -> None:
    done = await read_metadata.run(domain(), context(lune(), settings={"auto_page_reading": False}))

    assert {page.status for page in rows_of(done, PageList)[0].pages} == {None}


async def test_metadata_makes_no_contacts_and_no_domains() -> None:
    done = await read_metadata.run(domain(), context(lune()))

    assert (
        rows_of(done, ContactUpsert) == rows_of(done, tables.contacts) == rows_of(done, tables.domains) == []
    )
    assert not any(isinstance(row, Upsert) for row in done.rows)


@pytest.mark.parametrize("failure", [TLSFailed(), ConnectFailed()])
async def test_a_host_without_tls_is_asked_by_plain_http(failure: Exception) -> None:
    web = FakeWeb({"https://lune.co.uk/": failure, "http://lune.co.uk/": HOME})

    done = await read_metadata.run(domain(), context(web))

    assert web.asked == ["https://lune.co.uk/", "http://lune.co.uk/"]
    assert done.fields["domain_metadata"]["home_url"] == "http://lune.co.uk/"


@pytest.mark.req("R109")
async def test_a_host_that_answers_with_an_error_is_not_asked_twice_and_invents_nothing() -> None:
    web = FakeWeb({"https://lune.co.uk/": TransientHTTPError(500), "http://lune.co.uk/": HOME})

    with pytest.raises(TransientHTTPError, match="500"):
        await read_metadata.run(domain(), context(web))

    assert web.asked == ["https://lune.co.uk/"]


@pytest.mark.req("R233")
async def test_the_home_page_is_where_the_host_redirects_to() -> None:
    moved = page(HOME, url="https://www.lune.co.uk/en/")

    done = await read_metadata.run(domain(), context(FakeWeb({"https://lune.co.uk/": moved})))

    [pages] = rows_of(done, PageList)
    assert pages.pages[0].url == "https://www.lune.co.uk/en/"
    assert pages.pages[0].page_type == "home"


async def test_the_home_page_is_not_fetched_again_when_it_is_read() -> None:
    web = lune()
    made = context(web)
    await read_metadata.run(domain(), made)

    await made.fetch("https://lune.co.uk/")

    assert web.asked == ["https://lune.co.uk/"]


async def test_an_empty_page_gives_empty_fields_not_invented_ones() -> None:
    done = await read_metadata.run(domain(), context(lune("<html></html>")))

    known = done.fields
    assert (known["title"], known["description"], known["email_addresses"]) == (None, None, [])
    assert known["is_wordpress"] is False


async def test_a_parked_domain_is_left_at_once_and_its_sellers_contacts_are_not_its_own() -> None:
    """HTML-20: no page is listed, no sitemap looked for, and the reason is told."""
    seller = "<a href='mailto:sales@broker.com'>sales@broker.com</a>"
    body = f"<title>lune.co.uk</title><h1>This domain is for sale</h1>{seller}"

    done = await read_metadata.run(domain(), context(lune(body)))

    assert done.rows == ()
    assert "sitemap_analysis_status" not in done.fields
    assert done.fields["sitemap_analysis_error"] == "parked: the home page says “domain is for sale”"
    assert done.fields["email_addresses"] == []
    assert done.fields["domain_metadata"]["class"]["name"] == "parked"


async def test_a_barrier_instead_of_the_home_page_is_an_error_with_its_words() -> None:
    with pytest.raises(Discard, match=r"blocked: .*unusual traffic"):
        await read_metadata.run(domain(), context(lune("<p>We have detected unusual traffic.</p>")))
