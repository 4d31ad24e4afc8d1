"""Waiting that a shutdown ends, and the line that answers Ctrl+C at once."""

from __future__ import annotations

import asyncio
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from scrapersky.processes.shutdown import announced_shutdown, first_of, shutdown_message, sleep_unless


def worker(*in_flight: tuple[str, str | None]) -> Any:
    return SimpleNamespace(in_flight=lambda: list(in_flight))


@pytest.mark.parametrize(
    ("workers", "message"),
    [
        ([], "Stopping: nothing is in progress."),
        ([worker()], "Stopping: nothing is in progress."),
        (
            [worker(("read_page", "shop.com")), worker(("run_job", None))],
            "Stopping: waiting up to 3 s for read_page of shop.com, run_job.",
        ),
        (
            [worker(*[("read_page", f"{number}.com") for number in range(5)])],
            "Stopping: waiting up to 3 s for read_page of 0.com, read_page of 1.com, read_page of 2.com and "
            "2 more.",
        ),
    ],
)
def test_the_message_names_what_is_waited_for(workers: list[Any], message: str) -> None:
    assert shutdown_message(workers, 3.0) == f"{message} Press Ctrl+C again to stop now."


async def test_the_shutdown_is_announced_once_and_only_if_it_comes() -> None:
    for comes in (True, False):
        stop, lines = asyncio.Event(), list[str]()
        async with announced_shutdown(stop, lines.append, 3.0) as workers:
            workers.append(worker(("read_page", "shop.com")))
            if comes:
                stop.set()
            await asyncio.sleep(0.01)
        assert len(lines) == int(comes)
        assert all("read_page of shop.com" in line for line in lines)


@pytest.mark.timed
async def test_a_sleep_ends_with_the_shutdown() -> None:
    stop, began = asyncio.Event(), monotonic()
    await sleep_unless(stop, 0.01)
    asyncio.get_running_loop().call_later(0.01, stop.set)
    await sleep_unless(stop, 60)
    assert monotonic() - began < 10


async def test_the_first_of_a_task_and_an_event_ends_the_wait() -> None:
    event, done = asyncio.Event(), asyncio.create_task(asyncio.sleep(0))
    waiting = asyncio.create_task(asyncio.sleep(60))
    await first_of(done, event)
    event.set()
    await first_of(waiting, event)
    assert not waiting.done(), "what is waited for is left alone"
    waiting.cancel()
