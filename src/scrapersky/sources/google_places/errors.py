"""Why Google did not answer a request, one class for each remedy.

GoogleError
├── GoogleFailed                                  retried: 5xx, a timeout, an answer that is not JSON
├── QuotaExhausted · CapReached · SearchContinues snoozed
└── discarded: KeyMissing · KeyRejected · APINotEnabled · BillingDisabled · RequestRefused · PlaceGone
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.errors import SourceError
from scrapersky.fetch.http.headers import parse_retry_after
from scrapersky.fetch.page import Page

# Google's days and months begin at midnight there.
BILLING_ZONE = ZoneInfo("America/Los_Angeles")
MINUTE = timedelta(minutes=1)
MAX_TEXT = 300
KEY_REASONS = frozenset(
    {
        "API_KEY_INVALID",
        "API_KEY_EXPIRED",
        "API_KEY_SERVICE_BLOCKED",
        "API_KEY_HTTP_REFERRER_BLOCKED",
        "API_KEY_IP_ADDRESS_BLOCKED",
        "API_KEY_ANDROID_APP_BLOCKED",
        "API_KEY_IOS_APP_BLOCKED",
        "CONSUMER_INVALID",
        "CREDENTIALS_MISSING",
    }
)


class GoogleError(SourceError):
    """Google did not answer the request."""


class GoogleFailed(GoogleError):
    """Google failed."""


class KeyMissing(GoogleError, Discard):
    """GOOGLE_MAPS_API_KEY is not set; Google is searched only with a key."""


class KeyRejected(GoogleError, Discard):
    """Google rejected the key."""


class APINotEnabled(GoogleError, Discard):
    """The Places API (New) is not enabled for the project of the key."""


class BillingDisabled(GoogleError, Discard):
    """Billing is not enabled for the project of the key."""


class RequestRefused(GoogleError, Discard):
    """Google refused the request."""


class PageTokenRefused(RequestRefused):
    """The page token has expired."""


class PlaceGone(GoogleError, Discard):
    """Google no longer knows this place."""


class GoogleSnooze(GoogleError, Snooze):
    """Not now."""

    def __init__(
        self, message: str = "", *, wait: timedelta | None = None, until: datetime | None = None
    ) -> None:
        GoogleError.__init__(self, message)
        self.wait, self.until = wait, until


class QuotaExhausted(GoogleSnooze):
    """Google's quota is exhausted."""


class CapReached(GoogleSnooze):
    """The monthly cap is reached."""


class SearchContinues(GoogleSnooze):
    """The search continues."""


SETUP_ERRORS = (KeyRejected, APINotEnabled, BillingDisabled)


def is_google_failure(error: BaseException) -> bool:
    """What opens the circuit: Google fails, or refuses every request until a person does something."""
    return isinstance(error, (GoogleFailed, *SETUP_ERRORS))


def next_midnight(now: datetime) -> datetime:
    local = now.astimezone(BILLING_ZONE) + timedelta(days=1)
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


def error_from_answer(answer: Page, *, now: datetime) -> GoogleError | None:
    """None if Google answered the request."""
    if answer.status == 200:
        return None
    error = _error(answer.body)
    text = str(error.get("message") or f"HTTP {answer.status}")[:MAX_TEXT]
    infos = [info for info in error.get("details") or [] if isinstance(info, dict)]
    reasons = {str(info.get("reason")) for info in infos if info.get("reason")}
    if answer.status == 429:
        return _quota_error(answer, infos, text, now)
    if answer.status >= 500:
        return GoogleFailed(f"Google returned HTTP {answer.status}: {text}")
    if "SERVICE_DISABLED" in reasons:
        return APINotEnabled(f"Enable the Places API (New) for the project of the key. Google says: {text}")
    if "BILLING_DISABLED" in reasons or "billing" in text.casefold():
        return BillingDisabled(f"Enable billing for the project of the key. Google says: {text}")
    if reasons & KEY_REASONS or answer.status in (401, 403):
        return KeyRejected(f"Google rejected the key; check GOOGLE_MAPS_API_KEY. Google says: {text}")
    if answer.status == 404:
        return PlaceGone(f"Google no longer knows this place: {text}")
    if "page token" in text.casefold() or "page_token" in text.casefold():
        return PageTokenRefused(text)
    return RequestRefused(f"Google refused the request: {text}")


def _quota_error(answer: Page, infos: list[dict[str, Any]], text: str, now: datetime) -> QuotaExhausted:
    message = f"Google's quota is exhausted: {text}"
    units = " ".join(str(info.get("metadata")) for info in infos if info.get("metadata")) + text
    asked = parse_retry_after(answer.headers.get("Retry-After"), now=now)
    if asked is None and ("perday" in units.casefold().replace(" ", "") or "1/d/" in units):
        return QuotaExhausted(message, until=next_midnight(now))
    return QuotaExhausted(message, wait=asked or MINUTE)


def _error(body: bytes) -> dict[str, Any]:
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    error = content.get("error") if isinstance(content, dict) else None
    return error if isinstance(error, dict) else {}
