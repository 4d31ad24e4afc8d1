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


def test_a_destination_is_tested_by_its_name_or_its_kind(sky: Sky) -> None:
    absent = sky("integration", "test", "hubspot")
    assert (absent.exit_code, "not configured" in absent.output) == (1, True)
    assert sky("destination", "add", "Files", "csv", "--option", "file=out.csv").exit_code == 0
    for name in ("Files", "csv"):
        tested = sky("integration", "test", name)
        assert (tested.exit_code, "Files: ok" in tested.output) == (0, True), tested.output
    assert "expected one of overture" in sky("integration", "test", "nothing").output


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
