"""Request bodies: no unknown fields, no guessed types."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from scrapersky.api.models import Body, Moment


class Inner(Body):
    is_on: bool = False


class Order(Body):
    number: int | None = None
    ratio: float = 0.0
    levels: tuple[int, ...] = ()
    inner: Inner = Inner()
    at: Moment | None = None


@pytest.mark.parametrize(
    "body",
    [
        {"number": 7, "ratio": 0.5, "levels": [1, 2], "inner": {"is_on": True}, "at": "2026-01-31T12:00:00Z"},
        {"ratio": 1, "number": None},
    ],
)
def test_plain_values_pass(body: dict[str, Any]) -> None:
    assert Order.model_validate(body).number == body["number"]


@pytest.mark.parametrize(
    "body",
    [
        *({"number": "7"}, {"number": 7.0}, {"number": True}, {"ratio": "0.5"}, {"levels": ["1_0"]}),
        *(
            {"inner": {"is_on": "yes"}},
            {"inner": {"is_on": 1}},
            {"inner": {"tenant_id": 1}},
            {"is_admin": True},
        ),
        *({"at": 1769860800}, {"at": "1769860800"}, {"at": "2026-01-31"}, {"at": "infinity"}),
    ],
)
def test_guessed_types_and_unknown_fields_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Order.model_validate(body)
