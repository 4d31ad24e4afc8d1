"""The cells of a search in the database, so that a search that was killed continues where it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations.statuses import CELL_COUNTED, CELL_LISTED, CELL_OPEN, CELL_STORED
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Snooze
from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.ledger import Claim
from scrapersky.sources.google_places.partition import Cell

_CELLS = tables.search_cells.c


class CellTaken(Snooze):
    """Another worker has taken over the search."""


@dataclass(frozen=True, slots=True)
class StoredCell:
    """A cell with what the paid pass has brought so far."""

    id: UUID
    cell: Cell
    state: str
    listed: int
    page_token: str
    paid_calls: int


class CellStore:
    """The cells of one search."""

    def __init__(self, database: Database, tenant_id: UUID, search_id: UUID) -> None:
        self._database, self._tenant_id, self._search_id = database, tenant_id, search_id
        self._mine = and_(_CELLS.tenant_id == tenant_id, _CELLS.search_id == search_id)

    async def open(self, area: Area) -> list[StoredCell]:
        """The cells of the search so far; a new search, or one that was complete, begins with the area."""

        async def work(connection: AsyncConnection) -> None:
            cells = tables.search_cells
            stored = select(_CELLS.id).where(self._mine, _CELLS.state == CELL_STORED).exists()
            await connection.execute(delete(cells).where(self._mine, stored))
            if not await connection.scalar(select(func.count()).select_from(cells).where(self._mine)):
                await connection.execute(insert(cells).values([self._row(Cell(area))]))

        await self._database.in_transaction(work)
        return await self.load()

    async def load(self) -> list[StoredCell]:
        columns = [column for column in tables.search_cells.c if column.name != "places"]
        listed = func.jsonb_array_length(_CELLS.places).label("listed")
        statement = select(*columns, listed).where(self._mine).order_by(_CELLS.id)
        return [_stored_cell(row) for row in await self._database.rows(statement)]

    async def places(self) -> list[dict[str, Any]]:
        """Google's places of all cells, in the order of the cells."""
        rows = await self._database.rows(select(_CELLS.places).where(self._mine).order_by(_CELLS.id))
        return [place for row in rows for place in row.places]

    async def replace(self, cell_id: UUID, parts: Sequence[Cell]) -> None:
        """Put the parts of an open cell in its place; an area without places leaves an empty cell."""

        async def work(connection: AsyncConnection) -> None:
            cells = tables.search_cells
            mine = and_(self._mine, _CELLS.id == cell_id, _CELLS.state == CELL_OPEN)
            if not parts:
                change = update(cells).where(mine).values(state=CELL_LISTED, place_ids=[])
            else:
                change = delete(cells).where(mine)  # type: ignore[assignment]
            if not (await connection.execute(change)).rowcount:
                raise CellTaken
            if parts:
                await connection.execute(insert(cells).values([self._row(part) for part in parts]))

        await self._database.in_transaction(work)

    def claim_page(self, stored: StoredCell) -> Claim:
        """Book a paid call on the cell, in the transaction of the ledger; only one worker can."""
        return lambda connection: self._update(
            connection,
            stored,
            {"paid_calls": _CELLS.paid_calls + 1},
            _CELLS.paid_calls == stored.paid_calls,
        )

    async def add_page(
        self,
        stored: StoredCell,
        places: list[dict[str, Any]],
        token: str,
        *,
        is_last: bool,
        expires_at: datetime,
    ) -> None:
        """Keep a page that has been paid for."""
        values = {
            "places": _CELLS.places.op("||")(literal(places, JSONB)),
            "page_token": token,
            "state": CELL_LISTED if is_last else CELL_COUNTED,
            "expires_at": func.coalesce(_CELLS.expires_at, expires_at),
        }
        await self._database.in_transaction(lambda connection: self._update(connection, stored, values))

    async def restart(self, stored: StoredCell) -> None:
        """Forget the pages of a cell whose page token has expired."""
        values = {"places": [], "page_token": ""}
        await self._database.in_transaction(lambda connection: self._update(connection, stored, values))

    async def _update(
        self,
        connection: AsyncConnection,
        stored: StoredCell,
        values: dict[str, Any],
        *conditions: ColumnElement[bool],
    ) -> None:
        mine = and_(self._mine, _CELLS.id == stored.id, _CELLS.state == CELL_COUNTED, *conditions)
        change = update(tables.search_cells).where(mine).values(values)
        if not (await connection.execute(change)).rowcount:
            raise CellTaken

    def _row(self, cell: Cell) -> dict[str, Any]:
        area = cell.area
        return {
            "tenant_id": self._tenant_id,
            "search_id": self._search_id,
            "south": area.south,
            "west": area.west,
            "north": area.north,
            "east": area.east,
            "state": CELL_COUNTED if cell.is_final else CELL_OPEN,
            "is_full": cell.is_full,
            "place_ids": None if cell.ids is None else sorted(cell.ids),
        }


def _stored_cell(row: Any) -> StoredCell:
    area = Area(row.south, row.west, row.north, row.east)
    ids = None if row.place_ids is None else frozenset(row.place_ids)
    cell = Cell(area, ids, is_final=row.state != CELL_OPEN)
    return StoredCell(row.id, cell, row.state, row.listed, row.page_token, row.paid_calls)
