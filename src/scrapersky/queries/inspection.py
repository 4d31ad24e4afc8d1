"""A look at tables and rows as they are, for people who debug; nothing can be changed through it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, cast, column, desc, func, select, table

from scrapersky.errors import NoSuchRow
from scrapersky.queries.reading import Reader
from scrapersky.tables import Row

SECRET = ("password_hash", "key_hash", "secret", "token")


class Inspection(Reader):
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
        query = query.where(classes.c.relkind == "r", classes.c.relname.in_(list(Row.metadata.tables)))
        return [dict(row._mapping) for row in await self.rows(query.order_by(classes.c.relname))]

    async def rows_of(self, name: str, limit: int) -> list[dict[str, Any]]:
        """The newest rows of a table; the name must be one of ours, so nothing is pasted into a statement."""
        if name not in Row.metadata.tables:
            raise NoSuchRow(
                f"There is no table {name!r}; the tables are {', '.join(sorted(Row.metadata.tables))}"
            )
        chosen = Row.metadata.tables[name]
        shown = [one for one in chosen.c if not any(word in one.name for word in SECRET)]
        order = [desc(one) for one in chosen.primary_key.columns]
        return [dict(row._mapping) for row in await self.rows(select(*shown).order_by(*order).limit(limit))]
