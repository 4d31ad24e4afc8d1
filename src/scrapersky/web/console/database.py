"""The database as it is, for administrators: tables with their sizes, columns, and the newest rows."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Admin
from scrapersky.api.installation import is_of_installation
from scrapersky.api.problems import Problem
from scrapersky.queries import TableQuery
from scrapersky.queries.inspection import is_tenant_table
from scrapersky.web.console.console import ConsoleContext

router = APIRouter()

ROWS = 20
MAX_TEXT = 120


@router.get("/system/database")
async def list_tables(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    """Every table; sizes count all tenants, so only the default one sees them."""
    tables = await TableQuery(caller.engine).tables()
    return await console.page(
        request, caller, "database.html", tables=tables, has_sizes=is_of_installation(caller, console.api)
    )


@router.get("/system/database/{name}")
async def show_table(request: Request, name: str, caller: Admin, console: ConsoleContext) -> Response:
    """The columns of a table and its newest rows, with secrets masked."""
    query = TableQuery(caller.engine)
    if not is_tenant_table(name) and not is_of_installation(caller, console.api):
        raise Problem(403, "Forbidden", "The rows of this table belong to the whole installation.")
    rows = await query.rows_of(name, ROWS)
    return await console.page(
        request,
        caller,
        "database_table.html",
        name=name,
        columns=await query.columns_of(name),
        rows=[{column: _short(value) for column, value in row.items()} for row in rows],
        limit=ROWS,
    )


def _short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
