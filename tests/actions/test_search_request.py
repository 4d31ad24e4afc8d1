"""What a search is asked for becomes a source that is ready and a box, or is refused at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapersky.actions.search_request import SearchRequest, plan_search
from scrapersky.errors import InvalidInput
from scrapersky.sources import SourceOptions, list_sources
from scrapersky.sources.box import Box
from scrapersky_demo.overture_file import write_records


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "places.parquet"
    write_records(path, [])
    return str(path)


def test_a_name_becomes_a_box_and_the_source_with_data_is_taken(file: str) -> None:
    plan = plan_search(SearchRequest("bakery", "Berlin"), list_sources(SourceOptions(file)))
    assert (plan.source, plan.location, plan.place) == ("overture", "Berlin", "Berlin, DE")
    assert Box.from_json(plan.params["box"]).contains(52.52, 13.4)


def test_a_box_and_a_point_always_work(file: str) -> None:
    sources = list_sources(SourceOptions(file))
    box = Box(1, 2, 3, 4)
    plan = plan_search(SearchRequest("bakery", box=box), sources)
    assert (plan.params["box"], plan.location) == (box.to_json(), "box 1,2,3,4")
    near = plan_search(SearchRequest("bakery", near=(10.0, 20.0), radius_km=5), sources)
    assert near.place == "5 km around 10,20"
    assert Box.from_json(near.params["box"]) == Box.around(10, 20, 5)
    city = plan_search(SearchRequest("bakery", "Berlin", radius_km=5), sources)
    assert Box.from_json(city.params["box"]).width < 0.2


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (SearchRequest("bakery", "Berlin", "yellow_pages"), "Unknown source 'yellow_pages'; expected one of"),
        (SearchRequest("bakery"), "A search needs a place"),
        (SearchRequest("", "Berlin"), "A search needs a kind"),
        (SearchRequest("bakrey", "Berlin"), "Did you mean bakery"),
        (SearchRequest("bakery", "Portland"), "3 cities are called 'Portland'"),
        (SearchRequest("bakery", "Berlin", box=Box(1, 2, 3, 4)), "one place"),
        (SearchRequest("bakery", box=Box(1, 2, 3, 4), radius_km=3), "A radius needs a point"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_the_reason(
    request_: SearchRequest, reason: str, file: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        plan_search(request_, list_sources(SourceOptions(file)))


@pytest.mark.parametrize("source", ["", "overture"])
def test_without_data_the_refusal_names_the_download_for_this_place(source: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        plan_search(SearchRequest("bakery", "Berlin", source), list_sources(SourceOptions()))
    assert "overturemaps download --bbox=13.0641,52.3146,13.757,52.7341" in str(refused.value)
    assert "OVERTURE_PATH" in str(refused.value)


def test_a_path_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    absent = str(tmp_path / "absent.parquet")
    with pytest.raises(InvalidInput, match=r"absent\.parquet is not a Parquet file"):
        plan_search(SearchRequest("bakery", "Berlin", "overture"), list_sources(SourceOptions(absent)))
