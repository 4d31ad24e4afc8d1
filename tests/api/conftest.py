"""The API on a test's own database, called as a program would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.processes.serve import listen, running_web
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web import create_app
from scrapersky_demo.overture_file import write_records

SECRET = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
OpenApi = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
MakeWeb = Callable[..., FastAPI]


@pytest.fixture
def make_web(db: AsyncEngine) -> MakeWeb:
    """The whole web application; keywords are settings."""

    def make(engine: AsyncEngine = db, log: Log | None = None, **settings: Any) -> FastAPI:
        context = ApiContext(engine, Settings(**settings), log or Log(), SecretKey(SECRET))
        return create_app(HealthQuery(engine, None), StageQuery(engine), api=context)

    return make


@pytest.fixture
def open_api(make_web: MakeWeb, db: AsyncEngine) -> OpenApi:
    """A client of the whole web application; keywords are settings."""

    @asynccontextmanager
    async def open_client(engine: AsyncEngine = db, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(make_web(engine, **settings), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            yield client

    return open_client


@pytest.fixture
async def api(open_api: OpenApi) -> AsyncIterator[httpx.AsyncClient]:
    """A client on open loopback: no account exists, so it acts as the built-in local user."""
    async with open_api() as client:
        yield client


@pytest.fixture
def places_file(tmp_path: Path) -> str:
    """Open data without a place in it: a source that searches can use."""
    path = tmp_path / "places.parquet"
    write_records(path, [])
    return str(path)


@pytest.fixture
async def server(db: AsyncEngine, folder: Path) -> AsyncIterator[str]:
    """The address of a real server on loopback, as `serve` runs it."""
    with listen("127.0.0.1", 0) as listening:
        settings = Settings(port=listening.getsockname()[1], secret_key=SECRET, data_folder=str(folder))
        async with running_web(settings, db, listening, Log(level="warning")):
            yield f"http://127.0.0.1:{settings.port}"
