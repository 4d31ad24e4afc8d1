"""What every destination takes, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DeliveryPayload:
    """One contact for one destination; `contact` has the columns that `writing.COLUMNS` documents.

    `delivery_id` stays the same over all tries, so a destination can tell a second try from a second contact.
    """

    kind: str
    destination: str
    contact: Mapping[str, Any]
    delivery_id: UUID
    tenant_id: UUID
    options: Mapping[str, Any] = field(default_factory=dict)


class Destination(Protocol):
    """Takes one parcel; delivering the same parcel twice must do no harm."""

    async def deliver(self, parcel: DeliveryPayload) -> str:
        """Hand it over; gives the name by which the destination knows the contact."""
        ...
