"""A folder that the server's account can reach, and a private server in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapersky.embedded import PrivateServer

QUICK = {"fsync": "off", "shared_buffers": "16MB", "max_connections": "20"}


@pytest.fixture
def quick() -> dict[str, str]:
    """Options of a server that need not survive the machine."""
    return QUICK


@pytest.fixture
def server(folder: Path) -> Iterator[PrivateServer]:
    made = PrivateServer(folder / "data", options=QUICK)
    yield made
    made.stop()
