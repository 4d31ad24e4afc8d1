"""Parses dates and priorities of sitemaps and feeds; None when they are invalid."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

# Outside these years a date is a mistake, and some databases cannot give it back.
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
_PARTIAL = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.](\d{1,2}))?")
_LOOSE_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]?(\d\d:\d\d(?::\d\d)?)?(?:[.,]\d+)?\s?(Z|[+-]\d\d:?\d\d)?", re.I
)
_SPACES = re.compile(r"\s*+([+-])\s*+(?=\d\d:?\d\d$)")


@lru_cache(maxsize=8_192)
def parse_date(text: str) -> datetime | None:
    """The moment a lastmod, updated or pubDate names; UTC when it names no zone; never raises."""
    text = text.strip()
    if not 4 <= len(text) <= 64:
        return None
    date = _iso(text) or _loose(text) or _mail(text)
    if date is None:
        return None
    try:
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        aware = aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return aware if _FIRST_YEAR <= aware.year <= _LAST_YEAR else None


def _iso(text: str) -> datetime | None:
    if not text[:4].isdecimal():
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _loose(text: str) -> datetime | None:
    if not text[:4].isdecimal():
        return None
    if match := _PARTIAL.fullmatch(text):
        return _iso(f"{match[1]}-{match[2] or '01':0>2}-{match[3] or '01':0>2}")
    match = _LOOSE_TIME.match(_SPACES.sub(r"\1", text))
    return _iso(f"{match[1]}T{match[2] or '00:00'}{match[3] or ''}") if match else None


def _mail(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


@lru_cache(maxsize=1_024)
def priority(text: str) -> float | None:
    """A priority clamped to 0..1; None when it is not a finite number."""
    text = text.strip().replace(",", ".")
    if len(text) > 20:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return min(1.0, max(0.0, number)) if math.isfinite(number) else None
