"""Reading processes: hostile pages are cut off and their neighbours notice nothing (B8, HTML-01 to -04)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import hostile_reads as reads
import pytest
from hostile_pages import PAGES

from scrapersky.engine.outcome import Discard
from scrapersky.sandbox import (
    ParseCrashed,
    ParseFailed,
    ParseOutOfMemory,
    ParserPool,
    ParseTimeout,
    ParseTooSlow,
    ReadingError,
    ReadingLimits,
    ReadingTooLarge,
)


def resident_kib() -> int:
    """The peak memory of this process, which never falls."""
    with open(f"/proc/{os.getpid()}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


SHORT = ReadingLimits(cpu_seconds=0.5, wall_seconds=3.0, memory_bytes=128 * 2**20, result_bytes=2**20)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))


@pytest.fixture
async def readers() -> AsyncIterator[ParserPool]:
    async with ParserPool(processes=2, limits=SHORT) as made:
        yield made


async def test_a_function_runs_elsewhere_and_its_value_comes_back(readers: ParserPool) -> None:
    assert await readers.run(reads.shout, "hello", times=2) == "HELLOHELLO"
    assert await readers.run(reads.who) != os.getpid()


async def test_values_travel_as_data_and_come_back_as_their_type(readers: ParserPool) -> None:
    seen = reads.Finding("ü\u202e", 0.5, (1, 2), {"a": None, "b": "c"})
    found = await readers.run(reads.find, b"\xff\x00" * 100_000, seen, times=2)
    assert found == (reads.Finding("200000 b'\\xff\\x00'", 0.5, (1, 2), {"a": None, "b": "c"}),) * 2


async def test_a_function_without_annotations_is_refused(readers: ParserPool) -> None:
    with pytest.raises(TypeError, match="annotations"):
        await readers.run(reads.bare, 1)
    assert await readers.run(reads.shout, "ok") == "OK"


@pytest.mark.parametrize(
    ("function", "error", "word"),
    [
        (reads.spin, ParseTimeout, "parse_timeout"),
        (reads.sleep_long, ParseTimeout, "parse_timeout"),
        (reads.hog, ParseOutOfMemory, "parse_memory"),
        (reads.crash, ParseCrashed, "parse_crashed"),
        (reads.segfault, ParseCrashed, "parse_crashed"),
        (reads.kill_myself, ParseCrashed, "parse_crashed"),
        (reads.flood, ReadingTooLarge, "parse_too_large"),
        (reads.fail, ParseFailed, "parse_failed"),
        (reads.lie, ParseFailed, "parse_failed"),
    ],
)
async def test_a_hostile_page_is_cut_off_and_its_neighbours_are_read(
    readers: ParserPool, function: Callable[[], object], error: type[ReadingError], word: str
) -> None:
    hostile = asyncio.create_task(readers.run(function))
    for _ in range(20):
        assert await readers.run(reads.shout, "ok") == "OK"

    with pytest.raises(error) as caught:
        await hostile
    assert caught.value.failure_class == word
    assert await readers.run(reads.shout, "after") == "AFTER"


async def test_computing_time_is_counted_apart_from_waiting() -> None:
    async with ParserPool(processes=1, limits=ReadingLimits(cpu_seconds=0.3, wall_seconds=30)) as readers:
        with pytest.raises(ParseTooSlow):
            await readers.run(reads.spin)


def test_only_what_would_happen_again_is_given_up() -> None:
    assert issubclass(ParseTooSlow, Discard)
    assert not issubclass(ParseTimeout, Discard)
    assert not issubclass(ParseCrashed, Discard)


async def test_a_caller_that_goes_away_leaves_no_mess(readers: ParserPool) -> None:
    tasks = [asyncio.create_task(readers.run(reads.sleep_long)) for _ in range(2)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert await readers.run(reads.shout, "ok") == "OK"


async def test_callers_that_go_away_while_a_process_starts_leave_no_mess() -> None:
    async with ParserPool(processes=1, limits=ReadingLimits(tasks=1)) as readers:
        await readers.run(reads.shout, "the last task of the first process")
        for _ in range(5):
            task = asyncio.create_task(readers.run(reads.shout, "x"))
            await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await readers.run(reads.shout, "ok") == "OK"


async def test_a_reading_process_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    async with ParserPool(processes=1) as readers:
        assert "DATABASE_URL" not in await readers.run(reads.environment)


async def test_a_process_is_replaced_after_its_share_of_pages() -> None:
    async with ParserPool(processes=1, limits=ReadingLimits(tasks=3)) as readers:
        seen = [await readers.run(reads.who) for _ in range(7)]
    assert len(set(seen)) == 3


async def test_closing_ends_every_process() -> None:
    async with ParserPool(processes=2, limits=SHORT) as readers:
        pids = {await readers.run(reads.who) for _ in range(4)}
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    with pytest.raises(RuntimeError):
        await readers.run(reads.shout, "late")


async def test_small_pages_pass_quickly(readers: ParserPool) -> None:
    await readers.run(reads.shout, "warm")
    started = time.monotonic()
    await asyncio.gather(*(readers.run(reads.shout, "x") for _ in range(2000)))
    assert 2000 / (time.monotonic() - started) > 500  # A loaded machine does half of what a quiet one does.


async def read_hostile(name: str) -> None:
    body = PAGES[name]().encode("utf-8", "surrogatepass")
    async with ParserPool(processes=1, modules=("scrapersky.extract.page",)) as readers:
        await readers.run(reads.read_whole_page, b"<p>office@shop-example.com</p>")
        before, started = resident_kib(), time.monotonic()
        with contextlib.suppress(ParseTimeout, ParseOutOfMemory):
            await readers.run(reads.read_whole_page, body)
        assert time.monotonic() - started < 7
        assert (resident_kib() - before) / 1024 < 20 + 2 * len(body) / 2**20  # What the call itself carries.
        assert await readers.run(reads.shout, "ok") == "OK"


@pytest.mark.parametrize("name", ["HTML-04 tables", "HTML-10 charset", "HTML-11 marks"])
async def test_a_page_that_hurts_parsers_ends_in_time(name: str) -> None:
    await read_hostile(name)


@pytest.mark.reliability
@pytest.mark.parametrize("name", PAGES)
async def test_every_page_that_hurts_parsers_ends_within_six_seconds(name: str) -> None:
    await read_hostile(name)
