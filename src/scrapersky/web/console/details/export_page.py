"""The export of a view: how many rows, in which format, and the download."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.routes.exports import PATHS
from scrapersky.errors import NotFound
from scrapersky.queries.exports import ExportQuery, list_export
from scrapersky.queries.read_model import COUNT_LIMIT
from scrapersky.queries.rows.entities import LISTS
from scrapersky.queries.rows.filters import parameters, parse_filters
from scrapersky.web.console.console import ConsoleContext
from scrapersky.web.console.lists.list_contents import FORMATS
from scrapersky.web.console.navigation import PIPELINE

# A list by the name in its address, such as contacts, or by the name of its entity.
NAMES = {entry.path.strip("/"): entry.entity for entry in PIPELINE} | {name: name for name in PATHS}
# What each format is for.
HINTS = {
    "csv": "for any program; UTF-8, and no cell can run as a formula",
    "xlsx": "opens in Excel, Numbers and LibreOffice as it is",
    "parquet": "typed columns for DuckDB, pandas and other tools of analysts",
    "jsonl": "one JSON object per line, for programs",
}

router = APIRouter()


@router.get("/export")
async def show_export(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """The parameters are those of the list, and `list` is its name; a page or sort is left out."""
    name = request.query_params.get("list", "contacts")
    if name not in NAMES:
        raise NotFound(f"There is no list {name[:50]!r}; expected one of {', '.join(NAMES)}")
    entity = LISTS[NAMES[name]]
    params = {
        key: request.query_params.getlist(key)
        for key in parameters(entity)
        if key in request.query_params and any(request.query_params.getlist(key))
    }
    filters = parse_filters(entity, params)
    rows = await ExportQuery(caller.engine).count(
        list_export(caller.engine, entity, caller.actor.tenant_id, filters)
    )
    return await console.page(
        request,
        caller,
        "export.html",
        entity=entity,
        list_path=next((entry.path for entry in PIPELINE if entry.entity == entity.name), "/"),
        rows=rows,
        is_exact=rows < COUNT_LIMIT,
        given=params,
        action=f"{PREFIX}{PATHS[entity.name]}/export",
        formats=[(name, FORMATS[name], hint) for name, hint in HINTS.items()],
    )
