"""The whole reading of a page: everything at once, whatever the page."""

import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.cli.data.extract.pages import PART_FAILED, pages
from scrapersky.extract.page import MAX_OF_A_KIND, read_page
from scrapersky.extract.results import Hints, combine_confidences

PAGE = "<html lang=de><title>Kontakt</title><p>Tel. 0251 394821</p><p>info (at) firma-nord.de</p>"


def test_everything_is_read_at_once():
    reading = read_page(PAGE, Hints("DE", "firma-nord.de"))
    assert [email.address for email in reading.emails] == ["info@firma-nord.de"]
    assert [phone.e164 for phone in reading.phones] == ["+49251394821"]
    assert (reading.metadata.title, reading.country, reading.truncated) == ("Kontakt", "DE", False)


def test_an_address_is_read_as_the_country_of_the_page_writes_it():
    page = "<title>Kontakt</title><p>Tel. +49 251 394821</p><p>Hafenweg 12</p><p>48155 Münster</p>"
    (address,) = read_page(page, Hints()).addresses
    assert (address.street, address.postcode, address.city, address.country) == (
        "Hafenweg 12",
        "48155",
        "Münster",
        "DE",
    )


def test_what_a_site_is_made_with_is_read_only_when_asked_for():
    page = (
        "<html lang=de><meta name=generator content='WordPress 6.4'><title>Start</title><h1>Hallo</h1>"
        "<p>© 2024</p>"
    )
    plain, home = read_page(page, Hints()), read_page(page, Hints(), technologies=True)
    assert (plain.technologies, plain.metadata.copyright_year) == ((), None)
    assert "WordPress" in [technology.name for technology in home.technologies]
    assert home.metadata.copyright_year == 2024
    for name in ("title", "h1", "language", "is_wordpress", "wordpress_version", "word_count"):
        assert getattr(plain.metadata, name) == getattr(home.metadata, name)


def test_confidences_of_independent_layers_are_joined():
    assert combine_confidences([0.9, 0.8]) == 0.98
    assert combine_confidences([]) == 0.0


def test_kinds_are_capped_and_the_cap_is_told():
    reading = read_page("<br>".join(f"p{number}@firma-nord.de" for number in range(500)), Hints("DE"))
    assert len(reading.emails) == MAX_OF_A_KIND
    assert reading.truncated


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7 \x00\xff",
        b"PK\x03\x04",
        b"\x89PNG\r\n",
        b"\0" * 100_000,
        b"",
        b"{}",
        "<title>\ud800".encode("utf-8", "surrogatepass"),
    ],
)
def test_what_is_no_page_gives_nothing(body):
    reading = read_page(body, Hints())
    assert (reading.emails, reading.phones, reading.people) == ((), (), ())


@given(st.binary(max_size=1_000))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read(body):
    json.dumps(str(read_page(body, Hints("DE", "firma.de", "https://firma.de/"))))


@given(st.text(alphabet="<>/='\" @.abp&#;(at)+0123456789\n\x00\ud800", max_size=300))
@settings(max_examples=150, deadline=None)
def test_any_soup_is_read(text):
    reading = read_page(text, Hints())
    for email in reading.emails:
        email.address.encode("utf-8")


def run(tmp_path, lines):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines) + "\n", "utf-8")
    outcome = CliRunner().invoke(pages, ["--in", str(source), "--out", str(target)])
    return outcome.exit_code, [json.loads(line) for line in target.read_text("utf-8").splitlines()]


def test_pages_of_a_file_are_read_to_lines(tmp_path):
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    line = json.dumps({"id": "a", "path": "page.html", "country": "DE", "site_domain": "firma-nord.de"})
    code, (record,) = run(tmp_path, [line, ""])
    assert code == 0
    assert record["emails"] == ["info@firma-nord.de"]
    assert record["phones"] == ["+49251394821"]
    assert record["meta"]["title"] == "Kontakt"
    assert record["evidence"]["emails"][0]["evidence"][0]["method"] == "spelled"


def test_bad_lines_are_told_and_the_good_ones_worked(tmp_path):
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    good = json.dumps({"id": "a", "path": "page.html"})
    bad = [
        "{", "[]", "{}", '{"id":"b"}', '{"id":"c","path":"none.html"}', '{"id":"e","path":"x\\u0000y"}',
        '{"id":"d","path":"x","country":"Germany"}', '{"id":"f","path":"x","url":7}',
    ]  # fmt: skip
    code, records = run(tmp_path, [*bad, good])
    assert code == PART_FAILED == 5
    assert [record["line"] for record in records[:-1]] == list(range(1, len(bad) + 1))
    assert all(record["error"] for record in records[:-1])
    assert records[-1]["emails"] == ["info@firma-nord.de"]
