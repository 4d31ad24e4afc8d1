"""A database with the engine's own little product in it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

# The lab is imported by its own name, here and in the processes that the tests start.
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from lab import create


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
