"""Tables, columns and rows as they are in the database, for debugging; read-only."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Table, desc, select, text

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query

SECRET_COLUMNS = ("password_hash", "key_hash", "secret", "token")
# The statistics are up to date; after a crash they are empty until the next vacuum.
TABLE_SIZES = text("""
SELECT relname AS table,
       coalesce(nullif(pg_stat_get_live_tuples(oid), 0), greatest(reltuples, 0)::bigint) AS rows,
       pg_size_pretty(pg_total_relation_size(oid)) AS size
FROM pg_class WHERE relkind = 'r' AND relname = ANY(CAST(:names AS text[])) ORDER BY relname
""")
TABLE_COLUMNS = text("""
SELECT column_name AS column, data_type AS type, is_nullable AS nullable, column_default AS default
FROM information_schema.columns
WHERE table_name = :name AND table_schema = current_schema() ORDER BY ordinal_position
""")


class TableQuery(Query):
    async def tables(self) -> list[dict[str, Any]]:
        """Every table of ours with its size and approximate number of rows."""
        return await self.dicts(TABLE_SIZES, {"names": list(tables.metadata.tables)})

    async def columns_of(self, name: str) -> list[dict[str, Any]]:
        """The columns of a table as the database has them: type, nullability, default."""
        return await self.dicts(TABLE_COLUMNS, {"name": _table(name).name})

    async def rows_of(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The newest rows of a table."""
        table = _table(name)
        columns = [
            column for column in table.c if not any(secret in column.name for secret in SECRET_COLUMNS)
        ]
        newest = [desc(column) for column in table.primary_key.columns]
        return await self.dicts(select(*columns).order_by(*newest).limit(limit))


def _table(name: str) -> Table:
    """Only tables of ours have a name that may stand in a statement."""
    if name not in tables.metadata.tables:
        names = ", ".join(sorted(tables.metadata.tables))
        raise NotFound(f"Invalid table {name!r}; expected one of {names}")
    return tables.metadata.tables[name]
