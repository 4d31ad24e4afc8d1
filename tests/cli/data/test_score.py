"""The lead score from the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from click.testing import Result
from sqlalchemy.ext.asyncio import create_async_engine

from scrapersky.actions.lead_score import score_leads

Sky = Callable[..., Result]
Told = Callable[..., Any]


def test_a_score_is_explained_and_a_weight_changes_it(
    sky: Sky, told: Told, contact: str, database_url: str
) -> None:
    assert "no score yet" in sky("score", "why", contact).output
    score_now(database_url)
    before = told("score", "why", contact)
    assert before["lead_score_parts"]["evidence"]["why"] == "2 pages"
    assert f"{before['lead_score']} of 100" in sky("score", "why", "info@shop.com").output
    assert sky("score", "set", "evidence", "--weight", "100").exit_code == 0
    score_now(database_url)
    assert told("score", "why", contact)["lead_score"] > before["lead_score"]
    assert sky("score", "set", "category", "--word", "dentist").exit_code == 0
    rows = {row["part"]: row for row in told("score", "list")}
    assert (rows["evidence"]["weight"], rows["category"]["words"]) == (100, ["dentist"])
    assert sky("score", "unset", "evidence").exit_code == 0
    assert {row["part"]: row["weight"] for row in told("score", "list")}["evidence"] == 10


def test_wrong_use_is_refused(sky: Sky) -> None:
    assert sky("score", "set", "charm", "--weight", "1").exit_code == 3
    assert sky("score", "set", "evidence").exit_code == 2
    assert sky("score", "set", "evidence", "--weight", "101").exit_code == 2
    assert sky("score", "set", "evidence", "--word", "x").exit_code == 2


def score_now(url: str) -> None:
    async def run() -> None:
        engine = create_async_engine(url)
        await score_leads(engine)
        await engine.dispose()

    asyncio.run(run())
