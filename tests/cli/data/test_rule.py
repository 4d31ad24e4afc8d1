"""Rules from the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_rule_is_added_switched_and_deleted(sky: Sky, told: Told) -> None:
    rule_id = told("rule", "add", "No logins", "page", "rejected", "--filter", "page_type=login")["id"]
    row = told("rule", "list")
    assert (row["id"], row["decision"], row["filters"]) == (rule_id, "Rejected", {"page_type": ["login"]})
    assert told("rule", "disable", rule_id)["is_enabled"] is False
    assert told("rule", "list")["is_enabled"] is False
    assert told("rule", "enable", rule_id)["is_enabled"] is True
    assert sky("rule", "add", "No logins", "page", "maybe", "--filter", "page_type=cart").exit_code == 7
    assert sky("rule", "delete", rule_id).exit_code == 0
    assert sky("rule", "delete", rule_id).exit_code == 3


def test_the_preview_counts_matching_rows(sky: Sky, told: Told) -> None:
    sky("page", "add", "https://b.com/contact", "https://b.com/blog/a-long-story")
    assert told("rule", "preview", "page", "--filter", "priority_level=3") == {"matching": 1, "new": 1}


def test_wrong_filters_are_wrong_usage(sky: Sky) -> None:
    for option in ("page_type", "colour=red"):
        assert sky("rule", "add", "x", "page", "maybe", "--filter", option).exit_code == 2
    assert sky("rule", "add", "x", "page", "maybe").exit_code == 2
