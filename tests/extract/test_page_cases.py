"""Every labelled page folder is a test of the whole reading."""

import json
from pathlib import Path

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

CASES = sorted(folder.name for folder in (Path(__file__).parent / "pages").iterdir() if folder.is_dir())


def read_case(name):
    folder = Path(__file__).parent / "pages" / name
    labels = json.loads((folder / "expected.json").read_text("utf-8"))
    hints = Hints(labels["country"], labels["site_domain"], labels.get("url", ""))
    return labels, read_page((folder / "page.html").read_bytes(), hints)


def surplus_and_missing(labels, field, got):
    wanted, allowed = set(labels[field]), set(labels.get(f"{field}_optional", []))
    return got - wanted - allowed, wanted - got


@pytest.mark.parametrize("name", CASES)
def test_exactly_the_labelled_addresses_are_found(name):
    labels, reading = read_case(name)
    assert surplus_and_missing(labels, "emails", {email.address for email in reading.emails}) == (
        set(),
        set(),
    )


@pytest.mark.parametrize("name", CASES)
def test_exactly_the_labelled_numbers_are_found(name):
    labels, reading = read_case(name)
    assert surplus_and_missing(labels, "phones", {phone.e164 for phone in reading.phones}) == (set(), set())


@pytest.mark.parametrize("name", CASES)
def test_the_labelled_postal_addresses_are_found(name):
    labels, reading = read_case(name)
    got = {(one.street, one.postcode) for one in reading.addresses}
    assert {(one["street"], one["postcode"]) for one in labels.get("addresses", [])} <= got


@pytest.mark.parametrize("name", CASES)
def test_every_quote_stands_where_the_evidence_says(name):
    _, reading = read_case(name)
    texts = {"text": reading.document.text, "html": reading.document.html}
    for finding in (*reading.emails, *reading.phones):
        for evidence in finding.evidence:
            if evidence.start >= 0 and evidence.place == "text":
                end = evidence.start + len(evidence.quote)
                assert texts[evidence.place][evidence.start : end] == evidence.quote


@pytest.mark.parametrize("name", CASES)
def test_every_finding_has_evidence_and_a_confidence_between_none_and_certain(name):
    _, reading = read_case(name)
    for finding in (*reading.emails, *reading.phones, *reading.addresses, *reading.socials, *reading.people):
        assert finding.evidence
        assert 0 < finding.confidence <= 1
