"""The protocol of a source, and the places that every source returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """A place as a source lists it; `expires_at` is for sources whose terms limit how long it may be kept."""

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

    def to_json(self) -> dict[str, Any]:
        """The fields that are set, as JSON can hold them."""
        names = [column.name for column in fields(self) if column.name not in ("raw", "expires_at")]
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ListedPlace:
        """The place that `to_json` was called on."""
        names = {column.name for column in fields(cls)} - {"raw"}
        return cls(**{name: value for name, value in values.items() if name in names})

    def contact(self) -> dict[str, Any]:
        """The person or address that the source names for the business; empty if it names none."""
        if not (self.email or (self.person and self.phone)):
            return {}
        names = ("email", "person", "job_title", "phone", "file", "line")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class Source(Protocol):
    """Searches for a kind of business in a location, and returns the details of a place."""

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]: ...

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace: ...
