"""`integration`: list, test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_services_are_listed_with_what_they_need(told: Told) -> None:
    rows = {row["name"]: row for row in as_list(told("integration", "list"))}
    assert "SCRAPER_API_KEY" in rows["scraper_api"]["needs"]


def test_a_service_that_is_not_configured_or_unknown_fails(sky: Sky) -> None:
    result = sky("integration", "test", "scraper_api")
    assert result.exit_code == 1
    assert "not configured" in result.output
    assert sky("integration", "test", "nothing").exit_code == 3


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
