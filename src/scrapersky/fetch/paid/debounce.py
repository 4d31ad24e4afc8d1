"""DeBounce: asks whether a mailbox exists. Disabled without a key; a call is reserved before it is made.

The service has no call for several addresses at once that fits a queue, and allows five calls at a time.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from urllib.parse import urlencode

from scrapersky.engine.outcome import Snooze
from scrapersky.errors import ScraperSkyError
from scrapersky.fetch.client import Fetcher
from scrapersky.fetch.errors import ConnectFailed, Deferred, DNSFailed, Failure, TLSFailed
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.fetch.paid.daily_cap import DailyCap

CONCURRENT_CALLS = 5
# Four rounds of calls fit into the time limit of a batch of addresses.
TIMEOUT_SECONDS = 12.0
RETRY_AFTER = timedelta(minutes=1)
# After an outage, and after a refusal that only a person can end: a wrong key, or no credits.
OUTAGE_RETRY, REFUSAL_RETRY = timedelta(minutes=30), timedelta(hours=6)
# Failures before the call was sent.
UNSENT = (ConnectFailed, DNSFailed, TLSFailed)
MAX_BODY_BYTES = 65_536
MAX_TEXT = 200

MailboxResult = Literal["valid", "invalid", "catch-all", "unknown", "disposable"]

# The result codes that DeBounce publishes: what each says about the mailbox, and how sure that is.
CODES: dict[str, tuple[MailboxResult, int]] = {
    "1": ("invalid", 0),  # not an address
    "2": ("invalid", 0),  # a spam trap, which must never be written to
    "3": ("disposable", 5),
    "4": ("catch-all", 50),  # the domain takes mail for any name
    "5": ("valid", 100),
    "6": ("invalid", 0),  # the server refuses the mailbox
    "7": ("unknown", 50),  # the server could not be asked
    "8": ("valid", 60),  # a role address
}
# The words beside a code; they decide alone where the code is one that is not published.
RESULTS: dict[str, tuple[MailboxResult, int]] = {
    "safe to send": ("valid", 90),
    "deliverable": ("valid", 90),
    "invalid": ("invalid", 0),
    "risky": ("catch-all", 50),
    "disposable": ("disposable", 5),
}


class MailboxNotAsked(ScraperSkyError):
    """DeBounce could not be asked; what is known without it stands.

    It may be asked again after `retry_in`; never automatically where the call may have been charged.
    """

    def __init__(self, reason: str, *, retry_in: timedelta | None = None) -> None:
        super().__init__(reason)
        self.retry_in = retry_in


class DebounceFailed(Failure):
    """DeBounce failed."""

    failure_class = "debounce_failed"


class DebounceCut(DebounceFailed):
    """DeBounce got the call and may have charged it, but its answer did not arrive."""

    failure_class = "debounce_cut"


class DebounceRefused(Failure):
    """DeBounce rejected the key or its account has no credits left; check DEBOUNCE_API_KEY."""

    failure_class = "debounce_refused"


class DebounceBusy(Deferred):
    """DeBounce is busy."""

    failure_class = "debounce_busy"


class DailyCapReached(Failure):
    """The calls of today are used up."""

    failure_class = "daily_cap_reached"


@dataclass(frozen=True, slots=True)
class DebounceOptions:
    """`repr` hides the key."""

    key: str = field(repr=False)
    address: str = "https://api.debounce.io/v1/"
    timeout_seconds: float = TIMEOUT_SECONDS

    @property
    def limits(self) -> Limits:
        seconds = self.timeout_seconds
        return Limits(body=MAX_BODY_BYTES, deadline=seconds, first_byte=seconds)

    def url(self, path: str = "", **params: str) -> str:
        return f"{self.address}{path}?{urlencode({'api': self.key, **params})}"


@dataclass(frozen=True, slots=True)
class MailboxAnswer:
    result: MailboxResult
    score: int
    reason: str
    suggestion: str | None = None


def is_debounce_failure(error: BaseException) -> bool:
    """Whether the service itself failed, which opens its circuit."""
    return isinstance(error, DebounceFailed | DebounceRefused)


class Debounce:
    """One per process: it keeps to the number of calls that the service allows at a time."""

    def __init__(
        self, fetcher: Fetcher, options: DebounceOptions, cap: DailyCap, circuit: CircuitBreaker
    ) -> None:
        self._fetcher, self._options, self._cap, self._circuit = fetcher, options, cap, circuit
        self._slots = asyncio.Semaphore(CONCURRENT_CALLS)

    async def check(self, email: str) -> MailboxAnswer:
        """What DeBounce says about a mailbox; MailboxNotAsked, or DebounceBusy when it wants us to wait."""
        try:
            async with self._slots, self._circuit:
                if not await self._cap.take():
                    raise DailyCapReached(f"the daily cap of {self._cap.limit:,} calls is reached")
                return await self._call(email)
        except DebounceBusy:
            raise
        except (Failure, Snooze) as why:
            raise MailboxNotAsked(str(why), retry_in=_retry_in(why)) from None

    async def _call(self, email: str) -> MailboxAnswer:
        try:
            response = await self._fetcher.request(
                "GET", self._options.url(email=email), limits=self._options.limits
            )
        except Failure as failure:
            if isinstance(failure, UNSENT):
                await self._cap.give_back()
                raise DebounceFailed(f"DeBounce: {failure}") from None
            # A call that was cut may have been charged, so it stays counted.
            raise DebounceCut(f"DeBounce: {failure}; the call may have been charged") from None
        try:
            return _read(response)
        except (DebounceBusy, DebounceRefused):
            await self._cap.give_back()
            raise


def _retry_in(why: Failure | Snooze) -> timedelta | None:
    """By the class of the failure; a call that may have been charged is not repeated."""
    if isinstance(why, DebounceCut):
        return None
    if isinstance(why, DailyCapReached):
        now = datetime.now(UTC)
        tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=5, second=0, microsecond=0)
        return tomorrow - now
    if isinstance(why, DebounceRefused):
        return REFUSAL_RETRY
    return OUTAGE_RETRY


async def check_debounce(fetcher: Fetcher, options: DebounceOptions | None) -> str:
    """Whether DeBounce accepts our key and has credits left; costs nothing, and never shows the key."""
    if options is None:
        return "not configured"
    try:
        response = await fetcher.request("GET", options.url("balance/"), limits=options.limits)
    except Failure as failure:
        return f"unreachable: {failure.failure_class}"
    if response.status != 200:
        return f"answered {response.status}"
    balance = _number(_document(response).get("balance"))
    if balance is None:
        return "answered without a balance"
    return "ok" if balance > 0 else "no credits left"


def _read(response: Page) -> MailboxAnswer:
    _raise_failure(response)
    document = _document(response)
    fields = document.get("debounce")
    if not isinstance(fields, dict):
        raise DebounceFailed("DeBounce gave an answer that cannot be read")
    if str(document.get("success")) != "1":
        error = _text(fields.get("error")) or "no reason"
        refused = DebounceRefused if "api" in error.lower() or "credit" in error.lower() else DebounceFailed
        raise refused(f"DeBounce refused the call: {error}")
    return _answer(fields)


def _answer(fields: dict[str, Any]) -> MailboxAnswer:
    """The more careful of code and word: an address is valid only if neither contradicts."""
    code, word = _text(fields.get("code")), _text(fields.get("result"))
    unknown: tuple[MailboxResult, int] = ("unknown", 50)
    by_word = RESULTS.get(word.lower(), unknown)
    result, score = CODES.get(code, by_word)
    if result == "valid" and by_word[0] != "valid":
        result, score = by_word
    details = [word or "no result", *filter(None, [_text(fields.get("reason"))])]
    if code not in CODES:
        details.append(f"code {code or 'missing'}, which is not a published one")
    suggestion = _text(fields.get("did_you_mean"))
    meant = suggestion if "@" in suggestion else None
    return MailboxAnswer(result, score, f"DeBounce: {', '.join(dict.fromkeys(details))}", meant)


def _raise_failure(response: Page) -> None:
    if response.status in (401, 402, 403):
        raise DebounceRefused(
            f"DeBounce rejected the key or has no credits left (HTTP {response.status}); "
            "check DEBOUNCE_API_KEY"
        )
    wait = parse_retry_after(response.headers.get("Retry-After"), now=datetime.now(UTC))
    if response.status == 429 or (response.status == 503 and wait is not None):
        raise DebounceBusy(wait=wait or RETRY_AFTER)
    if response.status != 200:
        raise DebounceFailed(f"DeBounce returned HTTP {response.status}")


def _document(response: Page) -> dict[str, Any]:
    try:
        document = json.loads(response.body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _text(value: Any) -> str:
    return str(value).strip()[:MAX_TEXT] if isinstance(value, str | int) else ""


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
