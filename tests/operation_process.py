"""A process that runs the operations of a database until none is left: `python operation_process.py URL`."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.actions.operations.background import run_open_operations


async def main(url: str) -> None:
    engine = create_async_engine(url)
    await run_open_operations(engine, print)
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
