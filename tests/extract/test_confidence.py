"""Confidence says how far a finding can be trusted: in a band, at least the share of its floor is right."""

from quality import cases, diagram, ours
from quality.bands import FLOORS, Band, bands_of, name_of
from quality.scores import FIELDS

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints


def test_every_band_of_every_field_is_honest_on_the_labelled_pages():
    readings = ours.predictions(cases.pages())
    findings = [one for page in cases.pages() for one in cases.judged(page, readings[page.id])]
    bands = bands_of(findings)
    assert set(bands) == set(FIELDS)
    assert [(field, band) for field in bands for band in bands[field] if not band.is_honest] == []


def test_a_finding_counts_in_the_band_of_its_confidence():
    (low, middle, high) = bands_of([("phones", 0.69, False), ("phones", 0.7, True), ("phones", 0.99, True)])[
        "phones"
    ]
    assert [(band.right, band.wrong) for band in (low, middle, high)] == [(0, 1), (1, 0), (1, 0)]
    assert [name_of(band) for band in (low, middle, high)] == ["below 0.7", "0.7 to 0.9", "0.9 and more"]


def test_a_band_with_too_many_wrong_findings_is_not_honest():
    assert not Band(FLOORS[-1], right=8, wrong=2).is_honest
    assert Band(FLOORS[-1], right=9, wrong=1).is_honest


def test_what_proves_less_is_less_sure():
    def best(body, field, country="DE"):
        return max(one.confidence for one in getattr(read_page(body, Hints(country, None, "")), field))

    with_code = best("<p>Lindenweg 5, 04109 Leipzig</p>", "addresses")
    without = best("<h2>Kontakt</h2><p>Lindenweg 5, Leipzig</p><p>info@a-b.test</p>", "addresses")
    assert without < FLOORS[1] < with_code
    assert best("<p>0711 2234567", "phones") < best("<p>Tel. 0711 2234567", "phones")


def test_the_page_shows_every_step_with_its_share_and_pages_without_a_value():
    findings = [
        ("people", 0.97, True),
        ("people", 0.92, True),
        ("people", 0.65, False),
        ("people", 0.66, True),
    ]
    page = diagram.render(findings, {"people": (0, 7)})
    assert "Precision at 0.9 or more: 1.000 (2 of 2)." in page
    assert "get one at 0.9 or more: 0 of 7." in page
    assert "| 0.6 to 0.7 | 2 | 1 | 0.500 | `██████████··¦········` |" in page
    assert "below 0.5" not in page


def test_markup_alone_proves_less_than_markup_with_a_role():
    def sure(more):
        body = f'<script type="application/ld+json">{{"@type":"Person","name":"Ines Prado"{more}}}</script>'
        return read_page(body, Hints(None, None, "")).people[0].confidence

    assert sure("") < FLOORS[-1] <= sure(',"jobTitle":"Founder"')
