"""Saved views from the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_view_is_added_shared_and_deleted(sky: Sky, told: Told) -> None:
    parameters = ("--param", "page_type=login", "--param", "page_type=cart", "--param", "sort=-created_at")
    view_id = told("view", "add", "Logins", "page", *parameters)["id"]
    row = told("view", "list")
    assert row["query"] == {"page_type": ["login", "cart"], "sort": ["-created_at"]}
    assert (row["id"], row["is_shared"]) == (view_id, False)
    assert told("view", "share", view_id)["is_shared"] is True
    assert told("view", "list")["is_shared"] is True
    assert told("view", "share", view_id, "--off")["is_shared"] is False
    assert sky("view", "add", "Logins", "page").exit_code == 7
    assert sky("view", "add", "Other", "page", "--param", "colour=red").exit_code == 2
    assert sky("view", "delete", view_id).exit_code == 0
    assert sky("view", "delete", view_id).exit_code == 3
