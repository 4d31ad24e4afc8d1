"""Names of cities: every spelling finds its city, a shared name asks, an unknown one suggests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scrapersky.errors import InvalidInput
from scrapersky.sources.gazetteer import AmbiguousPlace, resolve_city


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Berlin", "Berlin, DE"),
        ("  bERLIN ", "Berlin, DE"),
        ("München", "Munich, Bavaria, DE"),
        ("MÜNCHEN", "Munich, Bavaria, DE"),
        ("munchen", "Munich, Bavaria, DE"),
        ("Mu\u0308nchen", "Munich, Bavaria, DE"),
        ("東京", "Tokyo, JP"),
        ("Portland, OR", "Portland, Oregon, US"),
        ("Portland, Maine, USA", "Portland, Maine, US"),
        ("Paris", "Paris, FR"),
        ("Paris, TX", "Paris, Texas, US"),
        ("Ontario, CA", "Ontario, California, US"),
        ("London, ON", "London, Ontario, CA"),
        ("London, England", "London, England, GB"),
        ("Washington, D.C.", "Washington, District of Columbia, US"),
        ("geonames:2950159", "Berlin, DE"),
    ],
)
def test_a_name_finds_its_city(text: str, label: str) -> None:
    assert resolve_city(text).label == label


def test_a_box_of_a_city_grows_with_its_people_and_holds_its_point() -> None:
    large, small = resolve_city("Berlin"), resolve_city("Paris, TX")
    for city in (large, small):
        assert city.box().contains(city.latitude, city.longitude)
    assert large.box().width > 3 * small.box().width
    assert large.box().contains(52.4, 13.2), "a suburb"
    assert large.box(5).width < large.box().width


@pytest.mark.parametrize("text", ["Portland", "Springfield", "London", "Frankfurt", "San José"])
def test_a_shared_name_asks_and_its_candidates_answer(text: str) -> None:
    with pytest.raises(AmbiguousPlace) as refused:
        resolve_city(text)
    candidates = refused.value.details["candidates"]
    assert isinstance(candidates, list)
    assert len(candidates) >= 2
    assert candidates == sorted(candidates, key=lambda one: -one["population"])
    for one in candidates:
        assert resolve_city(one["place"]).label == one["label"]
        assert one["place"] in str(refused.value)


def test_a_country_decides() -> None:
    assert resolve_city("London", "GB").country == "GB"
    assert resolve_city("London", "ca").label == "London, Ontario, CA"
    with pytest.raises(InvalidInput, match="in FR"):
        resolve_city("Berlin", "FR")


@pytest.mark.parametrize(
    "text",
    ["Berlni", "Nowhereville", "", "   ", "x" * 300, "a\x00b", '"', "Europe/Berlin", "16", "geonames:1", "("],
)
def test_an_unknown_place_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        resolve_city(text)


def test_a_misspelt_name_suggests_the_right_one() -> None:
    with pytest.raises(InvalidInput, match="Did you mean Berlin"):
        resolve_city("Berlni")


def test_a_lookup_takes_little_memory() -> None:
    """The whole file as objects takes some 150 MB."""
    program = (
        "import resource; from scrapersky.sources import gazetteer as g\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "g.resolve_city('Berlin')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    kib = int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)
    assert kib < 60_000
