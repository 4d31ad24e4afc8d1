"""Page → contacts with evidence; unchanged pages are not read again, unlikely ones not at all."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from uuid import uuid4

import pytest

from fakes import USER, FakeBudget, FakeWeb, context, item, page, rows_of
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.extract.contacts import EXTRACTOR_VERSION
from scrapersky.fetch.errors import PermanentHTTPError, RobotsDisallowed, Timeout
from scrapersky.fetch.http.zstd import zstd
from scrapersky.stages import read_metadata, read_page
from scrapersky.storage import ContactUpsert

URL = "https://lune.co.uk/contact"
BODY = """<html lang="en"><head><title>Contact</title></head><body><h1>Contact</h1>
<p>Write to hello@lune.co.uk or orders@lune.co.uk. Do not use noreply@lune.co.uk.</p>
<p>Phone: 020 7946 0018</p><p>Fax: 020 7946 0019</p>
<p>Bakery Lune, 12 Mill Lane, Marlow SL7 1AA, United Kingdom</p></body></html>"""


def row(**more: Any) -> Any:
    known = {
        "url": URL,
        "domain_id": uuid4(),
        "priority_level": 1,
        "scraped_content": None,
        "additional_json": {},
        "etag": None,
        "last_modified_header": None,
        "content_hash": None,
        "page_curation_status": "New",
    }
    return item("lune.co.uk", **(known | more))


async def run(body: Any = BODY, *, one: Any = None, budget: FakeBudget | None = None, **policy: Any) -> Any:
    return await read_page.run(one or row(), context(FakeWeb({URL: body}), budget=budget, settings=policy))


def contacts(done: Any) -> list[ContactUpsert]:
    return rows_of(done, ContactUpsert)


@pytest.mark.req("R151")
async def test_every_address_and_number_of_a_page_becomes_a_contact() -> None:
    one = row()

    done = await run(one=one)

    assert {found.email for found in contacts(done) if found.email} == {
        "hello@lune.co.uk",
        "orders@lune.co.uk",
    }
    assert [found.phone for found in contacts(done) if not found.email] == ["+442079460018"]
    assert {(found.domain_id, found.page_id) for found in contacts(done)} == {(one.row.domain_id, one.id)}
    assert done.fields["contact_scrape_status"] == "ContactFound"
    assert "Mill Lane" in (contacts(done)[0].values["address"] or "")


async def test_no_reply_addresses_and_fax_numbers_are_no_contacts() -> None:
    done = await run()

    ways = {found.email or found.phone for found in contacts(done)}
    assert not ways & {"noreply@lune.co.uk", "+442079460019"}
    assert "+442079460019" in {phone["value"] for phone in done.fields["scraped_content"]["phones"]}


@pytest.mark.req("R082")
async def test_each_contact_carries_the_words_in_which_it_was_seen() -> None:
    done = await run()

    for found in contacts(done):
        seen = found.seen[0]
        assert seen.quote
        assert seen.method
        assert (seen.field, seen.value) == (("email", found.email) if found.email else ("phone", found.phone))
        assert found.extractor_version == EXTRACTOR_VERSION
        assert (found.values["source_url"], found.values["created_by"]) == (URL, USER)
    mail = next(found for found in contacts(done) if found.email == "hello@lune.co.uk")
    assert "hello@lune.co.uk" in mail.seen[0].quote


@pytest.mark.req("R082")
async def test_the_reading_is_stored_whole_with_its_time() -> None:
    """D5: scraped_content is the evidence of one reading, contacts are the entities."""
    done = await run(page(BODY, credits=25))
    content = done.fields["scraped_content"]

    assert {"emails", "phones", "addresses", "extraction_timestamp"} <= set(content)
    assert (content["credits"], done.fields["credits_used"]) == (25, 25)
    assert {mail["value"] for mail in content["emails"]} >= {"hello@lune.co.uk", "orders@lune.co.uk"}
    assert content["extraction_timestamp"].endswith("+00:00")


async def test_a_page_without_contacts_says_so_and_makes_none() -> None:
    """Incident of 13 September 2025: absence is a status of the page, never a record."""
    done = await run("<html><body><h1>Bread</h1></body></html>")

    assert contacts(done) == []
    assert done.fields["contact_scrape_status"] == "NoContactFound"


async def test_hidden_addresses_are_read_and_flagged() -> None:
    coded = "".join(f"&#{ord(letter)};" for letter in "hidden@lune.co.uk")
    key = 0x2A
    cloudflare = f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in b"secret@lune.co.uk")
    link = f'<a href="/x" class="__cf_email__" data-cfemail="{cloudflare}">x</a>'
    body = f"<p>open@lune.co.uk</p><p>{coded}</p>{link}"

    flags = {found.email: found.values["is_email_hidden"] for found in contacts(await run(body))}

    assert flags["open@lune.co.uk"] is False
    assert flags["secret@lune.co.uk"] is True


@pytest.mark.parametrize(("auto", "status"), [(True, "Queued"), (False, None)])
async def test_new_addresses_are_queued_for_validation_by_setting(auto: bool, status: str | None) -> None:
    done = await run(auto_email_validation=auto)

    given = {found.values.get("email_validation_status") for found in contacts(done) if found.email}
    assert given == {status}
    assert {found.values.get("email_validation_status") for found in contacts(done) if not found.email} == {
        None
    }


async def test_a_page_that_did_not_change_is_not_extracted_again() -> None:
    known = {"etag": '"a1"', "last_modified_header": "Mon, 06 May 2024 08:30:00 GMT"}
    one = row(**known, scraped_content={"emails": []})
    web = FakeWeb({URL: page(b"", status=304)})

    done = await read_page.run(one, context(web))

    assert web.validators == [('"a1"', "Mon, 06 May 2024 08:30:00 GMT")]
    assert (set(done.fields), list(done.rows)) == ({"last_scan_at"}, [])


async def test_a_page_with_the_same_bytes_is_not_extracted_again() -> None:
    same = sha256(BODY.encode()).digest()

    again = await run(one=row(content_hash=same, scraped_content={"emails": []}))
    lost = await run(one=row(content_hash=same, scraped_content=None))

    assert list(again.rows) == []
    assert contacts(lost), "a page that was never read is read, whatever is remembered of it"


async def test_a_page_says_what_the_next_visit_needs() -> None:
    done = await run(page(BODY, headers={"ETag": '"b2"'}), one=row(additional_json={"note": 1}))

    assert (done.fields["etag"], done.fields["content_hash"]) == ('"b2"', sha256(BODY.encode()).digest())
    assert done.fields["additional_json"] == {"note": 1, "robots": "no rule"}


async def test_the_body_is_kept_packed_so_that_it_can_be_read_again() -> None:
    one = row()

    done = await run(one=one)

    [kept] = [new.values for new in rows_of(done, tables.page_bodies)]
    assert zstd.decompress(kept["body"]) == BODY.encode()
    assert (kept["page_id"], kept["size_bytes"]) == (one.id, len(BODY.encode()))
    assert kept["expires_at"] > kept["fetched_at"]


@pytest.mark.req("R148")
async def test_a_page_of_the_second_choice_is_filtered_when_more_is_not_worth_it() -> None:
    web, budget = FakeWeb({URL: BODY}), FakeBudget("the last 4 ordinary pages brought no new contact")

    done = await read_page.run(row(priority_level=2), context(web, budget=budget))

    assert done.status == "Filtered"
    assert done.fields["filtered_reason"] == "the last 4 ordinary pages brought no new contact"
    assert web.asked == [], "no request for a page that is not worth one"


@pytest.mark.req("R258")
async def test_when_all_pages_are_to_be_read_only_the_budget_ends_it() -> None:
    for reason, status in (
        ("the last 4 ordinary pages brought no new contact", None),
        ("the budget of 500 pages is used up", "Filtered"),
    ):
        done = await run(one=row(priority_level=3), budget=FakeBudget(reason), read_all_pages=True)
        assert done.status == status, reason


async def test_a_page_that_is_read_after_all_is_no_longer_explained_as_filtered() -> None:
    budget = FakeBudget("the last 4 ordinary pages brought no new contact")

    done = await run(one=row(priority_level=2, page_curation_status="Selected"), budget=budget)

    assert done.fields["filtered_reason"] is None


async def test_home_contact_and_team_pages_are_read_whatever_the_others_brought() -> None:
    budget = FakeBudget("the budget of 500 pages is used up")

    done = await run(budget=budget)

    assert (done.status, budget.asked) == (None, 0)
    assert contacts(done)


@pytest.mark.req("R149")
@pytest.mark.parametrize("failure", [Timeout(), PermanentHTTPError(404), RobotsDisallowed()])
async def test_a_failure_keeps_its_class_and_makes_nothing(failure: Exception) -> None:
    with pytest.raises(type(failure)) as raised:
        await run(failure)

    assert str(raised.value)


async def test_a_redirected_page_names_where_it_was_really_read() -> None:
    done = await run(page(BODY, url="https://www.lune.co.uk/kontakt"))

    assert done.fields["final_url"] == "https://www.lune.co.uk/kontakt"
    assert {found.values["source_url"] for found in contacts(done)} == {"https://www.lune.co.uk/kontakt"}


async def test_a_person_is_bound_to_their_own_address() -> None:
    body = """<h2>Our team</h2><p>Managing Director: Fiona McBride</p>
    <p><a href="mailto:fiona.mcbride@lune.co.uk">fiona.mcbride@lune.co.uk</a></p><hr>
    <p>office@lune.co.uk</p>"""

    found = {one.email: one.values for one in contacts(await run(body))}

    fiona = found["fiona.mcbride@lune.co.uk"]
    assert (fiona["name"], fiona["job_title"]) == ("Fiona McBride", "Managing Director")
    assert found["office@lune.co.uk"]["name"] is None


@pytest.mark.req("R152")
async def test_what_a_person_selected_is_read_whatever_the_budget_says() -> None:
    budget = FakeBudget("the budget of 500 pages is used up")

    done = await run(one=row(priority_level=3, page_curation_status="Selected"), budget=budget)

    assert done.status is None
    assert done.fields["contact_scrape_status"]


async def test_a_barrier_instead_of_the_page_is_an_error_with_its_words() -> None:
    """HTML-20: what was not read must not look like a success."""
    with pytest.raises(Discard, match=r"blocked: .*Just a moment"):
        await run("<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>")


async def test_a_soft_404_brings_no_contacts_and_says_what_it_is() -> None:
    """HTML-20: it counts as fruitless, so a site of nothing else is soon left."""
    done = await run("<title>Page not found</title><h1>Page not found</h1><p>hello@lune.co.uk</p>")

    assert contacts(done) == []
    assert done.fields["contact_scrape_status"] == "NoContactFound"
    assert done.fields["page_class"] == {"name": "soft_404", "sign": "Page not found"}


async def test_the_same_body_under_another_address_is_a_duplicate_and_not_read_again() -> None:
    """HTML-20: a page that is tried again is no duplicate of itself, nor one of another domain."""
    kit = context(FakeWeb({URL: BODY, f"{URL}/again": BODY}))
    one = row()
    domain_id = one.row.domain_id

    first, retried = await read_page.run(one, kit), await read_page.run(one, kit)
    again = await read_page.run(row(url=f"{URL}/again", domain_id=domain_id), kit)
    elsewhere = await read_page.run(row(), kit)

    assert all(contacts(done) for done in (first, retried, elsewhere))
    assert contacts(again) == []
    assert again.fields["contact_scrape_status"] == "NoContactFound"
    assert again.fields["page_class"]["name"] == "duplicate"
    assert first.fields["page_class"] is None


@pytest.mark.parametrize(
    ("variant", "proper"),
    [
        ("https://lune.co.uk/?page=2", "https://lune.co.uk/"),
        ("https://lune.co.uk/?page=2", "https://lune.co.uk"),
        ("https://lune.co.uk/index.php", "https://lune.co.uk/"),
        ("https://lune.co.uk/contact?ref=menu", "https://lune.co.uk/contact"),
    ],
)
async def test_a_page_is_not_called_a_duplicate_of_its_own_variant(variant: str, proper: str) -> None:
    """Whichever of the two is read first, the proper address is read and gives the contacts."""
    for order in ((variant, proper), (proper, variant)):
        kit = context(FakeWeb({variant: BODY, proper: BODY}))
        domain_id = row().row.domain_id
        read = {url: await read_page.run(row(url=url, domain_id=domain_id), kit) for url in order}
        later = await read_page.run(row(url=variant, domain_id=domain_id), kit)

        assert contacts(read[proper])
        assert read[proper].fields["page_class"] is None
        assert later.fields["page_class"]["name"] == "duplicate"


async def test_a_damaged_answer_is_read_and_called_damaged() -> None:
    one = row()
    done = await run(page(BODY, url=URL, damage="the compressed answer has a wrong checksum"), one=one)
    assert contacts(done)
    assert done.fields["damage"] == "the compressed answer has a wrong checksum"
    whole = await run(page(BODY, url=URL), one=one)
    assert whole.fields["damage"] is None


class CountingParser:
    """Says which functions ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def run(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.ran.append(function.__name__)
        return function(*args, **kwargs)


HOME = "https://lune.co.uk/"


@pytest.mark.parametrize(
    ("domain", "later", "read_again"),
    [
        ({}, BODY, False),
        ({}, BODY + "<p>and sales@lune.co.uk</p>", True),
        # Hints that the page itself would not get.
        ({"country": "England"}, BODY, True),
        ({"domain": "www.lune.co.uk"}, BODY, True),
    ],
    ids=["unchanged", "changed", "no country code", "another name"],
)
async def test_a_home_page_is_read_once_for_its_domain_and_for_itself(
    domain: dict[str, Any], later: str, read_again: bool
) -> None:
    domain = {"domain": "lune.co.uk", "country": "GB", "sitemap_analysis_status": None} | domain
    site = item("lune.co.uk", **domain)
    kit, parser = context(FakeWeb({f"https://{domain['domain']}/": page(BODY, url=HOME)})), CountingParser()
    kit.parser = parser
    await read_metadata.run(site, kit)
    kit.fetch = context(FakeWeb({HOME: page(later, url=HOME)})).fetch
    home = row(url=HOME, domain_id=site.id)

    done = await read_page.run(home, kit)

    assert parser.ran == ["report_home", *["report_page"] * read_again]
    assert len(contacts(done)) == 3 + (later != BODY)
    alone = context(FakeWeb({HOME: page(later, url=HOME)}))
    alone.countries.remember(site.id, domain["country"])
    assert contacts(done) == contacts(await read_page.run(home, alone))
