"""Parses the few response headers that matter; none is trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

MAX_WAIT = timedelta(hours=24)
_DATE = re.compile(r"[A-Za-z]{3,9}, ?[\dA-Za-z: +-]{10,40}")
_VALIDATOR = re.compile(r"[\x20-\x7e]{1,500}")


def parse_retry_after(value: str | None, *, now: datetime) -> timedelta | None:
    """The wait of Retry-After, at most 24 hours; None if it is invalid."""
    if value is None:
        return None
    text = value.strip()[:100]
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        seconds = float(text[:20]) if len(text.split(".")[0]) <= 9 else MAX_WAIT.total_seconds()
        return min(timedelta(seconds=seconds), MAX_WAIT)
    if not _DATE.fullmatch(text):
        return None
    return _until(text, now)


def _until(text: str, now: datetime) -> timedelta | None:
    try:
        moment = parsedate_to_datetime(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        wait = aware - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return min(max(wait, timedelta(0)), MAX_WAIT)


def media_type(headers: Mapping[str, str]) -> str:
    """The lower-case type without parameters, such as `text/html`; empty if missing or invalid."""
    text = headers.get("Content-Type", "")[:200].split(";", 1)[0].strip().lower()
    return text if re.fullmatch(r"[a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60}", text) else ""


def conditional_headers(etag: str | None, last_modified: str | None) -> dict[str, str]:
    """The headers of a conditional request; a stored value that could inject a header is ignored."""
    headers = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in headers.items() if value and _VALIDATOR.fullmatch(value)}
