"""A database with the engine's own little product in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from lab import create
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


@pytest.fixture
async def lab(empty_database_url: str) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(empty_database_url, pool_size=10)
    await create(engine)
    yield engine
    await engine.dispose()


@pytest.fixture
def database_of() -> Callable[[AsyncEngine], str]:
    """The address with which another process reaches the same database."""
    return lambda engine: engine.url.render_as_string(hide_password=False)
