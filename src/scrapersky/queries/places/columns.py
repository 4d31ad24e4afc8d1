"""How the columns of a file were chosen the last time that a file had the same headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky import tables
from scrapersky.queries.read_model import TenantRowsQuery

# The parameter of a search that holds the choice.
CHOICE = "chosen_columns"
MAX_HEADING = 100


class ColumnChoice(NamedTuple):
    """The number of each field's column, from 0, and whether the first row holds headings."""

    columns: dict[str, int]
    has_headings: bool = True

    def to_json(self, headings: Sequence[str]) -> dict[str, Any]:
        """What a search in a file keeps."""
        return {"headings": _shortened(headings), **self._asdict()}


class ColumnQuery(TenantRowsQuery):
    """The choices of one tenant, which are kept with its searches."""

    async def last_choice(self, headings: Sequence[str]) -> ColumnChoice | None:
        """That of the newest search in a file whose first row was the same."""
        searches = tables.place_searches.c
        choice = searches.params[CHOICE]
        query = (
            select(choice["columns"], choice["has_headings"])
            .where(
                searches.tenant_id == self._tenant_id,
                choice["headings"] == type_coerce(_shortened(headings), JSONB),
            )
            .order_by(searches.id.desc())
            .limit(1)
        )
        row = await self.first(query)
        return ColumnChoice(*row) if row else None


def _shortened(headings: Sequence[str]) -> list[str]:
    return [" ".join(heading.split())[:MAX_HEADING] for heading in headings]
