"""Boxes: around a point, over the 180th meridian, near a pole; what cannot be one is refused."""

from __future__ import annotations

import pytest

from scrapersky.errors import InvalidInput
from scrapersky.sources.box import Box, parse_box, parse_point


def test_a_box_around_a_point_holds_the_circle() -> None:
    box = Box.around(52.5, 13.4, 10)
    assert box.contains(52.5, 13.4)
    assert box.contains(52.589, 13.4)
    assert not box.contains(52.6, 13.4)
    assert box.contains(52.5, 13.54)
    assert not box.contains(52.5, 13.56)


def test_a_box_may_cross_the_180th_meridian() -> None:
    box = Box.around(-17.8, 179.9, 50)
    assert box.crosses
    assert box.contains(-17.8, -179.9)
    assert box.contains(-17.8, 179.5)
    assert not box.contains(-17.8, 0)
    assert Box.from_json(box.to_json()) == box


def test_near_a_pole_every_longitude_is_near() -> None:
    box = Box.around(89.9, 20, 100)
    assert box.contains(89.5, -160)
    assert box.north == 90


def test_texts_are_read() -> None:
    assert parse_box("52.3, 13.1,52.7,13.8") == Box(52.3, 13.1, 52.7, 13.8)
    assert parse_point("52.5,13.4") == (52.5, 13.4)


@pytest.mark.parametrize(
    "text",
    ["", "1,2,3", "52,13,51,14", "52,14,53,13", "91,0,92,1", "0,-200,1,0", "0,0,nan,1", "a,b,c,d", "1,1,2,1"],
)
def test_what_is_not_a_box_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_box(text)


@pytest.mark.parametrize(
    ("latitude", "longitude", "radius"), [(91, 0, 1), (0, 181, 1), (0, 0, 0), (0, 0, 501)]
)
def test_what_is_not_a_circle_is_refused(latitude: float, longitude: float, radius: float) -> None:
    with pytest.raises(InvalidInput):
        Box.around(latitude, longitude, radius)
    with pytest.raises(InvalidInput):
        parse_point("here")
