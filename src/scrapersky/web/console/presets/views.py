"""Saved views with their number of rows now, and the rules below them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.presets.saved_views import delete_view, update_view
from scrapersky.api.caller import Caller, Viewer
from scrapersky.errors import ActionError, Conflict, InvalidInput
from scrapersky.queries.decisions.presets import RuleQuery, ViewQuery
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.lists.list_contents import show_total
from scrapersky.web.console.lists.list_views import VIEWS
from scrapersky.web.console.presets.filter_words import SORT, filter_words

router = APIRouter()
HOME = "/views"
MAX_NAME = 200
# More views than this are shown without their numbers, so that the page stays quick.
MAX_COUNTED_VIEWS = 40


@router.get("/views")
async def views(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(request, caller, console)


@router.post("/views/{view_id:uuid}")
async def change_view(request: Request, view_id: UUID, caller: Viewer, console: ConsoleContext) -> Response:
    """Rename, share or keep to oneself."""
    form = await read_form(request)
    changes: dict[str, Any] = {}
    if "name" in form:
        changes["name"] = text_of(form, "name")[:MAX_NAME]
    if "is_shared" in form:
        changes["is_shared"] = text_of(form, "is_shared") == "1"
    try:
        await update_view(caller.engine, caller.actor, view_id, changes)
    except (Conflict, InvalidInput) as error:
        return await _show(request, caller, console, status=error.status, error=str(error))
    return console.redirect(request, f"{HOME}?saved=view")


@router.post("/views/{view_id:uuid}/delete")
async def remove_view(request: Request, view_id: UUID, caller: Viewer, console: ConsoleContext) -> Response:
    await delete_view(caller.engine, caller.actor, view_id)
    return console.redirect(request, f"{HOME}?saved=deleted")


async def _show(
    request: Request, caller: Caller, console: Console, *, status: int = 200, error: str = ""
) -> Response:
    tenant_id = caller.actor.tenant_id
    stored = await ViewQuery(caller.engine, tenant_id, caller.actor.user_id).list_views()
    rules = await RuleQuery(caller.engine, tenant_id).list_rules()
    query = ListQuery(caller.engine, tenant_id)
    counts = [await _count(query, view) for view in stored[:MAX_COUNTED_VIEWS]]
    return await console.page(
        request,
        caller,
        "presets/views.html",
        status=status,
        error=error,
        saved=request.query_params.get("saved", ""),
        views=[_view(row, caller, count) for row, count in zip(stored, _padded(counts, stored), strict=True)],
        rules=[_rule(row) for row in rules],
    )


async def _count(query: ListQuery, view: dict[str, Any]) -> str:
    """The number of rows now; a dash for a view whose filters no longer exist."""
    filters = Filters.from_json({name: values for name, values in view["query"].items() if name != SORT})
    try:
        return show_total((await query.facets(VIEWS[view["entity"]].entity, filters)).total)
    except ActionError:
        return "–"


def _padded(counts: list[str], stored: list[Any]) -> list[str]:
    return counts + ["–"] * (len(stored) - len(counts))


def _view(row: dict[str, Any], caller: Caller, count: str) -> dict[str, Any]:
    view = VIEWS[row["entity"]]
    return {
        **row,
        "list": view.title,
        "path": view.path,
        "words": filter_words(view, row["query"]),
        "count": count,
        "is_own": row["user_id"] == caller.actor.user_id,
    }


def _rule(row: dict[str, Any]) -> dict[str, Any]:
    view = VIEWS[row["entity"]]
    return {**row, "list": view.title, "path": view.path, "words": filter_words(view, row["filters"])}
