"""What the command palette finds on the server: domains by a part of their name."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import MAX_TEXT, parse_filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.sorts import default_sort
from scrapersky.web.console.console import ConsoleContext

router = APIRouter()

MAX_DOMAINS = 8


@router.get("/palette")
async def palette(request: Request, caller: Viewer, console: ConsoleContext, q: str = "") -> Response:
    domain, sought = ENTITIES["domain"], q.replace("\0", "").strip()[:MAX_TEXT]
    rows = []
    if sought:
        lists, filters = (
            ListQuery(caller.engine, caller.actor.tenant_id),
            parse_filters(domain, {"q": sought}),
        )
        rows = (await lists.page(domain, filters, sort=default_sort(domain), limit=MAX_DOMAINS)).rows
    return console.fragment(request, caller, "_palette.html", domains=rows)
