"""Contacts of a whole demo world against the truth, and how its hosts were treated meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo_lab import AUTOMATIC, Lab, lab
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky_demo import World
from scrapersky_demo.source import DEMO_SOURCES


async def crawl(found: Lab, *, seconds: float) -> None:
    """Every business of the world, read in processes as in production, then measured."""
    await submit_search(found.engine, found.who, SearchRequest(source="demo"), DEMO_SOURCES)
    await found.run(here=False, seconds=seconds)
    score = await found.score()
    assert score.precision >= 0.95, score.false
    assert score.recall >= 0.95, score.missing
    found.manners_are_kept()


async def test_a_world_of_businesses_ends_in_its_true_contacts(database_url: str, tmp_path: Path) -> None:
    """About 60 sites, slow, failing and hostile hosts among them."""
    async with lab(database_url, World(7, 70, huge_urls=200), tmp_path, **AUTOMATIC) as found:
        await crawl(found, seconds=300)


@pytest.mark.reliability
async def test_two_hundred_businesses_end_in_their_true_contacts(database_url: str, tmp_path: Path) -> None:
    async with lab(database_url, World(1, 200), tmp_path, PARSER_PROCESSES="2", **AUTOMATIC) as found:
        await crawl(found, seconds=580)
