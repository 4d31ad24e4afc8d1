"""Cells, keys and names of listings, and the evidence of a comparison."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from scrapersky.extract.businesses import Listing, cell_of, compare_listings, nearby_cells, read_listing

HERE: dict[str, Any] = {"latitude": 52.52, "longitude": 13.405, "country": "DE"}


def listing(name: str, **values: Any) -> Listing:
    return read_listing(source="x", name=name, **{**HERE, **values})


def test_every_point_within_300_metres_is_in_a_nearby_cell() -> None:
    chance = random.Random(3)
    for _ in range(20_000):
        latitude, longitude = chance.uniform(-75, 75), chance.uniform(-179, 179)
        angle, metres = chance.uniform(0, 2 * math.pi), chance.uniform(0, 299)
        north = metres * math.cos(angle) / 111_320
        east = metres * math.sin(angle) / 111_320 / math.cos(math.radians(latitude))
        assert cell_of(latitude + north, longitude + east) in nearby_cells(latitude, longitude)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zahnarztpraxis Dr. Müller", "Dr. med. dent. Muller"),
        ("Smith Brothers Plumbing", "Smith Bros. Plumbing"),
        ("Café Blüte GmbH", "CAFE BLUTE"),
        ("McDonald's", "McDonalds"),
        ("A. Weberknecht", "Anton Weberknecht"),
    ],
)
def test_a_name_is_known_in_its_other_forms(one: str, other: str) -> None:
    assert compare_listings(listing(one), listing(other)).evidence["name"]["log_odds"] >= 2.5  # type: ignore[operator]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Dentist Weber", "Dentist Meier"), ("Hotel Adler", "Hotel Krone"), ("Linde 12", "Ulme 7")],
)
def test_words_of_the_trade_make_no_names_alike(one: str, other: str) -> None:
    assert compare_listings(listing(one), listing(other)).log_odds < -0.5


def test_platforms_are_no_domains_and_phones_are_compared_in_e164() -> None:
    first = listing("A", website="https://www.facebook.com/adler", phone="030 1234567")
    second = listing("B", website="https://www.facebook.com/krone", phone="+49 30 1234567")
    assert (first.domain, second.domain) == ("", "")
    assert first.phone == second.phone == "+49301234567"
    assert listing("A", phone="030 1234567", country=None).phone == ""
    assert listing("A", website="http://www.adler.co.uk/x").domain == "adler.co.uk"


def test_a_listing_without_a_point_is_compared_by_its_keys() -> None:
    first = listing("Adler", latitude=None, phone="+49301234567")
    comparison = compare_listings(first, listing("Adler", phone="+49301234567"))
    assert first.cell is None
    assert "distance" not in comparison.evidence
    assert comparison.log_odds > 2
