"""Calls to Google: paced, booked in the ledger, guarded by a circuit breaker, errors as classes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.sources.google_places.area import Area
from scrapersky.sources.google_places.errors import (
    GoogleError,
    GoogleFailed,
    KeyMissing,
    QuotaExhausted,
    error_from_answer,
    is_google_failure,
)
from scrapersky.sources.google_places.ledger import Claim, Ledger, claim_nothing
from scrapersky.sources.google_places.partition import PAGE_SIZE
from scrapersky.sources.google_places.prices import (
    DETAILS_MASK,
    ID_MASK,
    ID_SEARCH,
    PAID_DETAILS,
    PAID_SEARCH,
    SEARCH_MASK,
    Price,
)

ADDRESS = "https://places.googleapis.com/"
LIMITS = Limits(body=2 * 2**20, deadline=20.0, first_byte=15.0)


@dataclass(frozen=True, slots=True)
class GoogleOptions:
    """Options of the source; `repr` hides the key."""

    key: str = field(default="", repr=False)
    address: str = ADDRESS
    prices: Mapping[str, Price] = field(default_factory=dict)
    requests_per_minute: int = 600
    min_meters: float = 2.0
    language: str = ""

    def price(self, sku: str) -> Price:
        return self.prices.get(sku, Price())


@dataclass(frozen=True, slots=True)
class PlacePage:
    """A page of a search: Google's places, and the token of the next page if there is one."""

    places: list[dict[str, Any]]
    next_token: str = ""


class PlacesClient:
    def __init__(
        self,
        fetcher: Fetcher,
        options: GoogleOptions,
        ledger: Ledger,
        *,
        circuit: CircuitBreaker | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.options, self.ledger, self.clock = options, ledger, clock
        self._fetcher = fetcher
        self._circuit = circuit or CircuitBreaker("google_places", counts=is_google_failure)
        self._next_call = 0.0

    async def search_ids(self, query: str, area: Area, token: str = "") -> PlacePage:
        """A page of identifiers, which costs nothing."""
        return await self._search(ID_SEARCH, ID_MASK, query, area, token, claim_nothing)

    async def search_places(
        self, query: str, area: Area, token: str = "", *, claim: Claim = claim_nothing
    ) -> PlacePage:
        """A page of places with websites and phone numbers: one paid call."""
        return await self._search(PAID_SEARCH, SEARCH_MASK, query, area, token, claim)

    async def details(self, place_id: str) -> dict[str, Any]:
        """One place: one paid call."""
        path = f"v1/places/{quote(place_id, safe='')}"
        if self.options.language:
            path += "?" + urlencode({"languageCode": self.options.language})
        return await self._call(PAID_DETAILS, "GET", path, DETAILS_MASK, None, claim_nothing)

    async def _search(
        self, sku: str, mask: str, query: str, area: Area, token: str, claim: Claim
    ) -> PlacePage:
        request: dict[str, Any] = {
            "textQuery": query,
            "pageSize": PAGE_SIZE,
            "locationRestriction": area.rectangle(),
        }
        if self.options.language:
            request["languageCode"] = self.options.language
        if token:
            request["pageToken"] = token
        answer = await self._call(sku, "POST", "v1/places:searchText", mask, request, claim)
        places, following = answer.get("places", []), answer.get("nextPageToken", "")
        if not isinstance(places, list) or not all(isinstance(place, dict) for place in places):
            raise GoogleFailed("Google's answer holds no list of places")
        return PlacePage(places, following if isinstance(following, str) else "")

    async def _call(
        self, sku: str, method: str, path: str, mask: str, request: dict[str, Any] | None, claim: Claim
    ) -> dict[str, Any]:
        if not self.options.key:
            raise KeyMissing
        await self._pace()
        async with self._circuit:
            await self.ledger.book(sku, self.options.price(sku), claim=claim)
            answer = await self._send(method, path, mask, request)
            error = error_from_answer(answer, now=self.clock())
            if error is not None:
                await self.ledger.release(sku)
                raise self._without_key(error)
            await self.ledger.confirm(sku)
            return _json_object(answer.body)

    async def _send(self, method: str, path: str, mask: str, request: dict[str, Any] | None) -> Page:
        """The answer; without one, the call stays booked, because Google may have billed it."""
        headers = {"X-Goog-Api-Key": self.options.key, "X-Goog-FieldMask": mask}
        body = None
        if request is not None:
            headers["Content-Type"] = "application/json"
            body = orjson.dumps(request)
        address = self.options.address.rstrip("/") + "/" + path
        try:
            return await self._fetcher.request(method, address, headers=headers, body=body, limits=LIMITS)
        except Failure as failure:
            raise GoogleFailed(f"Google: {failure}") from None

    async def _pace(self) -> None:
        """Wait for our turn, so that a search does not exhaust the quota of a minute at once."""
        loop = asyncio.get_running_loop()
        turn = max(self._next_call, loop.time())
        self._next_call = turn + 60 / self.options.requests_per_minute
        await asyncio.sleep(turn - loop.time())

    def _without_key(self, error: GoogleError) -> GoogleError:
        """Google's text is shown to people; it must not hold the key."""
        error.args = tuple(
            part.replace(self.options.key, "***") if isinstance(part, str) else part for part in error.args
        )
        return error


async def check_key(client: PlacesClient) -> str:
    """Whether Google accepts the key: "ok", or what is wrong. One search for identifiers, which is free."""
    if not client.options.key:
        return "not configured"
    try:
        await client.search_ids("cafe", Area(52.51, 13.39, 52.52, 13.40))
    except QuotaExhausted:
        # The key works, and somebody uses it.
        return "ok"
    except GoogleError as error:
        return str(error)
    return "ok"


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise GoogleFailed("Google's answer is not JSON") from None
    if not isinstance(content, dict):
        raise GoogleFailed("Google's answer is not a JSON object")
    return content
