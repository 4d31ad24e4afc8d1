"""Google Places in the laboratory: the contract server, the source, and searches in a database."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from demo_lab import Lab
from fetch.rig import open_fetcher
from product import TENANT
from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.engine.stage import RUNNING_ITEM, Item
from scrapersky.settings import load_settings
from scrapersky.sources import ListedPlace
from scrapersky.sources.google_places import CallLedger, GoogleOptions, GooglePlaces, PlacesClient
from scrapersky.sources.google_places.errors import SearchContinues
from scrapersky.sources.google_places.prices import PAID_DETAILS, PAID_SEARCH, Price
from scrapersky_demo.contracts.google_city import BOX, InventedCity
from scrapersky_demo.contracts.google_places import GooglePlacesServer, serve_google_places

KEY = "test-key"
PAID, FREE = "text_search_enterprise", "text_search_ids"


@dataclass
class GoogleLab:
    server: GooglePlacesServer
    source: GooglePlaces
    engine: AsyncEngine

    async def add_search(self, box: dict[str, float] | None = None) -> uuid.UUID:
        values = {
            "tenant_id": TENANT,
            "business_type": "bakery",
            "location": "Musterstadt",
            "source": "google_places",
            "params": {"box": box or BOX},
        }
        table = tables.place_searches
        async with self.engine.begin() as connection:
            return (await connection.execute(insert(table).values(values).returning(table.c.id))).scalar_one()

    async def search(
        self, search_id: uuid.UUID, box: dict[str, float] | None = None
    ) -> Sequence[ListedPlace]:
        """Run the search as its stage would, slice after slice."""
        token = RUNNING_ITEM.set(Item(search_id, TENANT, None, 1, 0, 0, 3))
        try:
            while True:
                try:
                    return await self.source.search("bakery", "Musterstadt", {"box": box or BOX})
                except SearchContinues:
                    continue
        finally:
            RUNNING_ITEM.reset(token)

    async def calls(self) -> dict[str, tuple[int, int]]:
        """The ledger: booked and answered calls by kind."""
        month = await self.source.client.ledger.this_month()
        return {sku: (calls.booked, calls.answered) for sku, calls in month.items()}

    async def cells(self) -> Sequence[Any]:
        async with self.engine.connect() as connection:
            return (await connection.execute(select(tables.search_cells))).all()


@asynccontextmanager
async def google_lab(
    engine: AsyncEngine,
    city: InventedCity,
    *,
    search_cap: int | None = None,
    details_cap: int | None = None,
    key: str = KEY,
    slice_seconds: float = 600,
    server: GooglePlacesServer | None = None,
) -> AsyncIterator[GoogleLab]:
    async with serve_google_places(server or GooglePlacesServer(city)) as running:
        options = GoogleOptions(
            key=key,
            address=f"http://google.example:{running.port}/",
            prices={PAID_SEARCH: Price(35, 1_000, search_cap), PAID_DETAILS: Price(20, 1_000, details_cap)},
            requests_per_minute=1_000_000,
        )
        database = Database(engine)
        async with open_fetcher(running.port) as fetcher:
            client = PlacesClient(fetcher, options, CallLedger(database))
            yield GoogleLab(running, GooglePlaces(client, database, slice_seconds=slice_seconds), engine)


@asynccontextmanager
async def with_google(found: Lab, city: InventedCity) -> AsyncIterator[GooglePlacesServer]:
    """The laboratory with Google beside the demo world."""
    async with serve_google_places(GooglePlacesServer(city)) as server:
        found.environment |= {
            "GOOGLE_MAPS_API_KEY": "test-key",
            "GOOGLE_PLACES_URL": f"http://google.example:{server.port}/",
            "GOOGLE_PLACES_REQUESTS_PER_MINUTE": "100000",
            "EGRESS_ALLOW": f"{found.environment['EGRESS_ALLOW']},127.0.0.1:{server.port}",
            "CONNECT_TO": f"{found.environment['CONNECT_TO']},google.example:*:127.0.0.1:{server.port}",
        }
        found.settings = load_settings(env_file=None, environment=found.environment)
        yield server
