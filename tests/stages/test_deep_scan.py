"""Place → business: the whole record of its source, linked to the place."""

from __future__ import annotations

import pytest

from fakes import USER, FakeSource, context, item, rows_of
from scrapersky import tables
from scrapersky.engine.outcome import Discard
from scrapersky.sources import ListedPlace
from scrapersky.stages import deep_scan

WHOLE = ListedPlace(
    "p-1", "Bakery Lune", address="1 Mill Lane, Marlow", street="1 Mill Lane", city="Marlow",
    postcode="SL7 1AA", country="GB", phone="+442079460018", website="http://www.lune.co.uk/", reviews=12,
)  # fmt: skip
PLACE = {"source": "fake", "place_id": "p-1", "raw_data": {}, "created_by": USER}


@pytest.mark.req("R125")
async def test_a_place_becomes_a_business_with_every_known_field() -> None:
    place = item(**PLACE)

    done = await deep_scan.run(place, context(sources={"fake": FakeSource([WHOLE])}))

    [business] = [row.values for row in rows_of(done, tables.local_businesses)]
    assert business["place_row_id"] == place.id
    assert (business["source"], business["place_id"]) == ("fake", "p-1")
    assert (business["business_name"], business["city"], business["zip"]) == (
        "Bakery Lune",
        "Marlow",
        "SL7 1AA",
    )
    assert (business["website_url"], business["country"]) == ("http://www.lune.co.uk/", "GB")
    assert "status" not in business, "a person's decision about a business is not the deep scan's to write"


@pytest.mark.parametrize(("auto", "status"), [(True, "Queued"), (False, None)])
async def test_a_business_waits_for_a_person_unless_the_setting_queues_it(
    auto: bool, status: str | None
) -> None:
    made = context(sources={"fake": FakeSource([WHOLE])}, settings={"auto_domain_extraction": auto})

    done = await deep_scan.run(item(**PLACE), made)

    assert [row.values["domain_extraction_status"] for row in done.rows] == [status]


@pytest.mark.req("R125")
async def test_a_place_of_an_unknown_source_fails_with_the_reason() -> None:
    with pytest.raises(Discard, match="Invalid source 'atlas'; expected one of none"):
        await deep_scan.run(item(**{**PLACE, "source": "atlas"}), context(sources={}))
