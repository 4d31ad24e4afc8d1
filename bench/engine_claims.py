"""What a claim costs among a million rows, through the engine's own claimer."""

from __future__ import annotations

from time import perf_counter

import asyncpg
from sqlalchemy.ext.asyncio import create_async_engine

from bench.engine_ours import INSERT, stage
from scrapersky.engine.claims import Claims
from scrapersky.engine.database import Database
from scrapersky.engine.stage import EngineOptions

CLAIMS = 500
BATCH = 100
PORTION = 100_000
# Queued rows lie scattered among the finished ones.
STATUS = "CASE WHEN hashint4(i) % 10 = 0 THEN 'Queued' ELSE 'Completed' END"


async def claim_times(url: str, rows: int) -> list[float]:
    """Milliseconds of each of many claims; they begin right after the rows were put in."""
    connection = await asyncpg.connect(url.replace("postgresql+asyncpg:", "postgresql:"))
    for first in range(0, rows, PORTION):
        last = min(rows, first + PORTION) - 1
        await connection.execute(INSERT % STATUS, first, last, timeout=600)
    await connection.close()
    engine = create_async_engine(url)
    claimer = Claims(stage(), Database(engine), 1, EngineOptions())
    times = []
    for _ in range(min(CLAIMS, rows // 10 // BATCH)):
        began = perf_counter()
        taken = await claimer.take(BATCH, 1)
        times.append((perf_counter() - began) * 1000)
        if len(taken) != BATCH:
            raise SystemExit(f"a claim of {BATCH} gave {len(taken)} rows")
    await engine.dispose()
    return times
