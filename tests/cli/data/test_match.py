"""Matches and coverage from the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from click.testing import Result
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import create_async_engine

from matches_lab import add_match
from product import TENANT
from scrapersky import tables

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_pair_is_shown_decided_and_taken_back(sky: Sky, told: Told, database_url: str) -> None:
    match, search = asyncio.run(prepared(database_url))
    assert told("match", "list", "--verdict", "unsure")["id"] == str(match)
    assert "60 m" in sky("match", "show", str(match)).output
    assert sky("match", "same", str(match)).exit_code == 0
    assert told("match", "show", str(match))["verdict"] == "same"
    assert sky("match", "different", str(match)).exit_code == 0
    assert told("match", "list", "--verdict", "different")["id"] == str(match)
    assert sky("match", "reset", str(match)).exit_code == 0
    assert told("match", "show", str(match))["verdict"] == "unsure"
    assert sky("match", "same", str(uuid4())).exit_code == 3

    assert "no second source" in sky("search", "coverage", str(search)).output
    assert told("search", "coverage", str(search))["whole"]["estimate"] is None
    assert sky("search", "coverage", str(uuid4())).exit_code == 3


async def prepared(url: str) -> tuple[UUID, UUID]:
    engine = create_async_engine(url)
    search = uuid4()
    async with engine.begin() as connection:
        values = {"id": search, "tenant_id": TENANT, "business_type": "bakery", "location": "Berlin"}
        await connection.execute(insert(tables.place_searches).values(values))
    match = await add_match(engine)
    await engine.dispose()
    return match, search
