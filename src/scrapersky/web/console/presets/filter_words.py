"""A filter as people say it: each part with its name and its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrapersky.queries.rows.sorts import default_sort
from scrapersky.web.console.lists.list_contents import value_label
from scrapersky.web.console.lists.list_views import ListView

SORT = "sort"


def filter_words(view: ListView, params: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """`page_type=contact&page_type=team` as ("Type", "CONTACT or TEAM"); the order comes last."""
    words = [
        (view.label(name), " or ".join(value_label(name, value) for value in values))
        for name, values in params.items()
        if name != SORT
    ]
    usual = default_sort(view.entity).text
    return words + [("Sorted by", _order(text)) for text in params.get(SORT, ()) if text != usual]


def _order(text: str) -> str:
    name = text.removeprefix("-").removesuffix("_at").replace("_", " ")
    return f"{name}, last first" if text.startswith("-") else name
