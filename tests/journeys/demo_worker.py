"""A worker on the demo world as a process of its own, for tests that kill it: `demo_worker.py SEED SIZE`."""

from __future__ import annotations

import asyncio
import os
import sys

from demo_lab import lab_context
from scrapersky.database import make_engine
from scrapersky.processes.shutdown import run_until_stopped
from scrapersky.processes.worker import run_worker
from scrapersky.settings import load_settings
from scrapersky.wiring import build_log
from scrapersky_demo import World


async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
    settings = load_settings(env_file=None, environment=dict(os.environ))
    engine = make_engine(settings, os.environ["TEST_URL"])
    world = World(int(sys.argv[1]), int(sys.argv[2]))
    async with lab_context(settings, engine, world) as context:
        print("starting", flush=True)  # noqa: T201 - the test waits for this line.
        await run_worker(settings, engine, context, build_log(settings), stop, force)
    await engine.dispose()


if __name__ == "__main__":
    run_until_stopped(main)
