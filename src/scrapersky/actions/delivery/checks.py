"""Tests a destination with an invented contact, without delivering anybody's data."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.delivery.destination_secrets import decrypt_secrets
from scrapersky.destinations import DeliveryPayload, Destination
from scrapersky.destinations.destination import CheckedDestination
from scrapersky.destinations.field_map import SOURCE_COLUMNS, mapped_values
from scrapersky.engine.outcome import Discard, RetryAfter, Snooze, reason_of
from scrapersky.errors import ScraperSkyError
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.queries.installation.integrations import FAILED, OK, TIMEOUT_SECONDS, IntegrationResult
from scrapersky.secret_key import SecretKey

# Every column has a value, so that every property of the mapping is tested.
SAMPLE = dict.fromkeys(SOURCE_COLUMNS, "sample") | {
    "email": "sample@example.com",
    "name": "Sample Contact",
    "phone_number": "+442079460000",
    "phone_type": "mobile",
    "domain": "example.com",
    "source_url": "https://example.com/contact",
}


def sample_payload(row: Mapping[str, Any], tenant_id: UUID, secrets: tuple[str, ...]) -> DeliveryPayload:
    return DeliveryPayload(
        row["kind"],
        row["name"],
        {**SAMPLE, "id": uuid4()},
        uuid4(),
        tenant_id,
        row["options"],
        destination_id=row["id"],
        secrets=secrets,
    )


def preview_fields(row: Mapping[str, Any], tenant_id: UUID) -> dict[str, Any]:
    """An invented contact as the destination would get it."""
    return mapped_values(sample_payload(row, tenant_id, ()))


async def check_destination(
    engine: AsyncEngine,
    actor: Actor,
    key: SecretKey,
    destinations: Mapping[str, Destination],
    destination_id: UUID,
) -> IntegrationResult:
    """Call the destination once; gives whether it accepts us, and why not."""
    query = DestinationQuery(engine, actor.tenant_id)
    row = await query.show(destination_id)
    async with engine.begin() as connection:
        await record(connection, actor, "destination.test", table="destinations", row_id=destination_id)
    destination = destinations[row["kind"]]
    if not isinstance(destination, CheckedDestination):
        return IntegrationResult(row["name"], OK, "there is nothing to test")
    try:
        encrypted = await query.encrypted_secret(destination_id)
        secrets = decrypt_secrets(key, destination_id, encrypted)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            answer = await destination.check(sample_payload(row, actor.tenant_id, secrets))
    except TimeoutError:
        return IntegrationResult(row["name"], FAILED, f"no answer within {TIMEOUT_SECONDS} s")
    except (ScraperSkyError, Snooze, Discard, RetryAfter, OSError) as error:
        return IntegrationResult(row["name"], FAILED, reason_of(error))
    status, _, message = answer.partition(": ")
    return (
        IntegrationResult(row["name"], OK, message)
        if status == OK
        else IntegrationResult(row["name"], FAILED, answer)
    )
