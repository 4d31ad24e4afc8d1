"""What is kept of a language model's answer: nothing that the page does not say in the same words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrapersky.extract.model_answers import METHOD, add_answer, open_question
from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.results import Hints

URL = "https://tarn.co.uk/team"
BODY = """<html><head><title>Tarn</title></head><body><h1>Hello</h1>
<p>Since spring Ysolde Quarrington keeps the
accounts; write to yq@tarn.co.uk or call 020 7946 0018.</p>
<p>Find us behind the mill: The Old Dairy, Nether Tarn, in the valley.</p></body></html>"""
YSOLDE = {"name": "Ysolde Quarrington", "role": "keeps the accounts", "email": "yq@tarn.co.uk"}
DAIRY = {"street": "The Old Dairy", "city": "Nether Tarn"}


def reading(body: str = BODY, url: str = URL) -> PageReading:
    return read_page(body.encode(), Hints("GB", "tarn.co.uk", url))


def kept(people: list[Any] = [], addresses: list[Any] = []) -> tuple[list[str], list[str], int]:  # noqa: B006
    """Names and streets that were added, and how many items were refused."""
    answered = add_answer(reading(), json.dumps({"people": people, "addresses": addresses}))
    names = [one.name for one in answered.reading.people if one.evidence[0].method == METHOD]
    streets = [one.street for one in answered.reading.addresses if one.evidence[0].method == METHOD]
    return names, streets, answered.refused


def test_what_the_page_says_is_kept_with_the_words_around_it() -> None:
    answered = add_answer(
        reading(), f"Here you are: {json.dumps({'people': [YSOLDE], 'addresses': [DAIRY]})}"
    )
    person, address = answered.reading.people[-1], answered.reading.addresses[-1]
    assert (person.name, person.role, person.email) == tuple(YSOLDE.values())
    assert "Since spring Ysolde Quarrington" in person.evidence[0].quote
    assert (address.street, address.city) == tuple(DAIRY.values())
    assert max(person.confidence, address.confidence) < 0.7
    assert (answered.accepted, answered.refused) == (2, 0)


def test_a_number_is_bound_only_if_the_page_has_it() -> None:
    answered = add_answer(reading(), json.dumps({"people": [{**YSOLDE, "phone": "020 7946 0018"}]}))
    assert answered.reading.people[-1].phone == "+442079460018"
    assert kept([{**YSOLDE, "phone": "020 7946 9999"}]) == ([], [], 1)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Ysolde Quarry"},
        {"name": "Isolde Quarrington"},
        {"name": "Ysolde"},
        {"name": "olde Quarrington"},
        {"role": "Accountant"},
        {"email": "ysolde@tarn.co.uk"},
        {"name": "yq@tarn.co.uk or"},
    ],
)
def test_a_person_with_a_value_that_is_not_quoted_is_refused(change: dict[str, str]) -> None:
    assert kept([{**YSOLDE, **change}]) == ([], [], 1)


@pytest.mark.parametrize(
    "change", [{"city": "Tarn Valley"}, {"postcode": "TN1 1AA"}, {"street": "", "x": "y"}]
)
def test_an_address_with_a_part_that_is_not_quoted_is_refused(change: dict[str, str]) -> None:
    assert kept([], [{**DAIRY, **change}]) == ([], [], 1)


def test_parts_from_different_ends_of_a_page_make_no_address() -> None:
    page = BODY.replace("Nether Tarn, ", "").replace("<h1>", f"<p>Nether Tarn</p><p>{'sheep ' * 60}</p><h1>")
    assert add_answer(reading(page), json.dumps({"addresses": [DAIRY]})).accepted == 0


@pytest.mark.parametrize(
    "answer", ["", "I cannot", "{", '{"people": 5}', "[1]", '{"people": [null, 3]}', "{" * 5_000]
)
def test_no_answer_harms(answer: str) -> None:
    assert add_answer(reading(), answer).accepted == 0


def test_only_an_unsure_page_of_a_fitting_kind_is_asked_about() -> None:
    sure = "<h1>Team</h1><p>Managing Director: Dr. Anna Berg<br>anna.berg@tarn.co.uk</p>"
    assert "Ysolde" in (open_question(reading()) or "")
    assert open_question(reading(url="https://tarn.co.uk/blog/sheep")) is None
    assert open_question(reading(sure)) is None
    assert open_question(reading("<html></html>")) is None
