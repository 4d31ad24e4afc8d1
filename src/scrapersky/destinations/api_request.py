"""One call of a service that takes contacts: bounded, without redirects, every refusal an error."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.errors import DestinationError
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import Failure
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.limits import KIB, Limits
from scrapersky.fetch.page import Page

ANSWER = Limits(body=64 * KIB, deadline=20.0, first_byte=20.0)
# HubSpot repeats what it stored for each of 100 contacts.
LONG_ANSWER = Limits(body=2 * 1024 * KIB, deadline=30.0, first_byte=30.0)
DEFAULT_WAIT = timedelta(minutes=1)
MAX_MESSAGE = 300
# The other side could not read the request in time, or does not want it yet.
TRANSIENT = frozenset({408, 421, 425})


class KeyRefused(Discard):
    """The destination refused our key."""


class DestinationGone(Discard):
    """The destination answered that it does not exist any more."""


class Refused(Discard):
    """The destination will not accept this as it is."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def is_service_fault(error: BaseException) -> bool:
    """What a circuit breaker counts: cuts, errors of the other side, and a key that it refuses."""
    if isinstance(error, KeyRefused):
        return True
    return isinstance(error, DestinationError | Failure | TimeoutError) and not isinstance(
        error, Discard | Snooze
    )


class Pace:
    """At most one call in so many seconds, for all that wait in this process."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._next = seconds, 0.0

    async def wait(self) -> None:
        clock = asyncio.get_running_loop()
        turn = max(self._next, clock.time())
        self._next = turn + self._seconds
        await asyncio.sleep(turn - clock.time())


async def call_service(
    fetcher: Fetcher | None,
    method: str,
    url: str,
    *,
    service: str,
    headers: Mapping[str, str] | None = None,
    content: Any = None,
    body: bytes | None = None,
    limits: Limits = ANSWER,
) -> Page:
    """The answer of a successful call; `content` is sent as JSON. Everything else is raised."""
    if fetcher is None:
        raise Discard("This process has no HTTP client")
    sent = body if content is None else orjson.dumps(content)
    known = {"Accept": "application/json", **({} if sent is None else {"Content-Type": "application/json"})}
    answer = await fetcher.request(
        method, url, headers={**known, **(headers or {})}, body=sent, limits=limits
    )
    check_status(answer, service)
    return answer


def check_status(answer: Page, service: str) -> None:
    """4xx is permanent, 429 waits as long as the service asks, 5xx is retried, 410 is the end."""
    status = answer.status
    if 200 <= status < 300:
        return
    text = f"{service} returned HTTP {status}{_reason(answer)}"
    wait = parse_retry_after(answer.headers.get("Retry-After"), now=datetime.now(UTC))
    if status == 429 or (status == 503 and wait is not None):
        raise Snooze(text, wait=wait or DEFAULT_WAIT)
    if status == 410:
        raise DestinationGone(text)
    if status in (401, 403):
        raise KeyRefused(text)
    if 400 <= status < 500 and status not in TRANSIENT:
        raise Refused(text, status=status)
    raise DestinationError(text)


def read_json(answer: Page, service: str) -> dict[str, Any]:
    """The answer as an object; one that is none may be repaired at the other side, so it is retried."""
    try:
        value = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        raise DestinationError(f"{service} answered with something other than JSON") from None
    if not isinstance(value, dict):
        raise DestinationError(f"{service} answered with JSON that is not an object")
    return value


def _reason(answer: Page) -> str:
    """The message of the service, without what we sent."""
    try:
        value = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return ""
    message = value.get("message") if isinstance(value, dict) else None
    return f": {message[:MAX_MESSAGE]}" if isinstance(message, str) and message else ""
