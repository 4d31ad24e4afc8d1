"""Delivery → the world: one contact to one destination, and the name it has there."""

from __future__ import annotations

from uuid import uuid4

import pytest

from fakes import FakeDestination, FakePayloads, context, item
from scrapersky.destinations import DeliveryPayload, SkippedDelivery
from scrapersky.engine.outcome import Discard
from scrapersky.engine.stage import Item
from scrapersky.errors import DestinationError
from scrapersky.stage_context.delivery_sender import DeliverySender
from scrapersky.stages import deliver

PAYLOAD = DeliveryPayload("crm", "our crm", {"email": "hello@lune.co.uk"}, uuid4(), uuid4())


def delivery() -> Item:
    return item(action="upsert", contact_id=uuid4(), destination_id=uuid4(), external_id=None)


async def test_a_payload_is_delivered_and_its_name_there_is_kept() -> None:
    crm = FakeDestination()

    done = await deliver.run(
        delivery(), context(payloads=FakePayloads(PAYLOAD), sender=DeliverySender({"crm": crm}))
    )

    assert crm.got == [PAYLOAD]
    assert done.fields["external_id"] == "contact-1"
    assert done.fields["delivered_at"].tzinfo is not None


async def test_a_delivery_that_is_not_needed_is_skipped_with_its_reason() -> None:
    crm = FakeDestination()
    sender = DeliverySender({"crm": crm})
    done = await deliver.run(
        delivery(), context(payloads=FakePayloads(SkippedDelivery("they have it")), sender=sender)
    )
    assert (done.status, done.fields) == ("Skipped", {"skipped_reason": "they have it"})
    assert crm.got == []


async def test_an_unknown_kind_of_destination_fails_with_its_name() -> None:
    with pytest.raises(Discard, match="Invalid destination kind 'crm'; expected one of none"):
        await deliver.run(delivery(), context(payloads=FakePayloads(PAYLOAD), sender=DeliverySender({})))


async def test_a_destination_that_refuses_is_tried_again() -> None:
    class Full(FakeDestination):
        async def deliver(self, payload: DeliveryPayload) -> str:
            raise DestinationError("the disk is full")

    with pytest.raises(DestinationError, match="full"):
        await deliver.run(
            delivery(), context(payloads=FakePayloads(PAYLOAD), sender=DeliverySender({"crm": Full()}))
        )
