"""The protocol of a destination, and what it receives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from uuid import UUID

if TYPE_CHECKING:
    from scrapersky.fetch.client import Fetcher


@dataclass(frozen=True, slots=True)
class DeliveryPayload:
    """One contact for one destination; `contact` has the columns of `CONTACT_COLUMNS`.

    `delivery_id` is the same in every attempt, so a destination can recognise a repeated delivery.
    """

    kind: str
    destination: str
    contact: Mapping[str, Any]
    delivery_id: UUID
    tenant_id: UUID
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DestinationContext:
    """What destinations are built from: the folder for files, and the HTTP client."""

    folder: Path
    default_tenant: UUID
    fetcher: Fetcher | None = None


class Destination(Protocol):
    """Takes one contact at a time; delivering the same payload twice must do no harm."""

    # The kind in the table `destinations`.
    kind: ClassVar[str]

    def __init__(self, context: DestinationContext) -> None: ...

    async def deliver(self, payload: DeliveryPayload) -> str:
        """Deliver the contact; returns its identifier at the destination."""
        ...
