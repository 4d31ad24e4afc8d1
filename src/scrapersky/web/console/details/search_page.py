"""The page of a search: what was searched, and how many businesses were probably missed."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.queries.places.coverage import CoverageQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import SEARCH
from scrapersky.web.console.console import ConsoleContext

router = APIRouter()


@router.get("/searches/{search_id:uuid}")
async def show_search(search_id: UUID, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    tenant_id = caller.actor.tenant_id
    search = await RowQuery(caller.engine).show(SEARCH, tenant_id, str(search_id))
    coverage = await CoverageQuery(caller.engine, tenant_id).of_search(search_id)
    return await console.page(request, caller, "search.html", search=search, coverage=coverage)
