"""How the columns of a file were chosen the last time that a file had the same headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.queries.read_model import Query

# The parameter of a search that holds the choice.
CHOICE = "chosen_columns"
MAX_HEADING = 100


def column_choice(headings: Sequence[str], mapping: dict[str, int]) -> dict[str, Any]:
    """What a search in a file keeps: the headings, and the number of each field's column, from 0."""
    return {"headings": _shortened(headings), "columns": mapping}


class ColumnQuery(Query):
    """The choices of one tenant, which are kept with its searches."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id

    async def last_choice(self, headings: Sequence[str]) -> dict[str, int] | None:
        """The number of each field's column in the newest search in a file with these headings."""
        searches = tables.place_searches.c
        same = searches.params[CHOICE]["headings"] == type_coerce(_shortened(headings), JSONB)
        query = (
            select(searches.params[CHOICE]["columns"])
            .where(searches.tenant_id == self._tenant_id, same)
            .order_by(searches.id.desc())
            .limit(1)
        )
        columns: dict[str, int] | None = await self.scalar(query)
        return columns


def _shortened(headings: Sequence[str]) -> list[str]:
    return [" ".join(heading.split())[:MAX_HEADING] for heading in headings]
