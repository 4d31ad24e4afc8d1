"""The demo world as a source of places."""

from __future__ import annotations

import pytest

from scrapersky.errors import SourceError
from scrapersky.sources import ListedPlace
from scrapersky_demo.source import DemoSource
from scrapersky_demo.world import World


async def test_a_search_brings_places_and_details_bring_their_website() -> None:
    world = World(size=60)
    source = DemoSource(world)
    one = world.businesses[0]
    found = await source.search(one.kind, f"{one.city.name}, {one.locale.country}", {})
    assert one.id in {place.place_id for place in found}
    assert all(place.website is None for place in found)
    whole = await source.details(one.id, {})
    assert (whole.name, whole.website or "", whole.country) == (one.name, one.website, one.locale.country)
    assert ListedPlace.from_json(whole.to_json()) == whole


async def test_an_empty_search_brings_everything_up_to_its_limit() -> None:
    source = DemoSource(World(size=30))
    assert len(await source.search("", "", {})) == 30
    assert len(await source.search("", "", {"limit": 7})) == 7


async def test_an_unknown_place_is_refused() -> None:
    with pytest.raises(SourceError, match="no place"):
        await DemoSource(World(size=3)).details("nope", {})
