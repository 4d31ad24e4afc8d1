"""What the columns of files mean: the last choice for the same headings, and mappings with a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import TenantRowsQuery

# The parameter of a search that holds the choice.
CHOICE = "chosen_columns"
MAX_HEADING = 100
SHOWN_COLUMNS = ("id", "name", "columns", "created_at", "updated_at")


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


class ColumnMappingQuery(TenantRowsQuery):
    """The mappings that people of the tenant have named."""

    async def list_mappings(self) -> list[dict[str, Any]]:
        columns = tables.column_mappings.c
        return await self.dicts(self._mine().order_by(columns.name, columns.id))

    async def show(self, mapping_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._mine().where(tables.column_mappings.c.id == mapping_id))
        if not rows:
            raise NotFound(f"There is no column mapping {mapping_id}")
        return rows[0]

    async def find(self, text: str) -> dict[str, Any]:
        """By its name or its id, as a person types it."""
        mappings = await self.list_mappings()
        matches = [each for each in mappings if text in (each["name"], str(each["id"]))]
        if not matches:
            known = ", ".join(each["name"] for each in mappings) or "none"
            raise NotFound(f"There is no column mapping {text[:200]!r}; expected one of {known}")
        return matches[0]

    def _mine(self) -> Select[Any]:
        columns = tables.column_mappings.c
        query = select(*(columns[name] for name in SHOWN_COLUMNS))
        return query.where(columns.tenant_id == self._tenant_id)


def _shortened(headings: Sequence[str]) -> list[str]:
    return [" ".join(heading.split())[:MAX_HEADING] for heading in headings]
