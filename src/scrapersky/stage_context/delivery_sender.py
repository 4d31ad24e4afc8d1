"""Hands deliveries to their destinations: those of one destination together, one call at a time.

The engine runs rows one by one and concurrently. CRMs take a hundred contacts in one call and allow few
calls, so the deliveries that arrive within a few milliseconds for one destination are sent as one batch. Each
row still gets its own answer, so retries, fencing and dead letters stay the engine's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from scrapersky.destinations import DeliveryPayload, Destination
from scrapersky.destinations.api_request import DestinationGone, is_service_fault
from scrapersky.destinations.destination import BatchDestination, DeletingDestination
from scrapersky.engine.outcome import Discard, Snooze, reason_of
from scrapersky.errors import DestinationError
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker

# Long enough for the rows of one claim to arrive together, short enough that nobody notices.
COLLECT_SECONDS = 0.05

MakeCircuit = Callable[[str], CircuitBreaker]
SwitchOff = Callable[[DeliveryPayload, str], Awaitable[None]]


def make_circuit(name: str) -> CircuitBreaker:
    return CircuitBreaker(name, counts=is_service_fault)


async def leave_on(payload: DeliveryPayload, reason: str) -> None:
    return None


@dataclass(slots=True)
class Lane:
    """One destination: what waits for it, and when it may be called again."""

    circuit: CircuitBreaker
    waiting: list[tuple[DeliveryPayload, asyncio.Future[str]]] = field(default_factory=list)
    calling: asyncio.Lock = field(default_factory=asyncio.Lock)
    collector: asyncio.Task[None] | None = None
    paused_until: float = 0.0
    pause_reason: str = ""


class DeliverySender:
    """`circuit` makes the circuit breaker of a destination, `switch_off` ends one that is gone."""

    def __init__(
        self,
        destinations: Mapping[str, Destination],
        *,
        circuit: MakeCircuit = make_circuit,
        switch_off: SwitchOff = leave_on,
    ) -> None:
        self._destinations = destinations
        self._make_circuit, self._switch_off = circuit, switch_off
        self._lanes: dict[UUID | None, Lane] = {}

    async def send(self, payload: DeliveryPayload) -> str:
        """Deliver, or delete, the contact; returns what the destination calls it."""
        destination = self._destination(payload.kind)
        lane = self._lane(payload)
        self._check_pause(lane)
        lane.circuit.check()
        if payload.is_deletion or not isinstance(destination, BatchDestination):
            return await self._send_alone(lane, destination, payload)
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        lane.waiting.append((payload, answer))
        if lane.collector is None or lane.collector.done():
            lane.collector = asyncio.create_task(self._collect(lane, destination))
        return await answer

    def _destination(self, kind: str) -> Destination:
        if kind not in self._destinations:
            known = ", ".join(self._destinations) or "none"
            raise Discard(f"Invalid destination kind {kind!r}; expected one of {known}")
        return self._destinations[kind]

    def _lane(self, payload: DeliveryPayload) -> Lane:
        key = payload.destination_id
        if key not in self._lanes:
            # Alerts are seen by every tenant, so the name of the destination is not part of it.
            self._lanes[key] = Lane(self._make_circuit(f"{payload.kind} {str(key)[:8]}"))
        return self._lanes[key]

    def _check_pause(self, lane: Lane) -> None:
        left = lane.paused_until - asyncio.get_running_loop().time()
        if left > 0:
            raise Snooze(lane.pause_reason, wait=timedelta(seconds=left))

    # ---- one at a time

    async def _send_alone(self, lane: Lane, destination: Destination, payload: DeliveryPayload) -> str:
        if not payload.is_deletion:
            return await self._guarded(lane, payload, destination.deliver(payload))
        if not isinstance(destination, DeletingDestination):
            raise Discard(f"Nothing can be deleted from a destination of the kind {payload.kind}")
        return await self._guarded(lane, payload, destination.delete(payload))

    async def _guarded(self, lane: Lane, payload: DeliveryPayload, call: Awaitable[str]) -> str:
        try:
            async with lane.circuit:
                return await call
        except Exception as error:
            await self._note(lane, payload, error)
            raise

    # ---- in batches

    async def _collect(self, lane: Lane, destination: BatchDestination) -> None:
        """Wait a moment for more, then send all that waits, batch after batch."""
        await asyncio.sleep(COLLECT_SECONDS)
        while lane.waiting:
            async with lane.calling:
                batch = lane.waiting[: destination.batch_size]
                del lane.waiting[: destination.batch_size]
                await self._send_batch(lane, destination, [part for part in batch if not part[1].done()])

    async def _send_batch(
        self,
        lane: Lane,
        destination: BatchDestination,
        batch: Sequence[tuple[DeliveryPayload, asyncio.Future[str]]],
    ) -> None:
        payloads = [payload for payload, _ in batch]
        if not payloads:
            return
        try:
            self._check_pause(lane)
            async with lane.circuit:
                answers = await destination.deliver_batch(payloads)
        except Exception as error:  # noqa: BLE001 - each row reports it to the engine.
            await self._note(lane, payloads[0], error)
            answers = {payload.delivery_id: error for payload in payloads}
        for payload, future in batch:
            if future.done():
                continue  # The row was cancelled while the call ran.
            answer = answers.get(payload.delivery_id) or DestinationError("The destination gave no answer")
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    async def _note(self, lane: Lane, payload: DeliveryPayload, error: Exception) -> None:
        """Wait as long as the destination asks; switch one off that is gone."""
        if isinstance(error, DestinationGone):
            await self._switch_off(payload, reason_of(error))
        if isinstance(error, Snooze) and error.wait and not lane.circuit.is_open:
            lane.paused_until = asyncio.get_running_loop().time() + error.wait.total_seconds()
            lane.pause_reason = reason_of(error)
