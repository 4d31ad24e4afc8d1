"""Tables, columns and rows as they are in the database, for debugging; read-only."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, Table, case, desc, func, literal, select, text

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.log import SECRET_NAMES
from scrapersky.queries.read_model import Query
from scrapersky.tables.tenant_isolation.policies import RIGHTS

ENCRYPTED = re.compile(r"encrypted|cipher", re.IGNORECASE)
MASK = "***"
# The statistics are up to date; after a crash they are empty until the next vacuum.
TABLE_SIZES = text("""
SELECT relname AS table,
       coalesce(nullif(pg_stat_get_live_tuples(oid), 0), greatest(reltuples, 0)::bigint) AS rows,
       pg_size_pretty(pg_total_relation_size(oid)) AS size
FROM pg_class WHERE relkind = 'r' AND relname = ANY(CAST(:names AS text[])) ORDER BY relname
""")
TABLE_COLUMNS = text("""
SELECT column_name AS column, data_type AS type, is_nullable = 'YES' AS nullable, column_default AS default
FROM information_schema.columns
WHERE table_name = :name AND table_schema = current_schema() ORDER BY ordinal_position
""")


class TableQuery(Query):
    async def tables(self) -> list[dict[str, Any]]:
        """Every table of ours with its size and approximate number of rows."""
        return await self.dicts(TABLE_SIZES, {"names": list(tables.metadata.tables)})

    async def columns_of(self, name: str) -> list[dict[str, Any]]:
        """The columns of a table as the database has them: type, nullability, default."""
        return await self.dicts(TABLE_COLUMNS, {"name": get_table(name).name})

    async def rows_of(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The newest rows of a table; secrets are masked."""
        table = get_table(name)
        newest = [desc(column) for column in table.primary_key.columns]
        return await self.dicts(select(*map(_masked, table.c)).order_by(*newest).limit(limit))


def _masked(column: ColumnElement[Any]) -> ColumnElement[Any]:
    name = str(column.name)
    if SECRET_NAMES.search(name) or ENCRYPTED.search(name):
        return case((column.is_not(None), literal(MASK))).label(name)
    if isinstance(column.type, LargeBinary):
        return func.octet_length(column).label(name)
    return column


def is_closed(name: str) -> bool:
    """Whether no request may read the table: it is looked up before a caller is known."""
    return RIGHTS.get(get_table(name).name) == ""


def is_tenant_table(name: str) -> bool:
    """Whether the rows belong to tenants, so that a request sees only those of its own."""
    return "tenant_id" in get_table(name).c


def get_table(name: str) -> Table:
    """Only tables of ours have a name that may stand in a statement."""
    if name not in tables.metadata.tables:
        names = ", ".join(sorted(tables.metadata.tables))
        raise NotFound(f"Invalid table {name!r}; expected one of {names}")
    return tables.metadata.tables[name]
