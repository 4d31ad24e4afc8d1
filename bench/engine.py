"""The engine against procrastinate, pgqueuer and Celery: drain, pick-up, claims among a million rows, CPU.

All on one private PostgreSQL (fsync on), interleaved, medians. Workers are real processes that wait before
the items are committed; the clock stops when the database says that no item is open.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from bench.engine_claims import claim_times
from bench.engine_marks import Marks
from bench.engine_stand import PACKAGES, Engine, cpu_of, private_redis, server_pids
from bench.peers import peer
from bench.results import Row
from scrapersky.declarations import EXTRACT_DOMAIN
from scrapersky.embedded import PrivateServer

LEASE = EXTRACT_DOMAIN.column("lease_until")
OURS = (
    f"SELECT 1 FROM {EXTRACT_DOMAIN.table} WHERE {EXTRACT_DOMAIN.claimable()}"
    f" UNION ALL SELECT 1 FROM {EXTRACT_DOMAIN.table} WHERE {LEASE} IS NOT NULL LIMIT 1"
)
OPEN_ROWS = {
    "pgqueuer": "SELECT 1 FROM pgqueuer LIMIT 1",
    "procrastinate": "SELECT 1 FROM procrastinate_jobs WHERE status IN ('todo', 'doing') LIMIT 1",
}
# Slow engines get fewer items, so that a round takes a few seconds for each.
SHARES = {"ours": 1.0, "pgqueuer": 1.0, "celery": 0.2, "procrastinate": 0.1}
GOALS = {"procrastinate": 15.0, "celery": 7.0, "pgqueuer": 1.0}
TRICKLED = 300


@dataclass(slots=True)
class Stand:
    """The servers, the engines that could be had, and why the others could not."""

    server: PrivateServer
    folder: Path
    engines: list[Engine]
    missing: dict[str, str] = field(default_factory=dict)
    redis: tuple[str, int] | None = None

    def url_of(self, engine: Engine, database: str) -> str:
        return (
            self.redis[0]
            if self.redis and engine.who == "celery"
            else self.server.url(database).replace("+asyncpg", "")
        )

    def cpu(self, engine: Engine) -> float:
        if self.redis and engine.who == "celery":
            return cpu_of([self.redis[1]])
        return cpu_of(server_pids(self.server.cluster))


Results = dict[tuple[str, str], list[float]]


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench engine")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=40_000)
    parser.add_argument("--rows", type=int, default=1_000_000, help="for the claims; 0 leaves them out")
    parser.add_argument("--only", nargs="*", default=[], help="these engines alone")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="bench-engine-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PrivateServer(folder / "data")
        server.start()
        try:
            with private_redis(folder / "redis") as redis:
                python = peer("engines", PACKAGES)
                stand = Stand(server, folder, [], redis=redis)
                _gather(stand, python, options.only)
                return asyncio.run(_measure(stand, options))
        finally:
            server.stop()


def _gather(stand: Stand, python: Path | None, only: list[str]) -> None:
    stand.engines.append(Engine("ours", "engine_ours", Path(sys.executable), OURS))
    for who in ("pgqueuer", "procrastinate", "celery"):
        if python is None:
            stand.missing[who] = "could not be installed"
        elif who == "celery" and stand.redis is None:
            stand.missing[who] = "there is no redis-server"
        elif only and who not in only:
            stand.missing[who] = "left out"
        else:
            stand.engines.append(Engine(who, f"engine_{who}", python, OPEN_ROWS.get(who, "")))


async def _measure(stand: Stand, options: argparse.Namespace) -> list[Row]:
    admin = await asyncpg.connect(stand.server.url("postgres").replace("+asyncpg", ""))
    for engine in stand.engines:
        await admin.execute(f"CREATE DATABASE first_{engine.who}")
        engine.run("setup", stand.url_of(engine, f"first_{engine.who}"))
    results: Results = defaultdict(list)
    for number in range(options.rounds):
        for processes in (1, 2):
            for engine in random.sample(stand.engines, len(stand.engines)):
                items = int(options.items * SHARES[engine.who])
                await _drain(stand, engine, admin, processes, items, results)
        for engine in random.sample(stand.engines, len(stand.engines)):
            await _pick_up(stand, engine, admin, results)
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    claims: list[float] = []
    if options.rows:
        await admin.execute("CREATE DATABASE claims TEMPLATE first_ours")
        claims = await claim_times(stand.server.url("claims"), options.rows)
    await admin.close()
    return [*_drain_rows(stand, results), *_pick_up_rows(stand, results), *_claim_rows(claims, options.rows)]


async def _drain(
    stand: Stand, engine: Engine, admin: Any, processes: int, items: int, results: Results
) -> None:
    """All items at once to waiting workers, until none is open any more."""
    path = stand.folder / "marks"
    marks = Marks(path, items=1)
    await admin.execute("DROP DATABASE IF EXISTS run WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE run TEMPLATE first_{engine.who}")
    await admin.execute("CHECKPOINT")
    url = stand.url_of(engine, "run")
    probe = await asyncpg.connect(stand.server.url("run").replace("+asyncpg", ""))
    with engine.workers(processes, url, path) as pids:
        workers, server = cpu_of(pids), stand.cpu(engine)
        began = float(engine.run("fill", url, items))
        filled = stand.cpu(engine)
        seconds = await _until_closed(engine, marks, items, probe) - began
        used = cpu_of(pids) - workers, stand.cpu(engine) - filled
    await probe.close()
    rate = items / seconds
    what = f"{processes} process{'es' if processes > 1 else ''}"
    results[f"drain, {what}", engine.who].append(rate)
    results[f"CPU of the worker, {what}", engine.who].append(used[0] / items * 1e6)
    results[f"CPU of the server, {what}", engine.who].append(used[1] / items * 1e6)
    told = f"{rate:9,.0f} items/s, CPU {used[0] / items * 1e6:.0f} + {used[1] / items * 1e6:.0f} us an item"
    print(
        f"{engine.who:>13}, {what}: {told} (put in: {(filled - server) / items * 1e6:.0f})", file=sys.stderr
    )


async def _until_closed(engine: Engine, marks: Marks, items: int, probe: Any) -> float:
    """Look at the workers' own counts first, which costs nothing; then ask the database if all is done."""
    deadline = time.monotonic() + 300
    while marks.total < items:
        await asyncio.sleep(0.002)
        if time.monotonic() > deadline:
            raise SystemExit(f"{engine.who}: only {marks.total} of {items} items were handled")
    while engine.open_rows and await probe.fetchval(engine.open_rows):
        await asyncio.sleep(0.002)
    return time.monotonic()


async def _pick_up(stand: Stand, engine: Engine, admin: Any, results: Results) -> None:
    """One item at a time into an idle queue with one worker: from the call that sends it to its handler."""
    path = stand.folder / "marks"
    marks = Marks(path, items=TRICKLED)
    await admin.execute("DROP DATABASE IF EXISTS run WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE run TEMPLATE first_{engine.who}")
    url = stand.url_of(engine, "run")
    with engine.workers(1, url, path):
        engine.run("trickle", url, TRICKLED, path)
        await asyncio.sleep(1)
    waits = sorted(marks.waits(TRICKLED))
    if waits[0] <= 0:
        raise SystemExit(f"{engine.who}: an item was never handled")
    results["pick-up when idle, p50", engine.who].append(statistics.median(waits))
    results["pick-up when idle, p99", engine.who].append(_p99(waits))


def _p99(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def _drain_rows(stand: Stand, results: Results) -> list[Row]:
    rows = []
    for what in ("1 process", "2 processes"):
        for engine in stand.engines:
            rates = results[f"drain, {what}", engine.who]
            note = f"median of {len(rates)}, {min(rates):,.0f} to {max(rates):,.0f}"
            rows.append(Row(f"drain, {what}", engine.who, statistics.median(rates), "items/s", note))
        for engine in stand.engines[1:]:
            rows.append(_ratio(what, engine.who, results))
    for part in ("worker", "server"):
        for engine in stand.engines:
            spent = results[f"CPU of the {part}, 2 processes", engine.who]
            rows.append(
                Row(f"CPU of the {part}, 2 processes", engine.who, statistics.median(spent), "us/item")
            )
    return rows + [Row("drain", who, None, "", why) for who, why in stand.missing.items()]


def _ratio(what: str, who: str, results: Results) -> Row:
    """The median of the ratios of each round, because the machine's mood changes between rounds."""
    pairs = zip(results[f"drain, {what}", "ours"], results[f"drain, {what}", who], strict=True)
    goal = f"goal at least {GOALS[who]:g}" if what == "2 processes" else ""
    return Row(f"drain, {what}: ours to", who, statistics.median(a / b for a, b in pairs), "x", goal)


def _pick_up_rows(stand: Stand, results: Results) -> list[Row]:
    return [
        Row(what, engine.who, statistics.median(results[what, engine.who]), "ms", goal)
        for what, goal in (("pick-up when idle, p50", ""), ("pick-up when idle, p99", "ours: goal 50"))
        for engine in stand.engines
    ]


def _claim_rows(claims: list[float], rows: int) -> list[Row]:
    if not claims:
        return []
    what = f"claim of 100 among {rows:,} rows, a tenth of them queued"
    note = f"{len(claims)} claims; goal for p99: 50"
    return [
        Row(f"{what}, p50", "ours", statistics.median(claims), "ms", note),
        Row(f"{what}, p99", "ours", _p99(claims), "ms", note),
    ]
