"""The circuit breaker: it opens after failures, tries once, and closes again."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from scrapersky.engine.outcome import Discard, Snooze
from scrapersky.fetch.paid.circuit_breaker import CircuitBreaker


async def call(circuit, error=None):
    async with circuit:
        if error:
            raise error


@pytest.mark.req("R184")
async def test_a_circuit_opens_after_repeated_failures_and_calls_nobody():
    circuit = CircuitBreaker("maps", failures=3, open_for=timedelta(seconds=30))
    for _ in range(3):
        with pytest.raises(OSError, match="down"):
            await call(circuit, OSError("down"))

    with pytest.raises(Snooze, match="maps keeps failing") as caught:
        await call(circuit)

    assert circuit.is_open
    assert timedelta(seconds=29) < caught.value.wait <= timedelta(seconds=30)


@pytest.mark.req("R184")
async def test_after_its_rest_one_call_tries_and_a_success_closes_the_circuit():
    circuit = CircuitBreaker("maps", failures=1, open_for=timedelta(seconds=0.05))
    with pytest.raises(OSError, match="down"):
        await call(circuit, OSError("down"))
    await asyncio.sleep(0.1)

    async with circuit:
        with pytest.raises(Snooze):
            await call(circuit)

    assert not circuit.is_open
    await call(circuit)
    assert circuit.failures == 0


@pytest.mark.req("R184")
async def test_a_closed_circuit_lets_everybody_in_and_counts_from_the_start():
    circuit = CircuitBreaker("maps", failures=2, open_for=timedelta(seconds=0.05))
    for _ in range(2):
        with pytest.raises(OSError, match="down"):
            await call(circuit, OSError("down"))
    await asyncio.sleep(0.1)
    await call(circuit)

    async with circuit, circuit, circuit:
        assert not circuit.is_open
    with pytest.raises(OSError, match="down"):
        await call(circuit, OSError("down"))
    await call(circuit)
    with pytest.raises(OSError, match="down"):
        await call(circuit, OSError("down"))
    assert not circuit.is_open, "one failure after a success is the first"


@pytest.mark.req("R184")
async def test_a_try_that_fails_opens_it_again_at_once():
    circuit = CircuitBreaker("maps", failures=5, open_for=timedelta(seconds=0.05))
    for _ in range(5):
        with pytest.raises(OSError, match="down"):
            await call(circuit, OSError("down"))
    await asyncio.sleep(0.1)
    with pytest.raises(OSError, match="down"):
        await call(circuit, OSError("down"))

    assert circuit.is_open


@pytest.mark.req("R184")
@pytest.mark.parametrize("error", [Snooze("busy"), Discard("no such place"), asyncio.CancelledError()])
async def test_a_refusal_is_no_failure_of_the_dependency(error):
    circuit = CircuitBreaker("maps", failures=1)
    for _ in range(5):
        with pytest.raises(type(error)):
            await call(circuit, error)

    assert not circuit.is_open


@pytest.mark.req("R184")
async def test_successes_in_between_keep_it_closed():
    circuit = CircuitBreaker("maps", failures=2)
    for _ in range(5):
        with pytest.raises(OSError, match="down"):
            await call(circuit, OSError("down"))
        await call(circuit)

    assert not circuit.is_open
