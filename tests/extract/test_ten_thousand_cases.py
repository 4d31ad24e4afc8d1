"""RELIABILITY D16: pages, mail addresses and phone numbers in ten thousand cases each."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapersky.extract.emails.address_pattern import match_addresses, normalize_address
from scrapersky.extract.html import parse_document
from scrapersky.extract.page import read_page
from scrapersky.extract.phones import find_phones
from scrapersky.extract.phones.numbers import read_number
from scrapersky.extract.results import Hints

pytestmark = pytest.mark.reliability
MANY = settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIECES = (
    *("<p>", "</p>", "<br>", "<h2>", "<td>", "<div class='testimonial'>", "<!--", "<script>", "</script>"),
    *("<a href='mailto:", "<a href='tel:", "<a href=\"javascript:x('", "'>", '">', "</a>", "<span hidden>"),
    *("info@firma.de", " (at) ", " punkt ", "Tel. 0251 394821", "+49 (0)30 / 28 47 19-36", "Fax", "&#64;"),
    *(": ", ", ", "\n", " ", "\t", "Geschäftsführer ", "Dr. Ute Brandt", "Ahornweg 5", "10115 Berlin"),
    *("<script type='application/ld+json'>", '{"@type":"Person","name":', "itemscope itemtype=Person", "İ"),
    *("https://facebook.com/firma", "\u202e", "\ud800", "٣", "１２", "%27", "\\/", "©", "“", "nbjmup+", "\0"),
    *("Vertreten durch", "data-cfemail='", "〒", "ß", "<svg>", "GmbH"),
)  # fmt: skip
SOUP = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=25).map("".join)
HINTS = st.builds(
    Hints,
    st.sampled_from([None, "DE", "US", "JP", "SE", "XX"]),
    st.sampled_from([None, "firma.de", ""]),
    st.sampled_from(["", "https://firma.de/team"]),
)
DIGITS = st.text(alphabet="0123456789+()-/. x０１２٣", max_size=25)


@given(SOUP, HINTS)
@MANY
def test_a_page_of_any_pieces_is_read_without_raising_and_can_be_stored(html, hints):
    reading = read_page(html, hints)
    text = reading.document.text
    found = (*reading.emails, *reading.phones, *reading.addresses, *reading.people, *reading.socials)
    for one in found:
        str(one).encode("utf-8")
        assert 0 <= one.confidence <= 1
        places = [seen for seen in one.evidence if seen.place == "text"]
        assert all(-1 <= seen.start <= len(text) for seen in places)


@given(st.one_of(SOUP, st.text(max_size=200)))
@MANY
def test_a_mail_address_reads_as_itself_again(text):
    for seen in match_addresses(text):
        assert normalize_address(seen.address) == seen.address == seen.address.lower()
        assert normalize_address(seen.address.upper()) == seen.address


@given(st.one_of(DIGITS, st.text(max_size=40)), st.sampled_from(["DE", "US", "IT", "JP", "SE", "IS", None]))
@MANY
def test_a_number_reads_as_itself_again_however_it_is_spaced(written, country):
    number = read_number(written, country)
    if number is not None:
        again = read_number(number.e164, None)
        assert again is not None
        assert again.e164 == number.e164
        assert read_number(f" {written} ", country) == number
    find_phones(parse_document(f"<p>{written}"), Hints(country), country=country)
