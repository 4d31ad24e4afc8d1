"""The protocol of a destination, and what it receives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable
from uuid import UUID

if TYPE_CHECKING:
    from scrapersky.fetch.client import Fetcher

HUBSPOT_URL, BREVO_URL = "https://api.hubapi.com", "https://api.brevo.com/v3"
HUBSPOT_VERSION = "2026-09"


@dataclass(frozen=True, slots=True)
class DeliveryPayload:
    """One contact for one destination; `contact` has the columns of `CONTACT_COLUMNS`.

    `delivery_id` is the same in every attempt, so a destination can recognise a repeated delivery. A deletion
    has no contact: only `external_id` says whom the destination is to delete.
    """

    kind: str
    destination: str
    contact: Mapping[str, Any]
    delivery_id: UUID
    tenant_id: UUID
    options: Mapping[str, Any] = field(default_factory=dict)
    destination_id: UUID | None = None
    # The newest first; the one before it is valid while it is being replaced.
    secrets: tuple[str, ...] = field(default=(), repr=False)
    external_id: str | None = None
    is_deletion: bool = False

    @property
    def secret(self) -> str:
        return self.secrets[0] if self.secrets else ""


@dataclass(frozen=True, slots=True)
class SkippedDelivery:
    """A delivery that is not needed, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class DestinationContext:
    """What destinations are built from: the folder for files, the HTTP client, and addresses of services."""

    folder: Path
    default_tenant: UUID
    fetcher: Fetcher | None = None
    hubspot_url: str = HUBSPOT_URL
    hubspot_version: str = HUBSPOT_VERSION
    brevo_url: str = BREVO_URL


class Destination(Protocol):
    """Takes one contact at a time; delivering the same payload twice must do no harm."""

    # The kind in the table `destinations`.
    kind: ClassVar[str]

    def __init__(self, context: DestinationContext) -> None: ...

    async def deliver(self, payload: DeliveryPayload) -> str:
        """Deliver the contact; returns its identifier at the destination."""
        ...


# For each delivery the identifier at the destination, or why this contact was not accepted.
BatchResult = Mapping[UUID, str | Exception]


@runtime_checkable
class BatchDestination(Protocol):
    """A destination that also takes several contacts in one call."""

    batch_size: ClassVar[int]

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> BatchResult:
        """Deliver contacts for one row of `destinations`; an error that is raised concerns all of them."""
        ...


@runtime_checkable
class CheckedDestination(Protocol):
    """A destination that can be tested without delivering a contact of anybody."""

    async def check(self, payload: DeliveryPayload) -> str:
        """Call the destination with an invented contact; returns what it found, or raises."""
        ...


@runtime_checkable
class DeletingDestination(Protocol):
    """A destination from which a contact can be deleted again."""

    async def delete(self, payload: DeliveryPayload) -> str: ...
