"""The overview: is it moving, where are leads lost, what needs a person. Without any row: how to begin."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Caller, Viewer
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.overview import OverviewQuery
from scrapersky.queries.rows.review import ReviewQuery
from scrapersky.web.console.add.demo import offers_demo
from scrapersky.web.console.console import Console, ConsoleContext, is_htmx
from scrapersky.web.console.overview.figures import overview_values
from scrapersky.web.console.overview.periods import DEFAULT, PERIODS, get_period

router = APIRouter()


@router.get("/")
async def overview(
    request: Request, caller: Viewer, console: ConsoleContext, period: str = DEFAULT, search: str = ""
) -> Response:
    query = OverviewQuery(caller.engine, caller.actor.tenant_id)
    if await query.is_empty():
        return await _first_run(request, caller, console)
    chosen, search_id = get_period(period), parse_search(search)
    values = await overview_values(caller, console, chosen, search_id)
    values |= {"period": chosen, "search_id": search_id, "params": _params(period, search)}
    if is_htmx(request):
        return console.fragment(request, caller, "_overview.html", **values)
    values |= {"periods": list(PERIODS.values()), "searches": await query.searches()}
    return await console.page(request, caller, "overview.html", **values)


@router.get("/rail-counts")
async def rail_counts(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """The numbers beside the names of the lists, for pages that are open."""
    numbers = await ReviewQuery(caller.engine, caller.actor.tenant_id).to_review()
    return console.fragment(request, caller, "_rail_counts.html", to_review=numbers)


def parse_search(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidInput(f"Invalid search {text[:50]!r}; expected a UUID") from None


def _params(period: str, search: str) -> dict[str, Any]:
    return {"period": "" if period == DEFAULT else period, "search": search}


async def _first_run(request: Request, caller: Caller, console: Console) -> Response:
    if caller.is_in_demo:
        # The demo world is being built.
        return console.redirect(request, "/demo")
    demo_available = await offers_demo(caller, console)
    return await console.page(request, caller, "first_run.html", demo_available=demo_available)
