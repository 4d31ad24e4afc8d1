"""A worker as a process of its own, for tests that kill it: `process.py URL KIND [options as JSON]`."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import sys
import time
from dataclasses import replace
from datetime import timedelta

from lab import QUICK, save, stage
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.engine.stage import Result, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.processes.shutdown import run_until_stopped

GIVEN = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}


async def store(item, context):
    """One line in an outside log, which no transaction can take back, and one result."""
    with open(GIVEN["log"], "a") as log:  # noqa: ASYNC230 - one short line.
        log.write(f"{item.id}\n")
    await asyncio.sleep(GIVEN.get("seconds", 0.0))
    while "until" in GIVEN and not os.path.exists(GIVEN["until"]):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return Result(rows=[{"thing_id": item.id, "word": "made"}])


async def poison(item, context):
    """Most are harmless; one leaves at once, one crashes the interpreter, one is killed as by the kernel."""
    await asyncio.sleep(0.001)
    if item.row.key == "exit":
        os._exit(1)
    if item.row.key == "segfault":
        ctypes.string_at(0)
    if item.row.key == "memory":
        os.kill(os.getpid(), signal.SIGKILL)
    return Result(rows=[{"thing_id": item.id, "word": "made"}])


async def block(item, context):
    """Stand still with the whole process, once for each row."""
    time.sleep(GIVEN["seconds"])  # noqa: ASYNC251 - that is what it is for.
    return Result(rows=[{"thing_id": item.id, "word": "made"}])


async def fail(item, context):
    """Fail, with the waits of a real product."""
    raise ValueError("no")


async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
    print("starting", flush=True)  # noqa: T201 - the test waits for this line.
    times = [name for name in ("lease", "heartbeat", "sweep", "grace", "retry_base") if name in GIVEN]
    options = replace(QUICK, **{name: timedelta(seconds=GIVEN[name]) for name in times})
    size = GIVEN.get("concurrency", 50)
    stage_options = StageOptions(
        batch=size, concurrency=size, timeout=timedelta(seconds=GIVEN.get("timeout", 55))
    )
    if "interval" in GIVEN:
        every = timedelta(seconds=GIVEN["interval"])
        runs = {"batch": GIVEN["batch"], "max_instances": GIVEN["max_instances"]}
        stage_options = replace(stage_options, continuous=False, interval=every, misfire_grace=every, **runs)
    run = {"store": store, "poison": poison, "block": block, "fail": fail}[sys.argv[2]]
    if run is fail:
        options = replace(options, retry_base=timedelta(minutes=1))
    engine = create_async_engine(sys.argv[1], pool_size=5)
    worker = Worker(engine, [(stage(run, reads=("key",)), stage_options)], options=options, save=save)
    await worker.run(stop, force)
    await engine.dispose()


if __name__ == "__main__":
    run_until_stopped(main)
