"""Decisions from the command line can be listed, shown and undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from click.testing import Result

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_decision_prints_how_to_undo_it(sky: Sky, told: Told) -> None:
    sky("page", "add", "--no-queue", "https://b.com/contact", "https://b.com/team")
    before = told("page", "list")
    result = sky("page", "curate", "rejected", "--all", "--yes")
    assert result.exit_code == 0, result.output
    assert "2 updated" in result.stdout
    operation_id = result.stderr.split()[-1]
    assert f"operation undo {operation_id}" in result.stderr
    [row] = [told("operation", "list")]
    assert (row["id"], row["action"], row["value"], row["changed"]) == (operation_id, "curate", "Rejected", 2)
    assert told("operation", "show", operation_id)["status"] == "complete"
    undone = sky("operation", "undo", operation_id)
    assert undone.stdout.strip() == "2 of 2 put back"
    assert told("page", "list") == before
    assert sky("operation", "undo", operation_id).exit_code == 7
    assert sky("operation", "cancel", operation_id).exit_code == 7
    assert sky("operation", "show", str(uuid4())).exit_code == 3


def test_operations_are_listed_by_a_status_that_exists(sky: Sky, told: Told) -> None:
    sky("domain", "add", "shop.com")
    made = told("domain", "curate", "rejected", "shop.com")
    assert told("operation", "list", "--status", "complete")["id"] == made["operation_id"]
    assert told("operation", "list", "--status", "undone") == []
    refused = sky("operation", "list", "--status", "queued")
    assert refused.exit_code == 2
    assert "undone" in refused.stderr


def test_the_operation_of_a_reset_is_named_too(sky: Sky, told: Told) -> None:
    sky("domain", "add", "shop.com")
    reset = told("domain", "reset", "shop.com")
    assert told("operation", "undo", reset["operation_id"]) == {"restored": 1, "matched": 1, "skipped": {}}


def test_every_page_that_is_not_read_automatically_is_queued(sky: Sky, told: Told) -> None:
    sky("page", "add", "--no-queue", "https://b.com/blog/a-long-story", "https://b.com/contact")
    unread = [row for row in told("page", "list") if row["priority_level"] == 3]
    assert sky("page", "read-all").exit_code == 2
    assert told("page", "read-all", "--yes")["queued"] == len(unread) == 1
