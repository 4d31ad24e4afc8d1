"""The database as it is, for admins: tables, columns, and the newest rows with secrets masked."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from scrapersky.api.caller import Admin, Context
from scrapersky.api.installation import is_of_installation
from scrapersky.api.models import WholeList
from scrapersky.api.problems import Problem
from scrapersky.queries import TableQuery
from scrapersky.queries.inspection import is_closed, is_tenant_table

router = APIRouter(prefix="/database", tags=["database"])


class TableSummary(BaseModel):
    """`rows` is approximate; it and the size count all tenants, so only the default tenant sees them."""

    table: str
    rows: int | None
    size: str | None


class TableList(WholeList[TableSummary]):
    """All tables, on one page."""


class TableColumn(BaseModel):
    column: str
    type: str
    nullable: bool
    default: str | None


class TableColumnList(WholeList[TableColumn]):
    """All columns of a table, on one page."""


class TableRows(BaseModel):
    table: str
    rows: list[dict[str, Any]]


@router.get("/tables")
async def list_tables(caller: Admin, context: Context) -> TableList:
    """The tables with their sizes and estimated numbers of rows."""
    tables = await TableQuery(caller.engine).tables()
    hidden = {} if is_of_installation(caller, context) else {"rows": None, "size": None}
    return TableList.of([TableSummary(**{**table, **hidden}) for table in tables])


@router.get("/tables/{name}/columns", name="list_table_columns")
async def list_columns(name: str, caller: Admin) -> TableColumnList:
    """The columns of a table as the database has them."""
    columns = await TableQuery(caller.engine).columns_of(name)
    return TableColumnList.of([TableColumn(**column) for column in columns])


@router.get("/tables/{name}/rows", name="list_table_rows")
async def list_rows(
    name: str, caller: Admin, context: Context, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> TableRows:
    """The newest rows of one's own tenant; tables of the whole installation need the default tenant."""
    if is_closed(name):
        raise Problem(403, "Forbidden", "No request may read the rows of this table.")
    if not is_tenant_table(name) and not is_of_installation(caller, context):
        raise Problem(403, "Forbidden", "The rows of this table belong to the whole installation.")
    return TableRows(table=name, rows=await TableQuery(caller.engine).rows_of(name, limit))
