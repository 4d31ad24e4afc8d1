"""Decisions made in lists: about the rows that were picked or all that match, with confirmation and undo."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.curation import decide, describe_undo, undo, unread_pages
from scrapersky.actions.operations import (
    CURATE,
    RESET,
    RUN,
    Decision,
    cancel_operation,
    check_expected,
    count_rows,
)
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.errors import InvalidInput
from scrapersky.queries.decisions.operations import OperationQuery
from scrapersky.queries.rows.filters import parse_curation_status
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.web.console.console import Console, ConsoleContext, is_htmx
from scrapersky.web.console.forms import read_form, return_path, text_of, texts_of
from scrapersky.web.console.lists.columns import with_chosen_columns
from scrapersky.web.console.lists.list_contents import describe_operation
from scrapersky.web.console.lists.list_state import ListState
from scrapersky.web.console.lists.list_views import DECISIONS, VIEWS, ListView
from scrapersky.web.console.lists.lists import shared_values
from scrapersky.web.html import GROUP

router = APIRouter()
# A decision about more rows is confirmed first; the rows that an answer draws again are those on a screen.
CONFIRM_ABOVE = 1_000
MAX_DRAWN = 200
ACTIONS = {"run": RUN, "reset": RESET}
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
CURATED = tuple(view for view in VIEWS.values() if view.curation)


def _decide_route(view: ListView) -> Callable[..., Any]:
    async def make_decision(request: Request, caller: Operator, console: ConsoleContext) -> Response:
        """Decide about the rows of the form; `row` is the button of a single one."""
        form = await read_form(request)
        state = ListState.read(view, parse_qsl(text_of(form, "query")))
        return await _decide(request, caller, console, state, form, _read_decision(console, state, form))

    return make_decision


for _view in CURATED:
    router.add_api_route(f"{_view.path}/decisions", _decide_route(_view), methods=["POST"])


@router.post("/pages/read-all")
async def read_all_pages(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Read every page that is not read automatically (R258)."""
    form = await read_form(request)
    state = ListState.read(VIEWS["page"], parse_qsl(text_of(form, "query")))
    decision = unread_pages(_number(form, "expected"))
    return await _decide(request, caller, console, state, form, decision)


@router.post("/operations/{operation_id:uuid}/undo")
async def undo_decision(
    operation_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    """Put the rows back that are still as the decision left them."""
    form = await read_form(request)
    result = await undo(caller.engine, caller.actor, operation_id, in_background=True)
    if not result.is_finished:
        console.api.run_operations()
    return await _after(request, caller, console, form, operation_id, message=grouped(describe_undo(result)))


@router.post("/operations/{operation_id:uuid}/cancel")
async def cancel_decision(
    operation_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    """Stop after the current chunk; what has been changed can be undone."""
    form = await read_form(request)
    await cancel_operation(caller.engine, caller.actor, operation_id)
    return await _after(request, caller, console, form, operation_id, message="")


@router.get("/operations/{operation_id:uuid}/progress")
async def show_progress(
    operation_id: UUID, request: Request, caller: Viewer, console: ConsoleContext
) -> Response:
    """The strip of one operation, which asks for itself while it runs."""
    operation = await OperationQuery(caller.engine, caller.actor.tenant_id).show(operation_id)
    values: dict[str, Any] = {"operation": operation, "text": describe_operation(operation)}
    return console.fragment(request, caller, "_operation.html", **values)


# ---- reading the form


def _read_decision(console: Console, state: ListState, form: FormData) -> Decision:
    row_id, _, word = text_of(form, "row").partition(" ")
    word = word or text_of(form, "decision")
    action = ACTIONS.get(word, CURATE)
    grace = timedelta(seconds=console.api.settings.decision_grace_seconds if action == CURATE else 0)
    values: dict[str, Any] = {"entity": state.view.entity, "action": action, "grace": grace}
    if action == CURATE:
        values["value"] = parse_curation_status(word)
    if not row_id and text_of(form, "all") == "1":
        return Decision(**values, filters=state.filters, expected=_number(form, "expected"))
    ids = _ids([row_id] if row_id else texts_of(form, "ids"))
    if not ids:
        raise InvalidInput(f"No {state.view.noun} is picked; tick the boxes of some rows first")
    return Decision(**values, ids=ids)


def _ids(texts: list[str]) -> list[UUID]:
    """Ids in one field or in many."""
    try:
        return [UUID(part) for text in texts for part in text.split(",") if part]
    except ValueError:
        raise InvalidInput("An id is not a UUID") from None


def _number(form: FormData, name: str) -> int | None:
    text = text_of(form, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


# ---- deciding and answering


async def _decide(
    request: Request,
    caller: Caller,
    console: Console,
    state: ListState,
    form: FormData,
    decision: Decision,
) -> Response:
    if decision.ids is None:
        matched = await count_rows(caller.engine, caller.actor, decision)
        check_expected(decision.expected, matched)
    else:
        matched = len(decision.ids)
    if matched > CONFIRM_ABOVE and text_of(form, "confirmed") != "1":
        return await _confirm(request, caller, console, state, form, decision, matched)
    result = await decide(caller.engine, caller.actor, decision, in_background=True)
    if not result.is_finished:
        console.api.run_operations()
    if result.operation_id is None:
        raise InvalidInput(f"No {state.view.noun} matches any more")
    return await _after(request, caller, console, form, result.operation_id, state=state)


async def _confirm(
    request: Request,
    caller: Caller,
    console: Console,
    state: ListState,
    form: FormData,
    decision: Decision,
    matched: int,
) -> Response:
    """Ask before very many rows change: a dialog, or a page without scripts."""
    kept = ("ids", "all", "decision", "query", "shown", "row")
    fields = [(name, value) for name in kept for value in texts_of(form, name)]
    values: dict[str, Any] = {
        "view": state.view,
        "state": state,
        "action": request.url.path,
        "fields": [*fields, ("expected", str(matched)), ("confirmed", "1")],
        "matched": matched,
        "decision": decision,
        "verb": _verb(decision),
        "button": _button(decision),
        "effect": state.view.effect if decision.action == CURATE and decision.value == "Selected" else "",
        "grace": int(decision.grace.total_seconds()),
    }
    if is_htmx(request):
        return console.fragment(request, caller, "_confirm.html", **values)
    return await console.page(request, caller, "confirm.html", **values)


def _verb(decision: Decision) -> str:
    return {CURATE: f"set to {decision.status}", RUN: "queued", RESET: "reset to New"}[decision.action]


def _button(decision: Decision) -> str:
    if decision.action == CURATE:
        verbs = {status: verb for status, _, verb, _ in DECISIONS if status != verb}
        return verbs.get(str(decision.status), f"Set to {decision.status}:")
    return {RUN: "Queue", RESET: "Reset"}[decision.action]


async def _after(
    request: Request,
    caller: Caller,
    console: Console,
    form: FormData,
    operation_id: UUID,
    *,
    state: ListState | None = None,
    message: str = "",
) -> Response:
    """Draw the changed rows again where they stand, with the counts; or lead back to the list."""
    operations = OperationQuery(caller.engine, caller.actor.tenant_id)
    operation = await operations.show(operation_id)
    if state is None:
        state = ListState.read(VIEWS[operation["entity"]], parse_qsl(text_of(form, "query")))
    state = replace(state, view=with_chosen_columns(request, state.view))
    if not is_htmx(request):
        return console.redirect(request, _way_back(form, state, operation_id))
    visible = _ids(texts_of(form, "shown"))[:MAX_DRAWN]
    changed = await operations.changed_among(operation_id, visible) if visible else []
    query = ListQuery(caller.engine, caller.actor.tenant_id)
    rows, matching = await query.named(state.view.entity, changed, state.filters)
    page, counts = await query.page_and_facets(state.view.entity, state.filters, limit=1)
    values = {
        **await shared_values(caller, state, page.total, counts),
        "rows": rows,
        "matching": matching,
        "operation": operation,
        "text": message or describe_operation(operation),
        "is_undo": bool(message),
    }
    return console.fragment(request, caller, "_decided.html", **values)


def grouped(text: str) -> str:
    """Numbers as every page shows them."""
    return THOUSANDS.sub(GROUP, text)


def _way_back(form: FormData, state: ListState, operation_id: UUID) -> str:
    """The page that the form was on, with a notice of what it did."""
    return return_path(form, state.url(after=text_of(form, "after"), done=str(operation_id)))
