"""The ledger of calls to services that bill by kind and month, with caps and prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.engine.outcome import Snooze
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.read_model import Query
from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.client import PlacesClient
from scrapersky.sources.google_places.errors import GoogleError
from scrapersky.sources.google_places.ledger import THIS_MONTH
from scrapersky.sources.google_places.preview import SearchPreview, preview_search
from scrapersky.sources.google_places.prices import SKU_TITLES, SKUS, Price

MAX_MONTHS = 24


@dataclass(frozen=True, slots=True)
class CallUsage:
    """Calls of one kind in one month. Those `booked` without an answer may have been billed or not."""

    month: date
    sku: str
    title: str
    booked: int
    answered: int
    cap: int | None
    usd: float


@dataclass(frozen=True, slots=True)
class SearchCost:
    """What one search has cost so far: its cells, the places in them, paid calls, and cells cut short."""

    cells: int
    places: int
    paid_calls: int
    full_cells: int


class GoogleLedgerQuery(Query):
    async def months(self, prices: Mapping[str, Price]) -> list[CallUsage]:
        """The newest month first; this month has a line for every kind."""
        calls = tables.service_calls.c
        month = await self.scalar(select(THIS_MONTH))
        rows = await self.rows(
            select(calls.month, calls.sku, calls.booked, calls.answered)
            .where(calls.sku.in_(SKUS))
            .order_by(calls.month.desc())
            .limit(MAX_MONTHS * len(SKUS))
        )
        numbers = {(row.month, row.sku): (row.booked, row.answered) for row in rows}
        months = sorted({month, *(row.month for row in rows)}, reverse=True)
        return [
            self._usage(each, sku, numbers.get((each, sku), (0, 0)), prices.get(sku, Price()))
            for each in months
            for sku in SKUS
            if each == month or (each, sku) in numbers
        ]

    @staticmethod
    def _usage(month: date, sku: str, numbers: tuple[int, int], price: Price) -> CallUsage:
        booked, answered = numbers
        cost = round(price.cost(booked), 2)
        return CallUsage(month, sku, SKU_TITLES[sku], booked, answered, price.cap, cost)

    async def search_cost(self, tenant_id: UUID, search_id: UUID) -> SearchCost:
        cells = tables.search_cells.c
        row = await self.first(
            select(
                func.count(),
                func.coalesce(func.sum(func.cardinality(cells.place_ids)), 0),
                func.coalesce(func.sum(cells.paid_calls), 0),
                func.count().filter(cells.is_full),
            ).where(cells.tenant_id == tenant_id, cells.search_id == search_id)
        )
        return SearchCost(*(int(number) for number in row or (0, 0, 0, 0)))


async def preview_cost(client: PlacesClient, kind: str, box: Mapping[str, Any]) -> SearchPreview:
    """What a search would cost, counted by calls that are free; raises what people can act upon."""
    try:
        area = Area.from_params(box)
    except ValueError as error:
        raise InvalidInput(f"Invalid box: {error}") from None
    try:
        # Chance decides which half is looked into, nothing else.
        return await preview_search(client, kind, area, Random())  # noqa: S311
    except (GoogleError, Snooze) as error:
        raise Conflict(str(error)) from None
