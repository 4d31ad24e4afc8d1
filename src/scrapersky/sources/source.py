"""The protocol of a source, and the places that every source returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Protocol

_CONTACT_FIELDS = (
    *("email", "emails", "person", "job_title", "phone", "socials"),
    *("confidence", "file", "line", "record_url"),
)
_ORIGIN_FIELDS = ("country", "record_url", "licence", "attribution")
_LISTING_FIELDS = ("categories", "socials", "confidence", "record_url", "licence", "attribution")
# A search that finds more is too wide to be worked through; it is refused, not cut.
MAX_PLACES = 100_000


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
    # What a source lists besides: further addresses, profiles, categories, and how sure it is of the place.
    emails: tuple[str, ...] = ()
    socials: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    confidence: float | None = None
    # The record that says all this, its licence, and whom to name for it.
    record_url: str | None = None
    licence: str | None = None
    attribution: str | None = None
    # Where it was listed, for sources that are files.
    file: str | None = None
    line: int | None = None
    expires_at: datetime | None = None
    # The record as it was published, for sources whose licence asks that it be kept apart.
    raw: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The fields that are set, as JSON can hold them."""
        names = [column.name for column in fields(self) if column.name not in ("raw", "expires_at")]
        values = {name: getattr(self, name) for name in names}
        if self.expires_at:
            values["expires_at"] = self.expires_at.isoformat()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if value is not None and value != ()
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ListedPlace:
        """The place that `to_json` was called on."""
        names = {column.name for column in fields(cls)} - {"raw"}
        known = {name: value for name, value in values.items() if name in names}
        known |= {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        if known.get("expires_at"):
            known["expires_at"] = datetime.fromisoformat(known["expires_at"])
        return cls(**known)

    def contact(self) -> dict[str, Any]:
        """The person or addresses that the source names for the business; empty if it names none."""
        if not (self.email or self.emails or (self.person and self.phone)):
            return {}
        values = self.to_json()
        return {name: values[name] for name in _CONTACT_FIELDS if name in values}

    def listing(self) -> dict[str, Any]:
        """What else the source says of the place, and whom to name for it; empty for most sources."""
        values = self.to_json()
        return {name: values[name] for name in _LISTING_FIELDS if name in values}

    def origin(self) -> dict[str, Any]:
        """Where the place comes from, without what its record says."""
        values = self.to_json()
        return {name: values[name] for name in _ORIGIN_FIELDS if name in values}


class Source(Protocol):
    """Searches for a kind of business in a location, and returns the details of a place.

    A source with `keeps_records` has the record of every place, `ListedPlace.raw`, stored in `osm_elements`.
    """

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]: ...

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace: ...
