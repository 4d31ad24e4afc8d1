"""Parser processes: hostile pages are cut off and other pages are not affected (B8, HTML-01 to -04)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import parser_functions as functions
import pytest
from hostile_pages import PAGES

from scrapersky.engine.outcome import Discard
from scrapersky.sandbox import (
    InProcessParser,
    ParseCPULimitExceeded,
    ParseCrashed,
    ParseError,
    ParseFailed,
    ParseOutOfMemory,
    ParseResultTooLarge,
    ParserLimits,
    ParserPool,
    ParseTimeout,
)


def resident_kib() -> int:
    """The peak memory of this process, which never falls."""
    with open(f"/proc/{os.getpid()}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def parent_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))


SHORT = ParserLimits(cpu_seconds=0.5, wall_seconds=3.0, memory_bytes=128 * 2**20, result_bytes=2**20)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    async with ParserPool(processes=2, limits=SHORT) as made:
        yield made


async def test_a_function_runs_in_another_process_and_returns_its_value(pool: ParserPool) -> None:
    assert await pool.run(functions.shout, "hello", times=2) == "HELLOHELLO"
    assert await pool.run(functions.process_id) != os.getpid()


async def test_values_cross_the_boundary_as_data_and_keep_their_type(pool: ParserPool) -> None:
    seen = functions.Finding("ü\u202e", 0.5, (1, 2), {"a": None, "b": "c"})
    found = await pool.run(functions.find, b"\xff\x00" * 100_000, seen, times=2)
    assert found == (functions.Finding("200000 b'\\xff\\x00'", 0.5, (1, 2), {"a": None, "b": "c"}),) * 2


async def test_a_function_without_annotations_is_refused(pool: ParserPool) -> None:
    with pytest.raises(TypeError, match="annotations"):
        await pool.run(functions.without_annotations, 1)
    assert await pool.run(functions.shout, "ok") == "OK"


@pytest.mark.parametrize(
    ("function", "error", "failure_class"),
    [
        (functions.spin, ParseTimeout, "parse_timeout"),
        (functions.sleep_long, ParseTimeout, "parse_timeout"),
        (functions.exhaust_memory, ParseOutOfMemory, "parse_memory"),
        (functions.crash, ParseCrashed, "parse_crashed"),
        (functions.segfault, ParseCrashed, "parse_crashed"),
        (functions.kill_itself, ParseCrashed, "parse_crashed"),
        (functions.return_too_much, ParseResultTooLarge, "parse_too_large"),
        (functions.raise_error, ParseFailed, "parse_failed"),
        (functions.return_wrong_type, ParseFailed, "parse_failed"),
    ],
)
async def test_a_hostile_page_is_cut_off_and_other_pages_are_parsed(
    pool: ParserPool, function: Callable[[], object], error: type[ParseError], failure_class: str
) -> None:
    hostile = asyncio.create_task(pool.run(function))
    for _ in range(20):
        assert await pool.run(functions.shout, "ok") == "OK"

    with pytest.raises(error) as caught:
        await hostile
    assert caught.value.failure_class == failure_class
    assert await pool.run(functions.shout, "after") == "AFTER"


async def test_the_cpu_limit_is_independent_of_the_wall_limit() -> None:
    async with ParserPool(processes=1, limits=ParserLimits(cpu_seconds=0.3, wall_seconds=30)) as pool:
        with pytest.raises(ParseCPULimitExceeded):
            await pool.run(functions.spin)


def test_only_failures_that_would_repeat_are_discarded() -> None:
    assert issubclass(ParseCPULimitExceeded, Discard)
    assert not issubclass(ParseTimeout, Discard)
    assert not issubclass(ParseCrashed, Discard)


async def test_a_cancelled_call_frees_its_slot(pool: ParserPool) -> None:
    tasks = [asyncio.create_task(pool.run(functions.sleep_long)) for _ in range(2)]
    await asyncio.sleep(0.1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert await pool.run(functions.shout, "ok") == "OK"


async def test_calls_cancelled_while_a_process_starts_free_their_slot() -> None:
    async with ParserPool(processes=1, limits=ParserLimits(tasks=1)) as pool:
        await pool.run(functions.shout, "the last task of the first process")
        for _ in range(5):
            task = asyncio.create_task(pool.run(functions.shout, "x"))
            await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await pool.run(functions.shout, "ok") == "OK"


async def test_a_parser_process_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    async with ParserPool(processes=1) as pool:
        assert "DATABASE_URL" not in await pool.run(functions.environment)


async def test_every_process_is_warmed_up_before_its_first_page() -> None:
    limits = ParserLimits(tasks=2)
    async with ParserPool(processes=1, limits=limits, warm_up=functions.warm_up) as pool:
        assert [await pool.run(functions.times_warmed) for _ in range(3)] == [1, 1, 1]


async def test_a_process_is_replaced_after_its_number_of_tasks() -> None:
    async with ParserPool(processes=1, limits=ParserLimits(tasks=3)) as pool:
        seen = [await pool.run(functions.process_id) for _ in range(7)]
    assert len(set(seen)) == 3


async def test_closing_the_pool_ends_every_process() -> None:
    async with ParserPool(processes=2, limits=SHORT) as pool:
        pids = {await pool.run(functions.process_id) for _ in range(4)}
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    with pytest.raises(RuntimeError):
        await pool.run(functions.shout, "late")


async def test_a_killed_process_is_replaced_and_the_other_one_is_kept(pool: ParserPool) -> None:
    before = set(await asyncio.gather(*(pool.run(functions.slow_process_id) for _ in range(2))))
    with pytest.raises(ParseCrashed):
        await pool.run(functions.kill_itself)
    after = set(await asyncio.gather(*(pool.run(functions.slow_process_id) for _ in range(2))))

    assert (len(before), len(after), len(before & after)) == (2, 2, 1)


async def test_a_process_killed_between_two_calls_costs_one_call() -> None:
    async with ParserPool(processes=1, limits=SHORT) as pool:
        os.kill(await pool.run(functions.process_id), signal.SIGKILL)
        with pytest.raises(ParseCrashed):
            await pool.run(functions.shout, "lost")
        assert await pool.run(functions.shout, "ok") == "OK"


async def test_processes_are_forks_of_one_server(pool: ParserPool) -> None:
    pids = set(await asyncio.gather(*(pool.run(functions.slow_process_id) for _ in range(2))))
    assert len(pids) == 2
    [server] = {parent_of(pid) for pid in pids}
    assert server != os.getpid()


async def test_a_fork_server_that_is_killed_is_replaced() -> None:
    async with ParserPool(processes=1, limits=ParserLimits(tasks=2)) as pool:
        killed = parent_of(await pool.run(functions.process_id))
        os.kill(killed, signal.SIGKILL)
        assert await pool.run(functions.shout, "ok") == "OK"
        assert parent_of(await pool.run(functions.process_id)) != killed


async def test_a_process_that_cannot_start_is_a_crash_and_leaves_no_process() -> None:
    with pytest.raises(ParseCrashed, match="did not start"):
        await ParserPool(processes=2, modules=("no_such_module",)).__aenter__()


async def test_more_calls_than_processes_wait_for_a_slot() -> None:
    async with ParserPool(processes=1, limits=SHORT) as pool:
        results = await asyncio.gather(*(pool.run(functions.shout, str(n)) for n in range(50)))
    assert results == [str(n) for n in range(50)]


async def test_the_memory_of_a_page_is_free_for_the_next_one(pool: ParserPool) -> None:
    for _ in range(6):
        assert await pool.run(functions.use_memory, 64 * 2**20) == 64 * 2**20


async def test_a_result_at_the_limit_is_returned() -> None:
    # The JSON of a text has two quotes.
    async with ParserPool(processes=1, limits=ParserLimits(result_bytes=1_002)) as pool:
        assert len(await pool.run(functions.return_characters, 1_000)) == 1_000
        with pytest.raises(ParseResultTooLarge):
            await pool.run(functions.return_characters, 1_001)


async def test_closing_waits_for_a_running_call() -> None:
    async with ParserPool(processes=1, limits=SHORT) as pool:
        running = asyncio.create_task(pool.run(functions.slow_process_id))
        await asyncio.sleep(0.05)
    assert await running > 0


async def test_signals_to_the_whole_group_do_not_lose_a_page() -> None:
    async with ParserPool(processes=1, limits=SHORT) as pool:
        process = await pool.run(functions.process_id)
        running = asyncio.create_task(pool.run(functions.slow_process_id))
        await asyncio.sleep(0.05)
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(process, number)
        assert await running == process


async def test_a_trusted_page_can_be_parsed_without_a_process() -> None:
    assert await InProcessParser().run(functions.process_id) == os.getpid()
    with pytest.raises(ValueError, match="no such page"):
        await InProcessParser().run(functions.raise_error)


@pytest.mark.timed
async def test_small_calls_are_fast(pool: ParserPool) -> None:
    await pool.run(functions.shout, "warm")
    started = time.monotonic()
    await asyncio.gather(*(pool.run(functions.shout, "x") for _ in range(2000)))
    assert 2000 / (time.monotonic() - started) > 500  # A loaded machine does half of what a quiet one does.


async def read_hostile(name: str) -> None:
    body = PAGES[name]().encode("utf-8", "surrogatepass")
    async with ParserPool(processes=1, modules=("scrapersky.extract.page",)) as pool:
        await pool.run(functions.read_whole_page, b"<p>office@shop-example.com</p>")
        before, started = resident_kib(), time.monotonic()
        with contextlib.suppress(ParseTimeout, ParseOutOfMemory):
            await pool.run(functions.read_whole_page, body)
        assert time.monotonic() - started < 7
        assert (resident_kib() - before) / 1024 < 20 + 2 * len(body) / 2**20  # What the call itself carries.
        assert await pool.run(functions.shout, "ok") == "OK"


@pytest.mark.timed
@pytest.mark.parametrize("name", ["HTML-04 tables", "HTML-10 charset", "HTML-11 marks"])
async def test_a_page_that_hurts_parsers_ends_in_time(name: str) -> None:
    await read_hostile(name)


@pytest.mark.timed
@pytest.mark.reliability
@pytest.mark.parametrize("name", PAGES)
async def test_every_page_that_hurts_parsers_ends_within_six_seconds(name: str) -> None:
    await read_hostile(name)
