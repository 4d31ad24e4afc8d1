"""Maintenance with a log to read, and valid rows of any table."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from scrapersky.maintenance import Maintenance, MaintenanceOptions  # noqa: E402 - after the path, like everything here.

_spec = importlib.util.spec_from_file_location("rows_of_any_table", TESTS / "tables" / "conftest.py")
assert _spec is not None
assert _spec.loader is not None
_rows = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_rows)
make = _rows.make


@pytest.fixture
def lines() -> list[dict[str, Any]]:
    """What was logged."""
    return []


@pytest.fixture
def maintenance(db: AsyncEngine, lines: list[dict[str, Any]]) -> Callable[..., Maintenance]:
    """Maintenance with these options in place of the defaults."""
    return lambda **options: Maintenance(db, MaintenanceOptions(**options), lines.extend)
