"""A look at tables and rows as they are, for people who debug; nothing can be changed through it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Table, cast, column, desc, func, select, table

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query

SECRET = ("password_hash", "key_hash", "secret", "token")


class TableQuery(Query):
    async def tables(self) -> list[dict[str, Any]]:
        """Every table of ours with its size and about how many rows it has."""
        classes = table("pg_class", column("relname"), column("reltuples"), column("oid"), column("relkind"))
        size = func.pg_size_pretty(func.pg_total_relation_size(classes.c.oid))
        # The statistics know at once what was written; after a crash they are empty until the next vacuum.
        live = func.nullif(func.pg_stat_get_live_tuples(classes.c.oid), 0)
        query = select(
            classes.c.relname.label("table"),
            func.coalesce(live, cast(func.greatest(classes.c.reltuples, 0), BigInteger)).label("rows"),
            size.label("size"),
        )
        query = query.where(classes.c.relkind == "r", classes.c.relname.in_(list(tables.metadata.tables)))
        return [dict(row._mapping) for row in await self.rows(query.order_by(classes.c.relname))]

    async def columns_of(self, name: str) -> list[dict[str, Any]]:
        """The columns of a table as the database has them: type, whether NULL is allowed, default."""
        chosen = _table(name)
        columns = table(
            "columns",
            *(column(one) for one in ("table_name", "column_name", "data_type", "is_nullable")),
            *(column(one) for one in ("column_default", "ordinal_position", "table_schema")),
            schema="information_schema",
        )
        query = select(
            columns.c.column_name.label("column"),
            columns.c.data_type.label("type"),
            columns.c.is_nullable.label("nullable"),
            columns.c.column_default.label("default"),
        ).where(columns.c.table_name == chosen.name, columns.c.table_schema == func.current_schema())
        return [dict(row._mapping) for row in await self.rows(query.order_by(columns.c.ordinal_position))]

    async def rows_of(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The newest rows of a table."""
        chosen = _table(name)
        shown = [one for one in chosen.c if not any(word in one.name for word in SECRET)]
        order = [desc(one) for one in chosen.primary_key.columns]
        return [dict(row._mapping) for row in await self.rows(select(*shown).order_by(*order).limit(limit))]


def _table(name: str) -> Table:
    """The table of that name; it must be one of ours, so nothing is pasted into a statement."""
    if name not in tables.metadata.tables:
        raise NotFound(
            f"There is no table {name!r}; the tables are {', '.join(sorted(tables.metadata.tables))}"
        )
    return tables.metadata.tables[name]
