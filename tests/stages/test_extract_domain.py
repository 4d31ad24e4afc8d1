"""Business → domain: its own host, a profile where it lives on a platform, and no website as an answer."""

from __future__ import annotations

import pytest

from fakes import USER, context, item, rows_of
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.stages import extract_domain
from scrapersky.storage.contacts import ListedContact


def business(website: str | None, **more: object) -> object:
    columns = {
        "listed_contact": None,
        "additional_json": {"seen": 1},
        "country": "GB",
        "source": "fake",
        "created_by": USER,
    } | more
    return item(website_url=website, **columns)


@pytest.mark.req("R117", "R127")
@pytest.mark.parametrize(
    "website",
    [
        "lune.co.uk",
        "www.lune.co.uk",
        "http://lune.co.uk/",
        "https://www.lune.co.uk/menu?utm_source=x",
        "HTTP://LUNE.CO.UK",
    ],
)
async def test_every_spelling_of_a_website_gives_one_pending_domain(website: str) -> None:
    one = business(website)

    done = await extract_domain.run(one, context())

    [domain] = [row.values for row in rows_of(done, tables.domains)]
    assert (domain["domain"], domain["host"]) == ("lune.co.uk", "lune.co.uk")
    assert (domain["local_business_id"], domain["country"], domain["lead_source"]) == (one.id, "GB", "fake")
    assert domain["status"] == "pending"


async def test_two_businesses_with_one_website_name_one_domain() -> None:
    first = await extract_domain.run(business("http://mall.co.uk/bakery"), context())
    second = await extract_domain.run(business("www.mall.co.uk/florist"), context())

    assert first.rows[0].values["domain"] == second.rows[0].values["domain"] == "mall.co.uk"


@pytest.mark.parametrize(
    ("website", "platform"),
    [("https://www.facebook.com/bakerylune", "facebook"), ("instagram.com/lune", "instagram")],
)
async def test_a_page_on_a_platform_is_a_profile_and_no_domain(website: str, platform: str) -> None:
    done = await extract_domain.run(business(website), context())

    assert rows_of(done, tables.domains) == []
    known = done.fields["additional_json"]
    assert platform in known["platform"].lower()
    assert platform in known["profile_url"]
    assert known["seen"] == 1, "what was known before stays"


@pytest.mark.req("R126")
@pytest.mark.parametrize("website", [None, ""])
async def test_no_website_is_an_answer(website: str | None) -> None:
    done = await extract_domain.run(business(website), context())

    assert list(done.rows) == []
    assert done.fields["additional_json"] == {"seen": 1, "website": "none listed"}


@pytest.mark.req("R126")
@pytest.mark.parametrize(
    "website", ["not a website", "http://user@evil.co.uk/", "http://127.0.0.1/", "ftp://x.co.uk"]
)
async def test_a_website_that_is_none_fails_with_the_reason(website: str) -> None:
    with pytest.raises(Discard, match=r"gives no domain: .+"):
        await extract_domain.run(business(website), context())


@pytest.mark.parametrize(
    ("listed", "contacts"),
    [
        ({"email": None, "person": None, "file": "a.csv", "line": 2}, []),
        ({"email": None, "person": None, "phone": "+441792111111"}, []),
        ({"person": "Ada", "phone": "+441792111111"}, [(None, "+441792111111")]),
        ({"email": None, "emails": ["info@lune.co.uk"]}, [("info@lune.co.uk", None)]),
    ],
)
async def test_a_listed_contact_that_was_erased_is_none(
    listed: dict[str, object], contacts: list[tuple[str | None, str | None]]
) -> None:
    result = await extract_domain.run(business("lune.co.uk", listed_contact=listed), context())
    rows = [row for row in result.rows if isinstance(row, ListedContact)]
    assert [(row.email, row.phone) for row in rows] == contacts
