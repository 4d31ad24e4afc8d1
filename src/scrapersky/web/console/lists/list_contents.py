"""What a list shows beside its rows: facets with their counts, active filters, and why it is empty."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from scrapersky.actions.operations import CURATE, DELIVER_CONTACTS, RESET, RUN
from scrapersky.api.context import PREFIX
from scrapersky.declarations import statuses
from scrapersky.queries.rows.entities import ENTITIES, SEARCH
from scrapersky.queries.rows.filters import NONE, Filters, parameters
from scrapersky.queries.rows.lists import FacetCounts, ListQuery, Total
from scrapersky.web.console.lists.list_state import ListState
from scrapersky.web.console.lists.list_views import VIEWS, ListView
from scrapersky.web.html import show_number

SHOWN_VALUES = 8
PRIORITIES = {"1": "High (1)", "2": "Medium (2)", "3": "Low (3)"}
# The filters by id whose rows have a name; whom a contact is about may have to be withheld.
NAMED_BY_ID = {
    "search_id": SEARCH,
    "place_row_id": ENTITIES["place"],
    "local_business_id": ENTITIES["business"],
    "domain_id": ENTITIES["domain"],
    "page_id": ENTITIES["page"],
}
FORMATS = {"csv": "CSV", "jsonl": "JSON Lines", "xlsx": "Excel (XLSX)", "parquet": "Parquet"}


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    label: str
    count: int
    is_on: bool
    share: float


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with the number of rows by value; `rest` is behind "show all"."""

    name: str
    label: str
    values: list[FacetValue]
    rest: list[FacetValue]
    is_drop_down: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """An active filter, and the address without it."""

    label: str
    value: str
    url: str


@dataclass(frozen=True, slots=True)
class EmptyState:
    title: str
    text: str
    label: str = ""
    url: str = ""


def show_total(total: Total) -> str:
    return show_number(total.number) if total.is_exact else f"{show_number(total.number)}+"


def value_label(name: str, value: str | None) -> str:
    """A value in plain words; the words of statuses are those of the database."""
    if value is None or value == NONE:
        return "not queued" if name.endswith("status") else "none"
    if name == "priority_level":
        return PRIORITIES.get(value, value)
    if name in ("discovery_method", "source"):
        return value.replace("_", " ")
    return value.upper() if name == "page_type" else value


# ---- facets


def make_facets(state: ListState, counts: FacetCounts) -> list[Facet]:
    return [_facet(state, name, counts.facets.get(name, {})) for name in state.view.facets]


def _facet(state: ListState, name: str, numbers: Mapping[Any, int]) -> Facet:
    chosen = state.filters.params.get(name, ())
    counted = {NONE if value is None else str(value): number for value, number in numbers.items()}
    counted |= {value: 0 for value in chosen if value not in counted}
    known = parameters(state.view.entity)[name].choices
    order = {value: place for place, value in enumerate(known)}
    values = sorted(counted, key=lambda value: (order.get(value, len(order)), -counted[value], value))
    largest = max(counted.values(), default=0) or 1
    made = [
        FacetValue(
            value,
            value_label(name, value),
            counted[value],
            is_on=value in chosen,
            share=100 * counted[value] / largest,
        )
        for value in values
    ]
    first = [each for place, each in enumerate(made) if place < SHOWN_VALUES or each.is_on]
    rest = [each for each in made if each not in first]
    # A drop-down holds one choice; an address with several shows them as boxes.
    is_drop_down = name in state.view.drop_downs and len(chosen) < 2
    return Facet(name, state.view.facets[name], first, rest, is_drop_down)


async def make_chips(query: ListQuery, state: ListState, destinations: Mapping[UUID, str]) -> list[Chip]:
    """The active filters; one by the id of a row says what people call that row."""
    return [
        Chip(
            state.view.label(name),
            await _chip_value(query, name, value, destinations),
            state.without(name, value),
        )
        for name, values in state.filters.params.items()
        for value in values
    ]


async def _chip_value(query: ListQuery, name: str, value: str, destinations: Mapping[UUID, str]) -> str:
    if name == "destination_id":
        return destinations.get(UUID(value), value)[:60]
    entity = NAMED_BY_ID.get(name)
    row_name = None if entity is None else await query.name(entity, UUID(value))
    return (row_name or value_label(name, value))[:60]


# ---- menus


def make_exports(state: ListState) -> list[tuple[str, str]]:
    filters = state.filters.to_json()
    path = f"{PREFIX}{state.view.api_path}/export"
    return [
        (label, f"{path}?{urlencode({**filters, 'format': form}, doseq=True)}")
        for form, label in FORMATS.items()
    ]


def make_command(state: ListState) -> str:
    """The same list on the command line; nothing where it has no such filters."""
    if state.view.name not in ENTITIES:
        return ""
    words = ["scrapersky", state.view.name, "list"]
    for name, values in state.filters.params.items():
        option = "-q" if name == "q" else f"--{name.replace('_', '-')}"
        words += [word for value in values for word in (option, value)]
    return shlex.join(words)


def make_api_call(state: ListState, base_url: str) -> str:
    params = {name: value for name, value in state.params.items() if name != "view"}
    query = urlencode(params, doseq=True)
    url = f"{base_url.rstrip('/')}{PREFIX}{state.view.api_path}" + (f"?{query}" if query else "")
    return f"curl {shlex.quote(url)}"


# ---- empty states


async def explain_empty(query: ListQuery, state: ListState, to_review: Mapping[str, int]) -> EmptyState:
    """Why the list is empty, and the one thing to do about it."""
    view = state.view
    everything = (await query.page(view.entity, Filters(), limit=1)).total
    if not everything.number:
        first = view.first_step
        return EmptyState(f"No {view.nouns} yet", first.text, first.label, first.path)
    if view.curation and state.filters.to_json() == {view.curation: [statuses.NEW]}:
        return _all_decided(view, everything, to_review)
    return await _too_tight(query, state)


def _all_decided(view: ListView, everything: Total, to_review: Mapping[str, int]) -> EmptyState:
    title = f"All {show_total(everything)} {view.count(everything.number)} decided"
    following = VIEWS.get(view.following)
    waiting = to_review.get(view.following, 0)
    if following is None or not waiting:
        return EmptyState(title, "Nothing waits for you here.", f"See all {view.nouns}", view.path)
    label = f"Next: {show_number(waiting)} {following.count(waiting)}"
    url = f"{following.path}?{following.curation}={statuses.NEW}"
    return EmptyState(title, "Well done. The next list waits for you.", label, url)


async def _too_tight(query: ListQuery, state: ListState) -> EmptyState:
    """The single filter whose removal gives the most rows."""
    view, candidates = state.view, []
    for name, values in state.filters.params.items():
        total = (await query.page(view.entity, state.filters.without(name), limit=1)).total
        words = ", ".join(value_label(name, value) for value in values)[:60]
        # An id says nothing to people.
        label = view.label(name) if name in view.id_labels else f"{view.label(name)}: {words}"
        candidates.append((total.number, f"Without {label}", name, total))
    best = max(candidates, key=lambda each: each[0], default=None)
    title = f"No {view.noun} matches"
    if best is None or not best[0]:
        return EmptyState(title, "No single filter is to blame.", "Clear all filters", view.path)
    label = f"{best[1]} ({show_total(best[3])})"
    return EmptyState(title, "One filter keeps the most rows away.", label, state.url(**{best[2]: None}))


# ---- operations


def describe_operation(operation: dict[str, Any]) -> str:
    """An operation in one sentence."""
    view, number = VIEWS[operation["entity"]], operation["changed"]
    rows = f"{show_number(number)} {view.count(number)}"
    what = {
        CURATE: f"{rows} set to {operation['value']}",
        RUN: f"{rows} queued",
        RESET: f"{rows} reset to New",
        DELIVER_CONTACTS: f"{rows} sent",
    }.get(operation["action"], f"{rows} put back")
    if operation["undone_at"]:
        return f"{what}, then put back"
    waiting = operation["skipped"].get("domain_excluded", 0)
    return f"{what}; {waiting} not queued, their domain is rejected or archived" if waiting else what
