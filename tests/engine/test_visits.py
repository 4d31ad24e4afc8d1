"""Visits: who holds a host continues there with what its stage has queued, and may stop anywhere."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import groupby

import pytest
from lab import (
    CHECKS,
    FILES,
    PAGES,
    QUICK,
    add,
    controls,
    counts,
    files,
    hosts,
    pages,
    rows,
    settled,
    stage,
    until,
    working,
)
from sqlalchemy import insert, text

from scrapersky.engine.outcome import RetryAfter
from scrapersky.engine.stage import Result, StageOptions

VISITS = replace(QUICK, visits=True)
NARROW = StageOptions(batch=1, concurrency=1, per_host=2, timeout=timedelta(seconds=5))


class Site:
    """A page that queues three files of its host and its own check; notes what runs, and in which order."""

    def __init__(self, *, on_page=None, on_file=None):
        self.seen, self.running, self.together = [], set(), 0
        self._on_page, self._on_file = on_page, on_file

    def stages(self):
        return (
            stage(self._page, table=pages, queue=PAGES, reads=("host",), queues=("read_file", "check")),
            stage(self._check, table=pages, queue=CHECKS, reads=("host",)),
            stage(self._file, table=files, queue=FILES),
        )

    async def _page(self, item, context):
        await self._call("page", item, self._on_page)
        return Result(fields={"check_status": "Queued"}, rows=[{"host": item.host} for _ in range(3)])

    async def _file(self, item, context):
        await self._call("file", item, self._on_file)

    async def _check(self, item, context):
        self.seen.append((item.row.host, "check"))

    async def _call(self, what, item, also):
        self.together += item.host in self.running
        self.running.add(item.host)
        self.seen.append((item.host, what))
        await (also(item) if also else asyncio.sleep(0.005))
        self.running.discard(item.host)


async def queue_sites(lab, *names):
    for name in names:
        await add(lab, 1, table=pages, host=name)


async def test_a_site_is_finished_before_the_next_one_begins(lab):
    site = Site()
    await queue_sites(lab, *"abc")
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW):
        assert await settled(lab, pages) == {"Complete": 3}
        await until(lambda: _complete(lab, 9))
        await until(lambda: _released(lab))

    order = [name for name, what in site.seen if what != "check"]
    assert len([name for name, _ in groupby(order)]) == 3, site.seen
    assert site.together == 0
    assert {row["check_status"] for row in await rows(lab, pages)} == {"Complete"}
    for host in await rows(lab, hosts):
        assert host["lease_seq"] == 1, "one lease for the whole visit"
        assert host["visit_waiting_since"] is None
        assert host["read_file_waiting_since"] is None


async def test_without_visits_every_stage_takes_its_turn(lab):
    site = Site()
    await queue_sites(lab, "a")
    async with working(lab, *site.stages(), stage_options=NARROW):
        await until(lambda: _complete(lab, 3))
        await until(lambda: _released(lab))

    assert (await rows(lab, hosts))[0]["lease_seq"] > 1


@pytest.mark.parametrize("gate", ["paused", "throttled"])
async def test_a_gate_ends_the_visit_and_what_is_left_stays_queued(lab, gate):
    site = Site()
    if gate == "paused":
        async with lab.begin() as connection:
            await connection.execute(insert(controls).values(stage="read_file", paused=True))
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW) as worker:
        if gate == "throttled":
            # The run of this hour cannot begin any more.
            hourly = replace(
                NARROW, continuous=False, interval=timedelta(hours=1), misfire_grace=timedelta(0)
            )
            await worker.runners["read_file"].configure(hourly)
        await queue_sites(lab, "a")
        assert await settled(lab, pages) == {"Complete": 1}
        await until(lambda: _released(lab))
        assert await counts(lab, files) == {"Queued": 3}

    assert ("a", "file") not in site.seen
    [host] = await rows(lab, hosts)
    assert host["read_file_waiting_since"] is not None, "whoever may run them finds them"


async def test_a_visit_that_took_too_long_leaves_the_rest_to_the_queue(lab):
    site = Site()
    await queue_sites(lab, "a")
    options = replace(VISITS, visit_time=timedelta(0))
    async with working(lab, *site.stages(), options=options, stage_options=NARROW):
        await until(lambda: _complete(lab, 3))
        await until(lambda: _released(lab))

    assert (await rows(lab, hosts))[0]["lease_seq"] > 1


async def test_a_host_that_asks_for_a_pause_gets_it(lab):
    async def ask(item):
        raise RetryAfter("too many requests", wait=timedelta(seconds=30))

    site = Site(on_file=ask)
    await queue_sites(lab, "a")
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW):
        assert await settled(lab, pages) == {"Complete": 1}
        await until(lambda: _released(lab))

    assert [what for _, what in site.seen].count("file") == 1
    [host] = await rows(lab, hosts)
    assert host["backoff_reason"] == "too many requests"
    assert (await counts(lab, files)) == {"Queued": 3}


async def test_who_has_lost_the_host_does_not_continue_there(lab):
    async def lose(item):
        async with lab.begin() as connection:
            taken = "UPDATE hosts SET lease_seq = lease_seq + 1, worker = 99, next_allowed_at = 'infinity'"
            await connection.execute(text(taken))

    site = Site(on_page=lose)
    await queue_sites(lab, "a")
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW) as worker:
        assert await settled(lab, pages) == {"Complete": 1}
        await until(lambda: _idle(worker))
        assert await counts(lab, files) == {"Queued": 3}

    assert ("a", "file") not in site.seen
    assert (await rows(lab, hosts))[0]["worker"] == 99


async def test_a_shutdown_leaves_the_rest_of_a_visit_in_the_queue(lab):
    began = asyncio.Event()

    async def slow(item):
        began.set()
        await asyncio.sleep(0.2)

    site = Site(on_file=slow)
    await queue_sites(lab, "a")
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW):
        await began.wait()

    assert await counts(lab, files) == {"Complete": 1, "Queued": 2}
    [host] = await rows(lab, hosts)
    assert host["worker"] is None, "the next worker need not wait for the lease to end"
    async with working(lab, *site.stages(), options=VISITS, stage_options=NARROW):
        assert await settled(lab, files) == {"Complete": 3}


async def _complete(lab, number):
    return (await counts(lab, files)).get("Complete") == number


async def _released(lab):
    found = await rows(lab, hosts)
    return bool(found) and all(row["worker"] is None for row in found)


async def _idle(worker):
    return all(runner.is_idle for runner in worker.runners.values())
