"""Contacts sent to a workflow of n8n, which can send back what it found out about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapersky.destinations.destination import BatchResult, DeliveryPayload
from scrapersky.destinations.webhook import WebhookDestination
from scrapersky.engine.outcome import Discard

TEST_URL = "/webhook-test/"


class N8NWorkflow(WebhookDestination):
    """The option `url` is the production URL of the workflow's webhook node."""

    kind: ClassVar[str] = "n8n"
    title: ClassVar[str] = "n8n"

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> BatchResult:
        if is_test_url(str(payloads[0].options.get("url") or "")):
            raise Discard(
                "The URL is n8n's test URL, which takes one call after a click; use the production URL"
            )
        return await super().deliver_batch(payloads)

    def item(self, payload: DeliveryPayload) -> dict[str, Any]:
        return {**super().item(payload), "timestamp": datetime.now(UTC).isoformat()}


def is_test_url(url: str) -> bool:
    return TEST_URL in f"{urlsplit(url).path}/"
