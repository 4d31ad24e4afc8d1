"""`google`: calls, preview and cost, against the contract server."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from click.testing import Result

from scrapersky_demo.contracts.google_city import BOX, clustered_city
from scrapersky_demo.contracts.google_places import GooglePlacesServer, serve_google_places

Sky = Callable[..., Result]
Told = Callable[..., Any]
AREA = ",".join(str(BOX[side]) for side in ("south", "west", "north", "east"))
PAID, FREE = "text_search_enterprise", "text_search_ids"


@contextmanager
def in_thread(server: GooglePlacesServer) -> Iterator[GooglePlacesServer]:
    """The server in a loop of its own, because commands run theirs."""
    loop, started, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with serve_google_places(server):
            started.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert started.wait(30)
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(30)
        loop.close()


@pytest.fixture
def google() -> Iterator[GooglePlacesServer]:
    with in_thread(GooglePlacesServer(clustered_city(130))) as server:
        yield server


def settings_for(google: GooglePlacesServer) -> dict[str, str]:
    return {
        "GOOGLE_MAPS_API_KEY": "test-key",
        "GOOGLE_PLACES_URL": f"http://google.example:{google.port}/",
        "GOOGLE_PLACES_REQUESTS_PER_MINUTE": "100000",
        "EGRESS_ALLOW": f"127.0.0.1:{google.port}",
        "CONNECT_TO": f"google.example:*:127.0.0.1:{google.port}",
    }


def test_a_preview_costs_nothing_and_is_in_the_ledger(
    google: GooglePlacesServer, sky: Sky, told: Told
) -> None:
    settings = settings_for(google)
    estimate = told("google", "preview", "bakery", "--box", AREA, **settings)
    assert estimate["fits"] is True
    assert 100 <= estimate["places"] <= 170
    assert estimate["paid_calls"] >= 7
    assert set(google.billed) == {FREE}
    booked = {row["sku"]: row["booked"] for row in told("google", "calls", **settings)}
    assert booked[FREE] == google.billed[FREE] > 0
    assert booked[PAID] == 0
    text = sky("google", "preview", "bakery", "--box", AREA, **settings, GOOGLE_PLACES_SEARCH_CAP="1")
    assert text.exit_code == 0
    assert "paid calls" in text.stdout
    assert "The cap leaves 1 calls this month." in text.stderr


def test_a_preview_without_a_key_or_of_nothing_is_refused(google: GooglePlacesServer, sky: Sky) -> None:
    refused = sky("google", "preview", "bakery", "--box", AREA)
    assert refused.exit_code == 2
    assert "GOOGLE_MAPS_API_KEY" in refused.output
    settings = settings_for(google)
    assert sky("google", "preview", "bakery", "--box", "1,2", **settings).exit_code == 2
    assert sky("google", "preview", " ", "--box", AREA, **settings).exit_code == 2
    assert not google.billed


def test_the_cost_of_a_search_is_what_its_cells_paid(
    google: GooglePlacesServer, sky: Sky, told: Told
) -> None:
    settings = settings_for(google)
    added = told("search", "add", "bakery", "--source", "google_places", "--box", AREA, **settings)
    ran = sky("stage", "run", "search_places", **settings)
    assert ran.exit_code == 0, ran.output
    cost = told("google", "cost", added["id"], **settings)
    assert cost["paid_calls"] == google.billed[PAID] > 0
    assert sky("google", "cost", str(uuid.uuid4()), **settings).exit_code == 3
