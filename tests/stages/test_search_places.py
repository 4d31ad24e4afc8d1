"""Place search → places: what the source lists is stored, queued only where that goes by itself."""

from __future__ import annotations

import pytest

from fakes import USER, FakeSource, context, item, rows_of
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.errors import SourceError
from scrapersky.sources import ListedPlace
from scrapersky.stages import search_places

BAKERY = ListedPlace(
    "p-1", "Bakery Lune", category="bakery", address="1 Mill Lane", phone="+442079460018", rating=4.5
)
SEARCH = {
    "business_type": "bakery",
    "location": "Marlow",
    "source": "fake",
    "params": {"limit": 5},
    "created_by": USER,
}


@pytest.mark.req("R246")
async def test_a_search_stores_places_that_can_be_deep_scanned() -> None:
    source = FakeSource([BAKERY, ListedPlace("p-2", "Crumb")])
    search = item(**SEARCH)

    done = await search_places.run(search, context(sources={"fake": source}))

    places = [row.values for row in rows_of(done, tables.places_staging)]
    assert source.asked == [("bakery", "Marlow", {"limit": 5})]
    assert done.fields == {"places_found": 2}
    assert [(one["source"], one["place_id"], one["name"]) for one in places] == [
        ("fake", "p-1", "Bakery Lune"),
        ("fake", "p-2", "Crumb"),
    ]
    assert {one["search_id"] for one in places} == {search.id}
    assert places[0]["phone"] == "+442079460018"
    assert places[1]["business_type"] == "bakery"


@pytest.mark.parametrize(("auto", "status"), [(True, "Queued"), (False, None)])
async def test_places_wait_for_a_person_unless_the_setting_queues_them(
    auto: bool, status: str | None
) -> None:
    made = context(sources={"fake": FakeSource([BAKERY])}, settings={"auto_deep_scan": auto})

    done = await search_places.run(item(**SEARCH), made)

    assert [row.values["deep_scan_status"] for row in done.rows] == [status]


async def test_nothing_found_is_an_answer() -> None:
    done = await search_places.run(item(**SEARCH), context(sources={"fake": FakeSource()}))

    assert (done.fields, list(done.rows), done.status) == ({"places_found": 0}, [], None)


async def test_an_unknown_source_fails_with_its_name_and_the_known_ones() -> None:
    with pytest.raises(Discard, match="Invalid source 'atlas'; expected one of fake"):
        await search_places.run(
            item(**{**SEARCH, "source": "atlas"}), context(sources={"fake": FakeSource()})
        )


async def test_a_failing_source_fails_the_search_not_the_stage() -> None:
    class Broken(FakeSource):
        async def search(self, *_: object) -> list[ListedPlace]:
            raise SourceError("The file is not there")

    with pytest.raises(SourceError, match="not there"):
        await search_places.run(item(**SEARCH), context(sources={"fake": Broken()}))
