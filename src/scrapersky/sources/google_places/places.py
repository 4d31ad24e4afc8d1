"""Google's JSON of a place becomes a listed place."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from scrapersky.extract.phones.numbers import read_number
from scrapersky.sources.source import ListedPlace

# Google allows coordinates to be kept for 30 days; all its fields but the place id go with them.
KEEP_FIELDS = timedelta(days=30)
ATTRIBUTION = "Google Maps"
CLOSED = "CLOSED_PERMANENTLY"


def listed_place(place: dict[str, Any], *, fetched_at: datetime) -> ListedPlace | None:
    """None if Google gives no id or name, or says that the business is closed for good."""
    place_id, name = _text(place, "id"), _text(place.get("displayName"), "text")
    if not place_id or not name or place.get("businessStatus") == CLOSED:
        return None
    address = place.get("postalAddress")
    lines = address.get("addressLines") if isinstance(address, dict) else None
    country = _text(address, "regionCode")
    return ListedPlace(
        place_id=place_id[:300],
        name=name[:500],
        category=_text(place, "primaryType", 200),
        address=_text(place, "formattedAddress", 1_000),
        street=str(lines[0])[:300] if isinstance(lines, list) and lines else None,
        city=_text(address, "locality"),
        state=_text(address, "administrativeArea"),
        postcode=_text(address, "postalCode"),
        country=country,
        latitude=_number(place.get("location"), "latitude", 90),
        longitude=_number(place.get("location"), "longitude", 180),
        phone=_phone(place, country),
        website=_text(place, "websiteUri", 2_048),
        rating=_number(place, "rating", 5),
        reviews=_count(place.get("userRatingCount")),
        attribution=_attribution(place),
        expires_at=fetched_at + KEEP_FIELDS,
    )


def _text(values: Any, name: str, limit: int = 300) -> str | None:
    value = values.get(name) if isinstance(values, dict) else None
    text = " ".join(value.replace("\x00", " ").split()) if isinstance(value, str) else ""
    return text[:limit] or None


def _number(values: Any, name: str, limit: float) -> float | None:
    value = values.get(name) if isinstance(values, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) <= limit else None


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < 2**31 else None


def _phone(place: dict[str, Any], country: str | None) -> str | None:
    """In E.164; a number that cannot be dialled is left out."""
    texts = [_text(place, name, 50) for name in ("internationalPhoneNumber", "nationalPhoneNumber")]
    numbers = (read_number(text, country) for text in texts if text)
    return next((number.e164 for number in numbers if number), None)


def _attribution(place: dict[str, Any]) -> str:
    """Google's name, and the providers of the data that it asks to be named."""
    notes = place.get("attributions")
    providers = [_text(note, "provider", 100) for note in notes] if isinstance(notes, list) else []
    return "; ".join([ATTRIBUTION, *(name for name in providers[:10] if name)])
