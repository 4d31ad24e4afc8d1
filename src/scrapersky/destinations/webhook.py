"""Contacts posted as JSON to a URL, signed by the Standard Webhooks specification, up to 100 at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

import orjson

from scrapersky.destinations.api_request import call_service
from scrapersky.destinations.destination import BatchResult, DeliveryPayload, DestinationContext
from scrapersky.destinations.field_map import mapped_values
from scrapersky.destinations.webhook_signature import signed_headers
from scrapersky.engine.outcome import Discard

DELIVERED, DELETED, SAMPLE = "contacts.delivered", "contacts.deleted", "contacts.sample"


class WebhookDestination:
    """The option `url` is where messages go; the secret signs them.

    A message has `type`, `timestamp` and `data`: a list of contacts, each with `delivery_id`, which never
    changes, and `contact_id`. The receiver should skip ids that it has seen.
    """

    kind: ClassVar[str] = "webhook"
    batch_size: ClassVar[int] = 100
    title: ClassVar[str] = "The webhook"

    def __init__(self, context: DestinationContext) -> None:
        self._fetcher = context.fetcher

    async def deliver(self, payload: DeliveryPayload) -> str:
        return str((await self.deliver_batch([payload]))[payload.delivery_id])

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> BatchResult:
        await self._post(payloads, DELIVERED, [self.item(payload) for payload in payloads])
        return {payload.delivery_id: contact_id(payload) for payload in payloads}

    async def delete(self, payload: DeliveryPayload) -> str:
        deleted = {"delivery_id": str(payload.delivery_id), "contact_id": payload.external_id}
        await self._post([payload], DELETED, [deleted])
        return str(payload.external_id)

    async def check(self, payload: DeliveryPayload) -> str:
        await self._post([payload], SAMPLE, [self.item(payload)])
        return "ok: the URL accepted a signed sample"

    def item(self, payload: DeliveryPayload) -> dict[str, Any]:
        """One contact as the receiver gets it."""
        ids = {"delivery_id": str(payload.delivery_id), "contact_id": contact_id(payload)}
        return {**ids, **mapped_values(payload)}

    async def _post(self, payloads: Sequence[DeliveryPayload], event: str, data: list[Any]) -> None:
        first, now = payloads[0], datetime.now(UTC)
        url = str(first.options.get("url") or "")
        if not url:
            raise Discard("The destination has no URL")
        if not first.secrets:
            raise Discard("The destination has no secret to sign with")
        body = orjson.dumps({"type": event, "timestamp": now.isoformat(), "data": data}, default=str)
        headers = signed_headers(first.secrets, message_id(event, payloads), int(now.timestamp()), body)
        await call_service(self._fetcher, "POST", url, service=self.title, headers=headers, body=body)


def message_id(event: str, payloads: Sequence[DeliveryPayload]) -> str:
    """The same for the same deliveries in whatever order and attempt, and another for others."""
    ids: list[UUID] = sorted(payload.delivery_id for payload in payloads)
    digest = hashlib.sha256(event.encode() + b"".join(identifier.bytes for identifier in ids))
    return f"msg_{digest.hexdigest()[:32]}"


def contact_id(payload: DeliveryPayload) -> str:
    return str(payload.contact.get("id") or payload.delivery_id)
