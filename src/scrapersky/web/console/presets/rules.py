"""Rules: made of a filter and a decision, with a look at the last 30 days before one is enabled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.presets.rules import check_filters, create_rule, delete_rule, update_rule
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.declarations import statuses
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.queries.decisions.presets import RuleQuery
from scrapersky.queries.rows.filters import Filters, parse_filters
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.lists.list_state import OTHERS
from scrapersky.web.console.lists.list_views import VIEWS, ListView
from scrapersky.web.console.presets.filter_words import filter_words
from scrapersky.web.console.presets.views import HOME, MAX_NAME

router = APIRouter()
RULES = f"{HOME}/rules"
# The lists about whose rows people decide, by the last part of their address.
RULED = {view.path.strip("/"): view for view in VIEWS.values() if view.curation}
DECISIONS = tuple(status for status in statuses.CURATION if status != statuses.NEW)
# Rows arrive while somebody reads the preview; a larger difference is shown first.
TOLERANCE = 0.01
Params = Mapping[str, Sequence[str]]


@router.get("/views/rules/new")
async def new_rule(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Of the filters in the address, or in its `query`, as the menu of a list sends them."""
    params = {name: request.query_params.getlist(name) for name in request.query_params}
    first = {name: params.pop(name, [""])[0] for name in ("list", "query", "name", "decision", "is_shared")}
    view = RULED.get(first["list"])
    if view is None:
        return await console.page(request, caller, "presets/rule_start.html", choices=list(RULED.values()))
    filters, has_decision = _without_decision(view, {**parse_qs(first["query"]), **params})
    if not filters:
        return await console.page(request, caller, "presets/rule_start.html", choices=[view], is_chosen=True)
    form = {"name": first["name"][:MAX_NAME], "decision": first["decision"], "is_enabled": False}
    if form["decision"] not in DECISIONS:
        form["decision"] = statuses.REJECTED
    return await _show(request, caller, console, view, filters, form=form, has_decision=has_decision)


@router.post("/views/rules")
async def add_rule(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    view = _ruled(text_of(form, "list"))
    filters = check_filters(view.entity, parse_qs(text_of(form, "query")))
    values = _values(form) | {"is_enabled": text_of(form, "is_enabled") == "1"}
    try:
        if values["is_enabled"]:
            await _check_preview(caller, view, filters, text_of(form, "previewed"))
        await create_rule(
            caller.engine,
            caller.actor,
            name=values["name"],
            entity=view.name,
            filters=filters,
            decision=values["decision"],
            is_enabled=values["is_enabled"],
        )
    except (Conflict, InvalidInput) as error:
        refused = {"form": values, "status": error.status, "error": str(error)}
        return await _show(request, caller, console, view, filters, **refused)
    return console.redirect(request, f"{HOME}?saved=rule#rules")


@router.get("/views/rules/{rule_id:uuid}")
async def one_rule(request: Request, rule_id: UUID, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show_rule(request, caller, console, rule_id)


@router.post("/views/rules/{rule_id:uuid}")
async def change_rule(request: Request, rule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    values = {
        name: value for name, value in _values(await read_form(request)).items() if value or name == "name"
    }
    return await _change(request, caller, console, rule_id, values)


@router.post("/views/rules/{rule_id:uuid}/enable")
async def enable_rule(request: Request, rule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    rule = await RuleQuery(caller.engine, caller.actor.tenant_id).show(rule_id)
    try:
        await _check_preview(caller, VIEWS[rule["entity"]], rule["filters"], text_of(form, "previewed"))
    except Conflict as error:
        return await _show_rule(request, caller, console, rule_id, status=error.status, error=str(error))
    return await _change(request, caller, console, rule_id, {"is_enabled": True})


@router.post("/views/rules/{rule_id:uuid}/disable")
async def disable_rule(
    request: Request, rule_id: UUID, caller: Operator, console: ConsoleContext
) -> Response:
    return await _change(request, caller, console, rule_id, {"is_enabled": False})


@router.post("/views/rules/{rule_id:uuid}/delete")
async def remove_rule(request: Request, rule_id: UUID, caller: Operator, console: ConsoleContext) -> Response:
    await delete_rule(caller.engine, caller.actor, rule_id)
    return console.redirect(request, f"{HOME}?saved=deleted#rules")


# ---- reading


def _ruled(name: str) -> ListView:
    if name not in RULED:
        raise NotFound(f"There are no rules for {name[:50]!r}; expected one of {', '.join(RULED)}")
    return RULED[name]


def _without_decision(view: ListView, params: Params) -> tuple[dict[str, list[str]], bool]:
    """The filters of a list as those of a rule, and whether one by decision was left out."""
    kept = {name: values for name, values in params.items() if name not in OTHERS and any(values)}
    filters = parse_filters(view.entity, kept).to_json()
    has_decision = filters.pop(view.curation, None) is not None
    return filters, has_decision


def _values(form: Any) -> dict[str, Any]:
    return {"name": text_of(form, "name")[:MAX_NAME], "decision": text_of(form, "decision")}


async def _preview(caller: Caller, view: ListView, filters: Params) -> dict[str, int]:
    query = RuleQuery(caller.engine, caller.actor.tenant_id)
    return await query.preview(view.entity, Filters.from_json(filters))


async def _check_preview(caller: Caller, view: ListView, filters: Params, previewed: str) -> None:
    """Refuse to enable a rule whose effect nobody has seen."""
    actual = (await _preview(caller, view, filters))["matching"]
    seen = int(previewed[:12]) if previewed.isascii() and previewed.isdigit() else None
    if seen is None or abs(actual - seen) > max(1, actual * TOLERANCE):
        raise Conflict(
            f"Now {actual:,} {view.count(actual)} of the last 30 days match; look again, then enable"
        )


# ---- pages


async def _show(
    request: Request, caller: Caller, console: Console, view: ListView, filters: Params, **values: Any
) -> Response:
    known = {
        "rule": None,
        "view": view,
        "list": view.path.strip("/"),
        "query_text": urlencode(filters, doseq=True),
        "words": filter_words(view, filters),
        "preview": await _preview(caller, view, filters),
        "decisions": DECISIONS,
        "has_decision": False,
        "error": "",
        "saved": "",
    }
    return await console.page(request, caller, "presets/rule.html", **{**known, **values})


async def _show_rule(
    request: Request, caller: Caller, console: Console, rule_id: UUID, **values: Any
) -> Response:
    rule = await RuleQuery(caller.engine, caller.actor.tenant_id).show(rule_id)
    known = {"rule": rule, "form": rule, "saved": request.query_params.get("saved", "")}
    view = VIEWS[rule["entity"]]
    return await _show(request, caller, console, view, rule["filters"], **{**known, **values})


async def _change(
    request: Request, caller: Caller, console: Console, rule_id: UUID, changes: dict[str, Any]
) -> Response:
    try:
        await update_rule(caller.engine, caller.actor, rule_id, changes)
    except (Conflict, InvalidInput) as error:
        return await _show_rule(request, caller, console, rule_id, status=error.status, error=str(error))
    return console.redirect(request, f"{RULES}/{rule_id}?saved=1")
