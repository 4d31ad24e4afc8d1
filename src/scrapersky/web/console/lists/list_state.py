"""What the address of a list says: its filters, its order, and which rows are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.filters import Filters, parse_filters
from scrapersky.queries.rows.sorts import Sort, default_sort, parse_sort
from scrapersky.web.console.lists.list_views import ListView
from scrapersky.web.html import show_query

LIMITS = (50, 100, 200)
MAX_CURSOR = 4_000
TRIAGE = "triage"
# Parameters beside the filters; the last two say what an answer is about, and are not part of a view.
OTHERS = ("sort", "limit", "view", "after", "done", "newer")


@dataclass(frozen=True, slots=True)
class ListState:
    """`after` is the cursor of the page before."""

    view: ListView
    filters: Filters
    sort: Sort
    limit: int = LIMITS[0]
    after: str = ""
    is_triage: bool = False

    @classmethod
    def read(cls, view: ListView, pairs: Iterable[tuple[str, str]]) -> ListState:
        """Empty fields of a form do not filter; unknown names and values are refused."""
        params: dict[str, list[str]] = {}
        for name, value in pairs:
            if value.strip():
                params.setdefault(name, []).append(value.replace("\0", "").strip())
        first = {name: params.pop(name, [""])[0] for name in OTHERS}
        if len(first["after"]) > MAX_CURSOR:
            raise InvalidInput("The cursor is too long")
        return cls(
            view,
            parse_filters(view.entity, params),
            parse_sort(view.entity, first["sort"] or None),
            _limit(first["limit"]),
            first["after"],
            is_triage=first["view"] == TRIAGE and view.has_triage,
        )

    @property
    def params(self) -> dict[str, Any]:
        """The view without the page: what a link to it names."""
        params: dict[str, Any] = self.filters.to_json()
        if self.sort != default_sort(self.view.entity):
            params["sort"] = self.sort.text
        if self.limit != LIMITS[0]:
            params["limit"] = str(self.limit)
        if self.is_triage:
            params["view"] = TRIAGE
        return params

    @property
    def query(self) -> str:
        return urlencode(self.params, doseq=True)

    @property
    def filter_query(self) -> str:
        """The filters alone: what a selection and an export are about."""
        return urlencode(self.filters.to_json(), doseq=True)

    def url(self, **changes: Any) -> str:
        """The address with some parameters changed; None removes one."""
        return self.view.path + show_query(self.params, **changes).removesuffix("?")

    @property
    def here(self) -> str:
        return self.url(after=self.after)

    def without(self, name: str, value: str) -> str:
        rest = [each for each in self.filters.params[name] if each != value]
        return self.url(**{name: rest})

    def sort_url(self, name: str) -> str:
        """The header of a column: its order, or the other direction."""
        is_ascending = self.sort.text == name
        text = f"-{name}" if is_ascending or (self.sort.name != name and name.endswith("_at")) else name
        return self.url(sort=None if parse_sort(self.view.entity, text) == self._default else text)

    @property
    def _default(self) -> Sort:
        return default_sort(self.view.entity)

    def direction(self, name: str) -> str:
        """The order of a column as assistive technology names it."""
        if self.sort.name != name:
            return ""
        return "descending" if self.sort.text.startswith("-") else "ascending"


def _limit(text: str) -> int:
    return int(text) if text in map(str, LIMITS) else LIMITS[0]
