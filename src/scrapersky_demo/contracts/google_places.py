"""A server that behaves as the Places API (New): masks, pages, limits, quotas, bills and failures."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from scrapersky_demo.contracts.google_city import InventedCity, InventedPlace

PAGE_SIZE = 20
QUERY_LIMIT = 60
TEXT_SEARCH = "text_search"
DETAILS = "place_details"
ID_FIELDS = frozenset({"id", "name", "attributions", "movedPlace", "movedPlaceId"})
PRO_FIELDS = frozenset(
    {
        "displayName", "formattedAddress", "shortFormattedAddress", "adrFormatAddress", "addressComponents",
        "postalAddress", "location", "viewport", "plusCode", "types", "primaryType", "primaryTypeDisplayName",
        "businessStatus", "googleMapsUri", "googleMapsLinks", "photos", "timeZone", "utcOffsetMinutes",
        "accessibilityOptions", "containingPlaces", "pureServiceAreaBusiness", "subDestinations",
    }
)  # fmt: skip
ENTERPRISE_FIELDS = frozenset(
    {
        "internationalPhoneNumber", "nationalPhoneNumber", "websiteUri", "rating", "userRatingCount",
        "priceLevel", "priceRange", "regularOpeningHours", "currentOpeningHours",
    }
)  # fmt: skip
# Cheapest first; a call is billed by the most expensive field of its mask.
TIERS = (("ids", ID_FIELDS), ("pro", PRO_FIELDS), ("enterprise", ENTERPRISE_FIELDS))
SEARCH_REQUEST = frozenset(
    {
        "textQuery", "pageSize", "pageToken", "maxResultCount", "locationRestriction", "locationBias",
        "languageCode", "regionCode", "includedType", "strictTypeFiltering", "rankPreference", "minRating",
        "openNow", "priceLevels", "includePureServiceAreaBusinesses",
    }
)  # fmt: skip
ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"


class Refusal(Exception):
    """An error as the service words it."""

    def __init__(
        self,
        code: int,
        status: str,
        message: str,
        *,
        reason: str = "",
        metadata: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.headers = code, headers or {}
        error: dict[str, Any] = {"code": code, "message": message, "status": status}
        if reason:
            info = {"@type": ERROR_INFO, "reason": reason, "domain": "googleapis.com"}
            error["details"] = [
                {**info, "metadata": {"service": "places.googleapis.com", **(metadata or {})}}
            ]
        self.body = {"error": error}


@dataclass
class Failures:
    """What goes wrong; switches may be changed while the server runs."""

    is_api_disabled: bool = False
    is_billing_disabled: bool = False
    # Answers from now on: so many HTTP 503, or HTML instead of JSON.
    unavailable: int = 0
    html: int = 0
    seconds: float = 0.0
    # Every n-th call is billed, and then the connection is cut.
    cut_every: int = 0
    calls_per_minute: int | None = None
    calls_per_day: int | None = None
    retry_after: int | None = None


@dataclass
class GooglePlacesServer:
    """The state of the service: its places, its keys, and what it has billed."""

    city: InventedCity
    keys: frozenset[str] = frozenset({"test-key"})
    failures: Failures = field(default_factory=Failures)
    billed: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    port: int = 0
    _queries: dict[str, tuple[str, list[InventedPlace]]] = field(default_factory=dict)
    _minute: Counter[int] = field(default_factory=Counter)

    def application(self) -> web.Application:
        application = web.Application()
        application.router.add_post("/v1/places:searchText", self._answering(self._search))
        application.router.add_get("/v1/places/{place_id}", self._answering(self._details))
        return application

    def expire_page_tokens(self) -> None:
        self._queries.clear()

    def _answering(self, handle: Any) -> Any:
        async def answer(request: web.Request) -> web.StreamResponse:
            self.calls += 1
            await asyncio.sleep(self.failures.seconds)
            try:
                self._check(request)
                sku, body = await handle(request)
            except Refusal as refusal:
                return web.json_response(refusal.body, status=refusal.code, headers=refusal.headers)
            self.billed[sku] += 1
            failures = self.failures
            if failures.html:
                failures.html -= 1
                return web.Response(text="<html>Sorry…</html>", content_type="text/html")
            if failures.cut_every and sum(self.billed.values()) % failures.cut_every == 0:
                _cut(request)
            return web.Response(body=orjson.dumps(body), content_type="application/json")

        return answer

    def _check(self, request: web.Request) -> None:
        failures = self.failures
        if failures.unavailable:
            failures.unavailable -= 1
            raise Refusal(503, "UNAVAILABLE", "The service is currently unavailable.")
        key = request.headers.get("X-Goog-Api-Key") or request.query.get("key", "")
        if not key:
            raise Refusal(
                403,
                "PERMISSION_DENIED",
                "Method doesn't allow unregistered callers (callers without established identity).",
            )
        if key not in self.keys:
            text = "API key not valid. Please pass a valid API key."
            raise Refusal(400, "INVALID_ARGUMENT", text, reason="API_KEY_INVALID")
        if failures.is_api_disabled:
            text = "Places API (New) has not been used in project 1 before or it is disabled."
            raise Refusal(403, "PERMISSION_DENIED", text, reason="SERVICE_DISABLED")
        if failures.is_billing_disabled:
            text = "This API method requires billing to be enabled."
            raise Refusal(403, "PERMISSION_DENIED", text, reason="BILLING_DISABLED")
        self._check_quota()

    def _check_quota(self) -> None:
        failures, minute = self.failures, int(asyncio.get_running_loop().time() // 60)
        self._minute[minute] += 1
        for limit, used, unit in (
            (failures.calls_per_minute, self._minute[minute], "1/min/{project}"),
            (failures.calls_per_day, self._minute.total(), "1/d/{project}"),
        ):
            if limit is not None and used > limit:
                wait = {} if failures.retry_after is None else {"Retry-After": str(failures.retry_after)}
                raise Refusal(
                    429,
                    "RESOURCE_EXHAUSTED",
                    "Quota exceeded for quota metric 'SearchTextRequest'.",
                    reason="RATE_LIMIT_EXCEEDED",
                    metadata={"quota_unit": unit},
                    headers=wait,
                )

    async def _search(self, request: web.Request) -> tuple[str, dict[str, Any]]:
        mask = _mask(request)
        fields = _fields(mask, "places.")
        content = await _json(request)
        if unknown := set(content) - SEARCH_REQUEST:
            text = f'Invalid JSON payload received. Unknown name "{sorted(unknown)[0]}": Cannot find field.'
            raise Refusal(400, "INVALID_ARGUMENT", text)
        start, places = self._page(content)
        size = min(_size(content) or PAGE_SIZE, PAGE_SIZE)
        answer: dict[str, Any] = {}
        if visible := places[start : start + size]:
            answer["places"] = [_masked(place, fields) for place in visible]
        if start + size < len(places) and "nextPageToken" in mask:
            token = secrets.token_urlsafe(24)
            self._queries[token] = (_terms(content), places)
            answer["nextPageToken"] = f"{token}.{start + size}"
        return f"{TEXT_SEARCH}_{_tier(fields)}", answer

    def _page(self, content: dict[str, Any]) -> tuple[int, list[InventedPlace]]:
        """Where the page begins, and all places of the query."""
        token = content.get("pageToken")
        if not token:
            return 0, self._matches(content)
        name, _, start = str(token).rpartition(".")
        terms, places = self._queries.get(name, ("", []))
        if not terms or not start.isdigit():
            raise Refusal(400, "INVALID_ARGUMENT", "The page token is invalid or has expired.")
        if terms != _terms(content):
            text = "Request parameters do not match those of the page token."
            raise Refusal(400, "INVALID_ARGUMENT", text)
        return int(start), places

    def _matches(self, content: dict[str, Any]) -> list[InventedPlace]:
        query = content.get("textQuery")
        if not isinstance(query, str) or not query.strip():
            raise Refusal(400, "INVALID_ARGUMENT", "Empty text_query.")
        if "locationBias" in content and "locationRestriction" in content:
            text = "Only one of location_bias and location_restriction can be set."
            raise Refusal(400, "INVALID_ARGUMENT", text)
        matches: Iterable[InventedPlace] = self.city.find(query)
        if restriction := content.get("locationRestriction"):
            south, west, north, east = _rectangle(restriction)
            matches = (
                place
                for place in matches
                if south <= place.latitude <= north and _between(west, place.longitude, east)
            )
        # By relevance, which has nothing to do with where a place is.
        return sorted(matches, key=lambda place: place.relevance)[:QUERY_LIMIT]

    async def _details(self, request: web.Request) -> tuple[str, dict[str, Any]]:
        fields = _fields(_mask(request), "")
        place = self.city.by_id.get(request.match_info["place_id"])
        if place is None:
            raise Refusal(404, "NOT_FOUND", "The Place ID is no longer valid.")
        return f"{DETAILS}_{_tier(fields)}", _masked(place, fields)


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _mask(request: web.Request) -> list[str]:
    text = request.headers.get("X-Goog-FieldMask") or request.query.get("fields", "")
    if not text.strip():
        raise Refusal(
            400,
            "INVALID_ARGUMENT",
            "FieldMask is a required parameter. See how to provide it at the top of the documentation.",
        )
    return text.split(",")


def _fields(mask: list[str], prefix: str) -> set[str]:
    known = ID_FIELDS | PRO_FIELDS | ENTERPRISE_FIELDS
    fields = {name.removeprefix(prefix).partition(".")[0] for name in mask if name.startswith(prefix)}
    fields.discard("nextPageToken")
    strange = [name for name in mask if not name.startswith(prefix) and name != "nextPageToken"]
    if strange or (unknown := sorted(fields - known)):
        name = strange[0] if strange else unknown[0]
        raise Refusal(400, "INVALID_ARGUMENT", f"Error expanding 'fields' parameter: {name}")
    return fields


def _tier(fields: set[str]) -> str:
    return next(name for name, tier in reversed(TIERS) if fields & tier or name == "ids")


async def _json(request: web.Request) -> dict[str, Any]:
    try:
        content = orjson.loads(await request.read())
    except orjson.JSONDecodeError:
        raise Refusal(400, "INVALID_ARGUMENT", "Invalid JSON payload received.") from None
    if not isinstance(content, dict):
        raise Refusal(400, "INVALID_ARGUMENT", "Invalid JSON payload received.")
    return content


def _size(content: dict[str, Any]) -> int:
    size = content.get("pageSize", 0)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise Refusal(400, "INVALID_ARGUMENT", "page_size must not be negative.")
    return size


def _terms(content: dict[str, Any]) -> str:
    """What must be the same on every page of a query."""
    free = ("pageToken", "pageSize", "maxResultCount")
    return orjson.dumps(
        {k: v for k, v in content.items() if k not in free}, option=orjson.OPT_SORT_KEYS
    ).decode()


def _rectangle(restriction: Any) -> tuple[float, float, float, float]:
    try:
        low, high = restriction["rectangle"]["low"], restriction["rectangle"]["high"]
        sides = (low["latitude"], low["longitude"], high["latitude"], high["longitude"])
        south, west, north, east = map(float, sides)
    except (KeyError, TypeError, ValueError):
        raise Refusal(400, "INVALID_ARGUMENT", "Invalid location_restriction.") from None
    is_on_earth = all(abs(side) <= 90 for side in (south, north)) and all(
        abs(side) <= 180 for side in (west, east)
    )
    if not is_on_earth or south > north or not all(map(math.isfinite, (south, west, north, east))):
        raise Refusal(400, "INVALID_ARGUMENT", "Invalid rectangle viewport: low exceeds high.")
    return south, west, north, east


def _between(west: float, longitude: float, east: float) -> bool:
    return west <= longitude <= east if west <= east else longitude >= west or longitude <= east


def _masked(place: InventedPlace, fields: set[str]) -> dict[str, Any]:
    return {name: value for name, value in place.to_json().items() if name in fields}


@asynccontextmanager
async def serve_google_places(server: GooglePlacesServer) -> AsyncIterator[GooglePlacesServer]:
    """Serve on a free port of loopback; `server.port` tells which."""
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", server.port).start()
        server.port = runner.addresses[0][1]
        yield server
    finally:
        await runner.cleanup()
