"""The web application on a test's own database, asked as a browser would."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

sys.path.insert(0, str(Path(__file__).parents[1]))

from scrapersky import tables
from scrapersky.pipeline import STAGES
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.web import create_app

Browse = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def browse() -> Browse:
    """A client of the application over any engine."""

    @asynccontextmanager
    async def open_client(engine: AsyncEngine, **more: Any) -> AsyncIterator[httpx.AsyncClient]:
        stages = more.pop("stages", StageQuery)(engine)
        more_host = more.pop("host", "localhost:8000")
        web = create_app(HealthQuery(engine, more.pop("checks", None)), stages, **more)
        transport = httpx.ASGITransport(web, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{more_host}") as client:
            yield client

    return open_client


@pytest.fixture
async def worker(db: AsyncEngine) -> None:
    """A live worker for every stage."""
    stages = [stage.name for stage in STAGES]
    jobs = [stage.job_id for stage in STAGES]
    values = {"machine": "m", "pid": 1, "stages": stages, "scheduled_jobs": jobs}
    async with db.begin() as connection:
        await connection.execute(insert(tables.workers).values(values))
