"""The console on a test's own database, used as a browser would: pages, forms, redirects."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from people import add_person, add_session, cookie
from scrapersky.api import ApiContext
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.web import create_app

SECRET = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
ORIGIN = "http://localhost:8000"
HEADERS = {"Accept": "text/html", "Origin": ORIGIN}
OpenConsole = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def open_console(db: AsyncEngine, folder: Path) -> OpenConsole:
    """A browser; `role` signs somebody in with it, further keywords are settings."""

    @asynccontextmanager
    async def open_client(role: str = "", **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
        known = Settings(**{"data_folder": str(folder), **settings})
        context = ApiContext(db, known, Log(), SecretKey(SECRET))
        web = create_app(HealthQuery(db, None), StageQuery(db), api=context)
        transport = httpx.ASGITransport(web, raise_app_exceptions=False)
        headers = dict(HEADERS)
        if role:
            headers |= cookie(await add_session(db, await add_person(db, f"{role}@example.com", role)))
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
            yield client
        await context.close()

    return open_client


@pytest.fixture
async def console(open_console: OpenConsole) -> AsyncIterator[httpx.AsyncClient]:
    """A browser on open loopback: no account exists, so it acts as the built-in local user."""
    async with open_console() as client:
        yield client
