"""The lists: rows with facets, filters, order and pages; each view is an address, also without scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.curation import unread_pages
from scrapersky.actions.presets.saved_views import create_view
from scrapersky.api.caller import Caller, Viewer
from scrapersky.api.cursors import Cursors
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.decisions.operations import OperationQuery
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import FacetCounts, ListQuery, Total
from scrapersky.queries.rows.review import ReviewQuery
from scrapersky.tables.ids import new_id
from scrapersky.web.console.console import Console, ConsoleContext, is_htmx
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.lists.columns import column_choices, with_chosen_columns
from scrapersky.web.console.lists.delivery_rows import name_deliveries
from scrapersky.web.console.lists.list_contents import (
    describe_operation,
    explain_empty,
    make_api_call,
    make_chips,
    make_command,
    make_exports,
    make_facets,
    show_total,
)
from scrapersky.web.console.lists.list_state import LIMITS, ListState
from scrapersky.web.console.lists.list_views import DECISIONS, VIEWS, ListView

router = APIRouter()
# Cards of triage that are loaded ahead; rows are counted as newer up to a limit.
CARDS = 8
MAX_NEWER = 100


async def answer(request: Request, caller: Caller, console: Console, view: ListView) -> Response:
    """The whole page, or the part of it that changes with the filters."""
    state = ListState.read(view, request.query_params.multi_items())
    if not state.is_triage:
        state = replace(state, view=with_chosen_columns(request, view))
    query = ListQuery(caller.engine, caller.actor.tenant_id)
    if since := request.query_params.get("newer"):
        return await _newer(request, caller, console, state, since)
    cursors = Cursors(console.api.secret_key, caller.actor.tenant_id, view.entity, state.filters, state.sort)
    page, counts = await query.page_and_facets(
        view.entity,
        state.filters,
        sort=state.sort,
        after=cursors.decode(state.after) if state.after else None,
        limit=CARDS if state.is_triage else state.limit,
    )
    destinations = await _destinations(caller, view)
    if view.name == "delivery":
        page = replace(page, rows=await name_deliveries(query, page.rows, destinations))
    values = {
        **await shared_values(caller, state, page.total, counts),
        "page": page,
        "next_url": None if page.next_keys is None else state.url(after=cursors.encode(page.next_keys)),
        "since": str(new_id()),
        "exports": make_exports(state),
        "command": make_command(state),
        "api_call": make_api_call(state, str(request.base_url)),
        "limits": LIMITS,
        "column_choices": column_choices(state.view),
    }
    if not page.rows:
        values["empty"] = await explain_empty(query, state, values["review"])
    return await _render(request, caller, console, state, values)


async def _render(
    request: Request, caller: Caller, console: Console, state: ListState, values: dict[str, Any]
) -> Response:
    if is_htmx(request) and "hx-history-restore-request" not in request.headers:
        template = "_cards.html" if state.is_triage else "_list.html"
        response = console.fragment(request, caller, template, **values)
        # A list that is read again, such as after a decision, is not a new step of the way back.
        if not state.is_triage and not request.headers.get("hx-current-url", "").endswith(state.here):
            response.headers["HX-Push-Url"] = state.here
        return response
    operations = OperationQuery(caller.engine, caller.actor.tenant_id)
    values |= {
        "operations": [
            *await operations.list_operations(status="running", limit=3),
            *await operations.list_operations(status="pending", limit=3),
        ],
        "done": await _done(request, operations),
        "describe": describe_operation,
    }
    template = "triage.html" if state.is_triage else "list.html"
    return await console.page(request, caller, template, **values)


async def shared_values(
    caller: Caller, state: ListState, total: Total, counts: FacetCounts
) -> dict[str, Any]:
    """What the page and the answer to a decision both show: facets, total and what waits for a person."""
    query = ListQuery(caller.engine, caller.actor.tenant_id)
    review = await ReviewQuery(caller.engine, caller.actor.tenant_id).to_review()
    return {
        "view": state.view,
        "state": state,
        "facets": make_facets(state, counts),
        "chips": await make_chips(query, state, await _destinations(caller, state.view)),
        "total": total,
        "total_text": show_total(total),
        "review": review,
        "unread": await _unread(query) if state.view.name == "page" else 0,
        "decisions": DECISIONS,
        "can_decide": bool(state.view.curation) and caller.role != "viewer",
        "empty": None,
    }


async def _destinations(caller: Caller, view: ListView) -> dict[UUID, str]:
    """The names of destinations, where the list is about them."""
    query = DestinationQuery(caller.engine, caller.actor.tenant_id)
    return await query.names() if view.name == "delivery" else {}


async def _unread(query: ListQuery) -> int:
    """Pages that are not read automatically, for the button that reads them all (R258)."""
    decision = unread_pages()
    return await query.count(decision.entity, decision.filters or Filters())


async def _newer(
    request: Request, caller: Caller, console: Console, state: ListState, since: str
) -> Response:
    query = ListQuery(caller.engine, caller.actor.tenant_id)
    try:
        number = await query.newer(state.view.entity, state.filters, UUID(since), limit=MAX_NEWER)
    except ValueError:
        raise InvalidInput(f"Invalid newer {since[:50]!r}; expected a UUID") from None
    values: dict[str, Any] = {
        "number": number,
        "is_more": number == MAX_NEWER,
        "view": state.view,
        "state": state,
    }
    return console.fragment(request, caller, "_newer.html", **values)


async def _done(request: Request, operations: OperationQuery) -> dict[str, Any] | None:
    """The operation that a form has led back from, so that it can be undone without scripts."""
    try:
        return await operations.show(UUID(request.query_params["done"]))
    except (KeyError, ValueError, NotFound):
        return None


# ---- routes


def _list_route(view: ListView) -> Callable[..., Any]:
    async def show_list(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
        return await answer(request, caller, console, view)

    return show_list


def _save_route(view: ListView) -> Callable[..., Any]:
    async def save_view(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
        """Keep the filters and the order of the list under a name."""
        form = await read_form(request)
        state = ListState.read(view, parse_qsl(text_of(form, "query")))
        params = {**state.filters.to_json(), "sort": [state.sort.text]}
        await create_view(
            caller.engine,
            caller.actor,
            name=text_of(form, "name")[:200],
            entity=view.name,
            params=params,
            is_shared=text_of(form, "is_shared") == "1",
        )
        return console.redirect(request, state.url())

    return save_view


for _view in VIEWS.values():
    router.add_api_route(_view.path, _list_route(_view), methods=["GET"])
    router.add_api_route(f"{_view.path}/views", _save_route(_view), methods=["POST"])
