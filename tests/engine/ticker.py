"""A scheduler as a process of its own, for tests that kill it: `ticker.py URL SECONDS`."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.engine.database import Database
from scrapersky.engine.schedule import Leader

MARK = text(
    "INSERT INTO marks (slot) VALUES (cast(floor(extract(epoch FROM now())) AS bigint) / :every) RETURNING id"
)


async def main(url: str, seconds: int) -> None:
    engine = create_async_engine(url)
    ticks, every = Leader(engine), timedelta(seconds=seconds)

    async def mark(connection):
        return (await connection.execute(MARK, {"every": seconds})).scalar()

    print("starting", flush=True)  # noqa: T201 - the test waits for this line.
    while True:
        await Database(engine).with_retry(lambda: ticks.run("mark", every, mark))
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
