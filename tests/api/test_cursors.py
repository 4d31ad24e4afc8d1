"""A cursor belongs to one tenant, list, filter and sort."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapersky.api.cursors import Cursors
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.sorts import parse_sort
from scrapersky.secret_key import SecretKey

SECRET = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
TENANT = uuid.uuid4()
PAGE = ENTITIES["page"]


def make(**changed: Any) -> Cursors:
    parts = {
        "key": SecretKey(SECRET),
        "tenant_id": TENANT,
        "entity": PAGE,
        "filters": Filters(page_type="about"),
        "sort": parse_sort(PAGE, "-updated_at"),
    }
    return Cursors(**{**parts, **changed})


def test_keys_come_back_as_they_were() -> None:
    for sort, keys in (
        ("-updated_at", (datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), uuid.uuid4())),
        ("priority_level", (2, uuid.uuid4())),
        ("created_at", (uuid.uuid4(),)),
    ):
        cursors = make(sort=parse_sort(PAGE, sort))
        assert cursors.decode(cursors.encode(keys)) == keys


@pytest.mark.parametrize(
    "changed",
    [
        {"key": SecretKey(SECRET[::-1])},
        {"tenant_id": uuid.uuid4()},
        {"entity": ENTITIES["sitemap"]},
        {"filters": Filters(page_type="blog")},
        {"filters": Filters()},
        {"sort": parse_sort(PAGE, "updated_at")},
    ],
)
def test_a_cursor_of_another_key_tenant_list_filter_or_sort_is_refused(changed: dict[str, Any]) -> None:
    cursor = make().encode((datetime(2026, 1, 1, tzinfo=UTC), uuid.uuid4()))
    with pytest.raises(InvalidInput, match="Invalid cursor"):
        make(**changed).decode(cursor)


def test_a_cursor_outlives_a_change_of_the_key() -> None:
    keys = (datetime(2026, 1, 1, tzinfo=UTC), uuid.uuid4())
    later = SecretKey(SECRET[::-1], previous=SECRET)
    assert make(key=later).decode(make().encode(keys)) == keys
