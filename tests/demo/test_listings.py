"""The demo world as a source of places and as a file of places."""

import csv
import io

import pytest

from scrapersky_demo.businesses.listings import LAYOUTS


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
def test_a_file_of_places_has_one_line_per_business_in_any_layout(world, layout):
    delimiter, columns = LAYOUTS[layout]

    rows = list(csv.reader(io.StringIO(world.places_csv(layout=layout)), delimiter=delimiter))

    assert rows[0] == [heading for _, heading in columns]
    assert len(rows) == 1 + world.size
    name = [field for field, _ in columns].index("name")
    assert [row[name] for row in rows[1:]] == [business.name for business in world.businesses]


def test_places_are_found_by_kind_and_city_in_any_spelling(world):
    business = world.businesses[0]

    by_key = world.places(business.kind, business.city.name.upper())
    by_label = world.places(business.label, business.city.name)

    assert business in by_key
    assert set(by_label) <= set(by_key)
    assert world.places("dentist", "Nowhere") == ()
    assert len(world.places()) == world.size


def test_domains_are_listed_once_and_without_www(world):
    domains = world.domains()

    assert len(domains) == len(set(domains))
    assert not any(domain.startswith("www.") for domain in domains)
    assert all("demo" in domain or domain.startswith("xn--") for domain in domains)
    assert any(domain.startswith("xn--") for domain in domains)
