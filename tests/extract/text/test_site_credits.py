"""Whose a footer's address or number is: that of the agency which made the site is not the business's."""

from __future__ import annotations

import pytest

from scrapersky.extract.emails import find_emails
from scrapersky.extract.html import parse_document
from scrapersky.extract.phones import find_phones
from scrapersky.extract.results import Hints
from scrapersky.extract.text.site_credits import credits_site_maker

HINTS = Hints("GB", "lune.co.uk", "https://lune.co.uk/")
MAIL = '<a href="mailto:hi@pixelhof.com">hi@pixelhof.com</a>'
CREDITS = [
    "Website by Pixelhof", "Site built by Pixelhof", "Webdesign: Pixelhof", "Diseño web: Pixelhof",
    "Site réalisé par Pixelhof", "Sito realizzato da Pixelhof", "Website door Pixelhof",
    "Wykonanie strony: Pixelhof", "Desenvolvido por Pixelhof", "Webbplats av Pixelhof",
    "Powered by Pixelhof", "Programmierung: Pixelhof",
]  # fmt: skip


def phones(html: str) -> list[str]:
    return [one.e164 for one in find_phones(parse_document(html), HINTS, country="GB")]


def emails(html: str) -> list[str]:
    return [one.address for one in find_emails(parse_document(html), HINTS)[0]]


@pytest.mark.parametrize("credit", CREDITS)
def test_what_stands_on_the_line_of_the_maker_is_the_makers(credit: str) -> None:
    html = (
        f"<p>Bakery Lune 020 7946 0018 hello@lune.co.uk</p><footer><p>{credit} {MAIL}"
        ' <a href="tel:+442079460055">020 7946 0055</a></p></footer>'
    )
    assert phones(html) == ["+442079460018"]
    assert emails(html) == ["hello@lune.co.uk"]


def test_what_stands_elsewhere_too_is_not_the_makers_alone() -> None:
    html = (
        f"<p>Call us: 020 7946 0055 or write to {MAIL}</p><p>{CREDITS[0]} {MAIL}"
        ' <a href="tel:+442079460055">020 7946 0055</a></p>'
    )
    assert phones(html) == ["+442079460055"]
    assert emails(html) == ["hi@pixelhof.com"]


def test_a_refused_link_is_told_with_its_reason() -> None:
    refused = find_emails(parse_document(f"<p>{CREDITS[0]} {MAIL}</p>"), HINTS)[1]
    assert [(one.address, one.reason) for one in refused] == [
        ("hi@pixelhof.com", "address of the page's maker")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Gärten gestaltet von Meister Huber, Tel. 030 2847193",
        "Réalisation : terrasses et piscines, 04 65 71 00 48",
        "Made by hand in Leeds. Call 0113 496 0018",
        "Design by appointment: 020 7946 0018",
        "Our sites: Leeds 0113 496 0018, York 01904 496 018",
    ],
)
def test_own_works_are_no_credit_of_a_website(line: str) -> None:
    assert not credits_site_maker(line)
