"""What speaks for a contact and against it, from its sightings and what is known of its address."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from scrapersky.extract.emails import extractor as emails
from scrapersky.extract.phones import extractor as phones
from scrapersky.queries.rows import contact_facts as facts

PAGE = uuid.uuid4()
CONTACT: dict[str, Any] = {
    "email": "ada@shop.example",
    "email_relation": None,
    "is_email_hidden": False,
    "email_validation_result": None,
    "tags": [],
    "contact_objection": None,
}


def seen(field: str, method: str, confidence: float = 0.9, page: uuid.UUID = PAGE) -> dict[str, Any]:
    return {"field": field, "method": method, "confidence": confidence, "page_id": page}


def test_every_fact_stands_once_on_its_side() -> None:
    sightings = [
        seen("email", "mailto"),
        seen("email", "mailto", page=uuid.uuid4()),
        seen("email", "script"),
        seen("name", "json-ld"),
        seen("name", "card", 0.6),
    ]
    assert facts.contact_facts({**CONTACT, "email_relation": "own"}, sightings) == {
        "speaks_for": [
            "email: in a link to write to",
            "name: named in the page's structured data (JSON-LD)",
            "seen on 2 pages",
            "address of the domain itself",
        ],
        "speaks_against": ["email: put together from a script", "name: read from the layout (card)"],
    }


@pytest.mark.parametrize(
    ("changes", "side", "words"),
    [
        ({"email_relation": "free"}, "speaks_against", "mail provider"),
        ({"email_relation": "other"}, "speaks_against", "another domain"),
        ({"is_email_hidden": True}, "speaks_against", "hides"),
        ({"email_validation_result": "valid"}, "speaks_for", "validation of the address: valid"),
        ({"email_validation_result": "invalid"}, "speaks_against", "validation of the address: invalid"),
        ({"tags": ["boilerplate"]}, "speaks_against", "unrelated domains"),
        ({"contact_objection": "Keine Werbung"}, "speaks_against", "not to be contacted"),
    ],
)
def test_what_is_known_of_the_contact_is_a_fact(changes: dict[str, Any], side: str, words: str) -> None:
    assert any(words in fact for fact in facts.contact_facts({**CONTACT, **changes}, [])[side])


def test_a_contact_that_nothing_is_known_of_has_no_facts() -> None:
    assert facts.contact_facts(CONTACT, []) == {"speaks_for": [], "speaks_against": []}


@pytest.mark.parametrize("method", sorted({*emails._PRIORS, *phones._PRIORS}))
def test_every_method_of_reading_is_explained_on_the_side_of_its_confidence(method: str) -> None:
    prior = max(emails._PRIORS.get(method, 0), phones._PRIORS.get(method, 0))
    assert (method in facts._FOR, method in facts._AGAINST) == (prior >= 0.8, prior < 0.8)
