"""`tenant`: add, list, show, edit, disable, enable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_tenant_is_added_limited_disabled_and_enabled(sky: Sky, told: Told) -> None:
    added = told("tenant", "add", "North", "--quota", "queued_items=5", "--quota", "pages_per_day=9")
    assert sky("tenant", "edit", "North", "--name", "South", "--quota", "queued_items=").exit_code == 0
    assert sky("tenant", "disable", "South").exit_code == 0
    shown = told("tenant", "show", added["id"])
    assert (shown["name"], shown["is_active"]) == ("South", False)
    assert (shown["quotas"]["queued_items"], shown["quotas"]["pages_per_day"]) == (None, 9)
    assert sky("tenant", "enable", "South").exit_code == 0
    assert {row["name"]: row["is_active"] for row in told("tenant", "list")} == {
        "Default": True,
        "South": True,
    }


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("disable", "Default"), 7),
        (("show", "Nowhere"), 3),
        (("add", "Default"), 7),
        (("add", "North", "--quota", "horses=1"), 2),
        (("add", "North", "--quota", "queued_items=many"), 2),
        (("add", "North", "--quota", "queued_items=9999999999"), 2),
    ],
)
def test_refusals_have_their_exit_codes(sky: Sky, arguments: tuple[str, ...], code: int) -> None:
    assert sky("tenant", *arguments).exit_code == code
