"""Google Places as a source: free probes find the cells, then each cell is listed by paid calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from scrapersky.declarations.statuses import CELL_COUNTED, CELL_OPEN
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import RUNNING_ITEM
from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.cells import CellStore, StoredCell
from scrapersky.sources.google_places.client import GoogleOptions, PlacesClient
from scrapersky.sources.google_places.errors import PageTokenRefused, SearchContinues
from scrapersky.sources.google_places.partition import PAGE_SIZE, QUERY_LIMIT, Ids, divide
from scrapersky.sources.google_places.places import KEEP_FIELDS, listed_place
from scrapersky.sources.source import ListedPlace

SOURCE_NAME = "google_places"
# Cells that are worked on at the same time.
CELLS_AT_ONCE = 4
# After this long, well before its stage times out, a search returns to the queue; its cells are kept.
SLICE_SECONDS = 45.0

T = TypeVar("T")


class GooglePlaces:
    """One per process. A search must have a box in its params, and run as an item of the stage."""

    # The stage marks the cells of a search when its places are stored.
    keeps_cells = True

    def __init__(
        self, client: PlacesClient, database: Database, *, slice_seconds: float = SLICE_SECONDS
    ) -> None:
        self.client = client
        self._database, self._slice_seconds = database, slice_seconds

    def configure(self, options: GoogleOptions) -> None:
        """Follow edited settings, such as a raised cap."""
        self.client.options = options

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        item = RUNNING_ITEM.get()
        if item is None:
            raise RuntimeError("a search of Google runs as an item of its stage")
        if not kind.strip():
            raise Discard("A search of Google needs a kind of business")
        area = search_area(params)
        run = SearchRun(
            self.client,
            CellStore(self._database, item.tenant_id, item.id),
            kind,
            area,
            seconds=self._slice_seconds,
        )
        return await run.places()

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        """What the search has paid for already, or one paid call when that has expired."""
        known = ListedPlace.from_json(raw) if raw.get("name") else None
        now = self.client.clock()
        if known is not None and known.expires_at is not None and known.expires_at > now:
            return known
        place = listed_place(await self.client.details(place_id), fetched_at=now)
        if place is None:
            raise Discard("Google says that the business is closed for good")
        # Google may answer with a newer identifier; ours stays the key of the row.
        return replace(place, place_id=place_id)


def search_area(params: dict[str, Any]) -> Area:
    try:
        return Area.from_params(params.get("box") or {})
    except ValueError as error:
        raise Discard(f"Invalid area of the search: {error}") from None


class SearchRun:
    """One attempt at a search: as many of its cells as time allows."""

    def __init__(
        self, client: PlacesClient, cells: CellStore, query: str, area: Area, *, seconds: float
    ) -> None:
        self._client, self._cells, self._query, self._area = client, cells, query, area
        self._deadline = asyncio.get_running_loop().time() + seconds

    async def places(self) -> list[ListedPlace]:
        """The places of all cells; raises SearchContinues when the time is over before."""
        cells = await self._cells.open(self._area)
        while todo := [cell for cell in cells if cell.state == CELL_OPEN]:
            cells = await self._work(todo, self._divide, "counting places", cells)
        while todo := [cell for cell in cells if cell.state == CELL_COUNTED]:
            cells = await self._work(todo, self._list, "fetching details", cells)
        places: dict[str, ListedPlace] = {}
        for place in map(self._place, await self._cells.places()):
            if place is not None:
                places[place.place_id] = place
        return list(places.values())

    async def _work(
        self,
        todo: list[StoredCell],
        step: Callable[[StoredCell], Awaitable[None]],
        doing: str,
        cells: list[StoredCell],
    ) -> list[StoredCell]:
        """Do a step for some cells at once, and load all again."""
        if not self._in_time():
            ids = {place_id for cell in cells for place_id in cell.cell.ids or ()}
            raise SearchContinues(f"{doing}: {len(ids):,} places so far", wait=timedelta(0))
        await gather_all([step(cell) for cell in todo[:CELLS_AT_ONCE]])
        return await self._cells.load()

    async def _divide(self, stored: StoredCell) -> None:
        meters = self._client.options.min_meters
        parts = await divide(stored.cell, self._probe, min_meters=meters, in_time=self._in_time)
        await self._cells.replace(stored.id, parts)

    async def _probe(self, area: Area) -> Ids:
        """The identifiers that one query lists; 60 may be only some of them."""
        return await probe_ids(self._client, self._query, area)

    async def _list(self, stored: StoredCell) -> None:
        """Pay for the next page of a cell, and keep it at once."""
        expected = len(stored.cell.ids or ())
        claim = self._cells.claim_page(stored)
        try:
            page = await self._client.search_places(
                self._query, stored.cell.area, stored.page_token, claim=claim
            )
        except PageTokenRefused:
            await self._cells.restart(stored)
            return
        listed = stored.listed + len(page.places)
        is_last = not page.next_token or listed >= min(expected, QUERY_LIMIT)
        now = self._client.clock()
        places = [{**place, FETCHED_AT: now.isoformat()} for place in page.places]
        await self._cells.add_page(
            stored, places, page.next_token, is_last=is_last, expires_at=now + KEEP_FIELDS
        )

    def _place(self, place: dict[str, Any]) -> ListedPlace | None:
        return listed_place(place, fetched_at=datetime.fromisoformat(place[FETCHED_AT]))

    def _in_time(self) -> bool:
        return asyncio.get_running_loop().time() < self._deadline


# Stored beside Google's own fields, whose names begin with a small letter.
FETCHED_AT = "FetchedAt"


async def probe_ids(client: PlacesClient, query: str, area: Area) -> Ids:
    ids: dict[str, None] = {}
    token = ""
    for _ in range(QUERY_LIMIT // PAGE_SIZE):
        page = await client.search_ids(query, area, token)
        ids |= dict.fromkeys(str(place["id"])[:300] for place in page.places if place.get("id"))
        token = page.next_token
        if not token:
            break
    return frozenset(ids)


async def gather_all(work: Sequence[Awaitable[T]]) -> list[T]:
    """Wait for all, also when one fails: a call that has been paid for must be kept."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
