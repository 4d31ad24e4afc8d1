"""Checks of the doctor about the database: its clock and its role (SET-05, SET-19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky.database import tenant_engine
from scrapersky.processes.doctor import check_clock, check_role

TWO_YEARS = timedelta(days=730)


@pytest.mark.parametrize("skew", [TWO_YEARS, -TWO_YEARS, timedelta(minutes=2)])
async def test_a_clock_that_is_off_is_a_warning(db: AsyncEngine, skew: timedelta) -> None:
    check = await check_clock(db, now=lambda: datetime.now(UTC) + skew)
    assert (check.verdict, check.remedy) == ("warn", "set the clock")


async def test_a_clock_that_is_right_passes(db: AsyncEngine) -> None:
    assert (await check_clock(db)).verdict == "pass"


async def test_a_superuser_is_a_warning_and_an_ordinary_role_is_not(db: AsyncEngine) -> None:
    assert (await check_role(db)).verdict == "warn"
    assert (await check_role(tenant_engine(db, TENANT))).verdict == "pass"
