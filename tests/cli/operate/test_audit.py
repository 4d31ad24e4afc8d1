"""`audit`: list and verify."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from click.testing import Result
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_the_log_is_listed_and_tampering_is_found(sky: Sky, told: Told, database_url: str) -> None:
    sky("stage", "pause", "read_page")
    sky("stage", "resume", "read_page")
    page = told("audit", "list", "--action", "stage.pause")
    assert [(entry["number"], entry["row_id"]) for entry in page["items"]] == [(1, "read_page")]
    assert "stage.resume" in sky("audit", "list").stdout
    assert "2 entries, intact" in sky("audit", "verify").stdout
    asyncio.run(tamper(database_url))
    result = sky("audit", "verify")
    assert result.exit_code == 1
    assert "entry 1: the entry was changed" in result.stdout


async def tamper(url: str) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        await connection.execute(text("UPDATE audit_log SET actor = 'eve' WHERE number = 1"))
    await engine.dispose()
