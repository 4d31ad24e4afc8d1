"""The country of a page is the hint, or what its signs add up to."""

import pytest

from scrapersky.extract.country import detect_country
from scrapersky.extract.country.detector import country_scores
from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Hints


def country(html, hints=None):
    return detect_country(parse_document(html), hints or Hints())


def test_the_hint_always_wins():
    assert country("<p>Berlin, Deutschland +49 30 28471936</p>", Hints("at", "firma.de")) == "AT"


@pytest.mark.parametrize(
    ("html", "site", "code"),
    [
        ("<p>Welcome</p>", "firma.co.uk", "GB"),
        ("<p>Welcome</p>", "www.firma.com.br", "BR"),
        ("<p>Willkommen</p>", "praxis.wien", "AT"),
        ("<p>Call +353 21 482 7193</p>", "stay.com", "IE"),
        ("<p>P.IVA 02938475610</p>", None, "IT"),
        ("<p>SIRET 512 983 746 00021</p>", None, "FR"),
        ("<p>NIP 679-28-13-745</p>", None, "PL"),
        ("<p>GSTIN 27AAACP4829K1Z5, Pune</p>", None, "IN"),
        ("<p>28 Harbor Street, Boston, MA 02109</p>", None, "US"),
        ("<html lang='en'><p>Call us: (503) 555-7270</p>", "shop.com", "US"),
        ("<p>14 Bridge Street, Frome BA11 1BB</p>", None, "GB"),
        ("<p>株式会社 〒530-0047 大阪府大阪市</p>", None, "JP"),
        ("<p>Seestrasse 88, CH-8610 Uster, Schweiz</p>", None, "CH"),
        ("<html lang='de-AT'><p>Hallo</p>", None, "AT"),
        ("<p>Schreiben Sie uns: post@kanzlei-mur.at oder rufen Sie an</p>", None, "AT"),
        (
            '<script type="application/ld+json">{"@type":"PostalAddress","addressCountry":"SE"}</script>',
            None,
            "SE",
        ),
        ("<a href='https://wa.me/5511964827315'>x</a>", "loja.com", "BR"),
    ],
)
def test_signs_of_a_country_are_read(html, site, code):
    assert country(html, Hints(None, site)) == code


@pytest.mark.parametrize("html", ["", "<p>Hello</p>", "<p>12345</p>"])
def test_without_signs_there_is_no_country(html):
    assert country(html, Hints(None, "start-up.io")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", "FR"),
        ("in Paris.", "FR"),
        ("Parish", None),
        ("Comparison", None),
        ("paris2", "FR"),
        ("_paris", "FR"),
    ],
)
def test_a_place_counts_as_a_whole_word_only(text, expected):
    scores = country_scores(parse_document(f"<p>{text}</p>"), Hints())
    assert ("FR" in scores) == (expected == "FR")
