"""`version` prints the version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from click.testing import Result

from scrapersky import __version__

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_version(told: Told, sky: Sky) -> None:
    assert told("version")["version"] == __version__
    assert sky("version").stdout == f"scrapersky {__version__}\n"
