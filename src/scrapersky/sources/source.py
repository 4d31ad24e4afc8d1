"""What every source gives: places as they were listed, with the same names whoever lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Found:
    """One listed place; `expires_at` is set by sources whose terms limit how long it may be kept."""

    place_id: str
    name: str
    category: str | None = None
    address: str | None = None
    street: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    country: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    phone: str | None = None
    website: str | None = None
    rating: float | None = None
    reviews: int | None = None
    email: str | None = None
    person: str | None = None
    job_title: str | None = None
    # Where it was listed, for sources that are files.
    file: str | None = None
    line: int | None = None
    expires_at: datetime | None = None
    raw: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """Searches for a kind of business in a place, and tells more about one that was found."""

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[Found]: ...

    async def details(self, place_id: str, raw: dict[str, Any]) -> Found: ...


def found_from(raw: dict[str, Any]) -> Found:
    """A place from the plain values that `plain` made of it."""
    names = Found.__dataclass_fields__
    return Found(**{name: value for name, value in raw.items() if name in names and name != "raw"})


def plain(found: Found) -> dict[str, Any]:
    """A place as JSON can hold it."""
    values = {
        name: getattr(found, name) for name in Found.__dataclass_fields__ if name not in ("raw", "expires_at")
    }
    return {name: value for name, value in values.items() if value is not None}


def listed_contact(found: Found) -> dict[str, Any]:
    """The person and address that a list names for a business, and where; empty when it names none."""
    if not (found.email or (found.person and found.phone)):
        return {}
    names = ("email", "person", "job_title", "phone", "file", "line")
    return {name: value for name in names if (value := getattr(found, name)) is not None}
