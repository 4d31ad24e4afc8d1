"""Deliveries of one destination travel together, wait as long as it asks, and stop while it keeps failing."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from fakes import FakeDestination
from scrapersky.destinations import DeliveryPayload
from scrapersky.destinations.api_request import DestinationGone, is_service_fault
from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.errors import DestinationError
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker
from scrapersky.stage_context.delivery_sender import DeliverySender

HERE, THERE = uuid.uuid4(), uuid.uuid4()


class Batches(FakeDestination):
    """Takes batches; `answers` are raised one after the other."""

    batch_size = 3

    def __init__(self, *answers: Exception | None) -> None:
        super().__init__()
        self.batches: list[list[str]] = []
        self.answers = list(answers)

    async def deliver_batch(self, payloads: Sequence[DeliveryPayload]) -> dict[uuid.UUID, Any]:
        self.batches.append([str(payload.contact["email"]) for payload in payloads])
        if self.answers and (answer := self.answers.pop(0)):
            raise answer
        return {
            payload.delivery_id: Discard("not this one") if payload.contact["email"] == "bad" else "id"
            for payload in payloads
        }


def payload(email: str, destination_id: uuid.UUID = HERE, **more: Any) -> DeliveryPayload:
    return DeliveryPayload(
        "crm", "CRM", {"email": email}, uuid.uuid4(), uuid.uuid4(), destination_id=destination_id, **more
    )


async def send_all(sender: DeliverySender, *payloads: DeliveryPayload) -> list[Any]:
    return await asyncio.gather(*map(sender.send, payloads), return_exceptions=True)


async def test_what_arrives_together_for_one_destination_is_one_batch() -> None:
    crm = Batches()
    answers = await send_all(
        DeliverySender({"crm": crm}), *map(payload, "abcd"), payload("e", THERE), payload("bad")
    )
    assert sorted(map(sorted, crm.batches)) == [["a", "b", "c"], ["bad", "d"], ["e"]]
    assert answers[:5] == ["id"] * 5
    assert isinstance(answers[5], Discard)


async def test_an_error_of_a_call_is_that_of_each_row_and_of_no_other_destination() -> None:
    crm = Batches(DestinationError("away"))
    sender = DeliverySender({"crm": crm})
    first = await send_all(sender, payload("a"), payload("b"))
    assert [str(error) for error in first] == ["away", "away"]
    assert await send_all(sender, payload("c")) == ["id"]


async def test_a_destination_that_asks_to_wait_is_not_called_meanwhile() -> None:
    crm = Batches(Snooze("busy", wait=timedelta(seconds=30)))
    sender = DeliverySender({"crm": crm})
    [asked] = await send_all(sender, payload("a"))
    [later] = await send_all(sender, payload("b"))
    assert isinstance(asked, Snooze)
    assert isinstance(later, Snooze)
    assert later.wait is not None
    assert timedelta(seconds=25) < later.wait <= timedelta(seconds=30)
    assert crm.batches == [["a"]]


@pytest.mark.req("R269")
async def test_a_destination_that_keeps_failing_is_left_alone_and_tried_again() -> None:
    crm = Batches(*[DestinationError("away")] * 2)
    changes: list[tuple[str, str]] = []

    async def note(circuit: CircuitBreaker) -> None:
        changes.append((circuit.name, circuit.reason))

    def circuit(name: str) -> CircuitBreaker:
        moment = timedelta(seconds=0.2)
        return CircuitBreaker(name, failures=2, open_for=moment, counts=is_service_fault, on_change=note)

    sender = DeliverySender({"crm": crm}, circuit=circuit)
    for _ in range(2):
        await send_all(sender, payload("a"))
    [refused] = await send_all(sender, payload("b"))
    assert isinstance(refused, Snooze)
    assert await send_all(sender, payload("c", THERE)) == ["id"], "another destination is called"
    await asyncio.sleep(0.25)
    assert await send_all(sender, payload("d")) == ["id"]
    assert crm.batches == [["a"], ["a"], ["c"], ["d"]]
    assert [reason for _, reason in changes] == ["away", ""]
    assert changes[0][0] == f"crm {str(HERE)[:8]}", "no name of a tenant's destination"


async def test_one_that_is_gone_is_switched_off() -> None:
    ended: list[tuple[str, str]] = []

    async def end(payload: DeliveryPayload, reason: str) -> None:
        ended.append((payload.destination, reason))

    sender = DeliverySender({"crm": Batches(DestinationGone("HTTP 410"))}, switch_off=end)
    [error] = await send_all(sender, payload("a"))
    assert isinstance(error, Discard)
    assert ended == [("CRM", "HTTP 410")]


async def test_a_row_that_is_cancelled_does_not_stop_the_others() -> None:
    crm = Batches()
    sender = DeliverySender({"crm": crm})
    lost = asyncio.create_task(sender.send(payload("a")))
    kept = asyncio.create_task(sender.send(payload("b")))
    await asyncio.sleep(0)
    lost.cancel()
    assert await kept == "id"
    assert crm.batches == [["b"]]


async def test_a_deletion_needs_a_destination_that_can_delete() -> None:
    with pytest.raises(Discard, match="Nothing can be deleted"):
        await DeliverySender({"crm": Batches()}).send(payload("a", is_deletion=True))
