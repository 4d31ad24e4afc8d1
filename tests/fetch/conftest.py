"""A hostile server on loopback, and a fetcher that may reach it and nothing else."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from hostile import HostileServer, hostile_server
from rig import open_fetcher

from scrapersky.fetch.client import Fetcher


@pytest.fixture
async def server() -> AsyncIterator[HostileServer]:
    async with hostile_server() as running:
        yield running


@pytest.fixture
async def fetcher(server: HostileServer) -> AsyncIterator[Fetcher]:
    async with open_fetcher(server.port) as made:
        yield made
