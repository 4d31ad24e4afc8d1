"""Elements in the answer of Overpass: `[out:json]` with center, geometry, or ways and their nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from scrapersky.errors import SourceError
from scrapersky.sources.openstreetmap.element import (
    NODE,
    RELATION,
    WAY,
    Coordinates,
    Element,
    centre_of,
)
from scrapersky.sources.openstreetmap.json_cursor import JSONCursor

# What Overpass says if it could not answer the whole query, behind the elements.
REMARK = "remark"


class JSONElements:
    def __init__(self, path: Path) -> None:
        self._path = path

    def tagged(self, keys: Collection[str]) -> Iterator[Element]:
        for record in self._records():
            tags = record.get("tags")
            if isinstance(tags, dict) and not tags.keys().isdisjoint(keys):
                yield _element(record, tags)

    def way_nodes(self, ways: Collection[int]) -> Iterator[tuple[int, Sequence[int]]]:
        for record in self._records():
            if record.get("type") == WAY and record["id"] in ways:
                yield record["id"], _ids(record.get("nodes"))

    def positions(self, nodes: Collection[int]) -> Iterator[tuple[int, Coordinates]]:
        for record in self._records():
            if record.get("type") == NODE and record["id"] in nodes and (position := _point(record)):
                yield record["id"], position

    def _records(self) -> Iterator[dict[str, Any]]:
        with self._path.open(encoding="utf-8-sig") as file:
            cursor, is_found = JSONCursor(file, self._path.name), False
            cursor.expect("{")
            while cursor.peek() != "}":
                key = cursor.value()
                cursor.expect(":")
                if key == "elements":
                    is_found = True
                    yield from self._array(cursor)
                elif (value := cursor.value()) and key == REMARK:
                    raise SourceError(f"{self._path.name} is incomplete; Overpass says: {str(value)[:300]}")
                if cursor.peek() != "}":
                    cursor.expect(",")
            if not is_found:
                raise SourceError(f"{self._path.name} has no elements; it is not an answer of Overpass")

    def _array(self, cursor: JSONCursor) -> Iterator[dict[str, Any]]:
        cursor.expect("[")
        while cursor.peek() != "]":
            record = cursor.value()
            is_element = isinstance(record, dict) and record.get("type") in (NODE, WAY, RELATION)
            if not is_element or not isinstance(record.get("id"), int):
                raise cursor.error("expected a node, way or relation with an id before this")
            yield record
            if cursor.peek() != "]":
                cursor.expect(",")
        cursor.expect("]")


def _element(record: dict[str, Any], tags: dict[str, Any]) -> Element:
    texts = {key: value for key, value in tags.items() if isinstance(value, str)}
    members = [member for member in _list(record.get("members")) if isinstance(member, dict)]
    nodes = _ids(record.get("nodes")) + _ids(
        [member.get("ref") for member in members if member.get("type") == NODE]
    )
    ways = _ids([member.get("ref") for member in members if member.get("type") == WAY])
    return Element(record["type"], record["id"], texts, _position(record, members), nodes, ways)


def _position(record: dict[str, Any], members: list[dict[str, Any]]) -> Coordinates | None:
    """As the answer gives it: the node itself, a centre, bounds, or the geometry."""
    if position := _point(record) or _point(record.get("center")):
        return position
    bounds = record.get("bounds")
    if isinstance(bounds, dict):
        corners = [
            {"lat": bounds.get(f"{side}lat"), "lon": bounds.get(f"{side}lon")} for side in ("min", "max")
        ]
        if all(map(_point, corners)):
            return centre_of(filter(None, map(_point, corners)))
    points = [*_list(record.get("geometry")), *members]
    points += [point for member in members for point in _list(member.get("geometry"))]
    return centre_of(filter(None, map(_point, points)))


def _point(value: Any) -> Coordinates | None:
    if not isinstance(value, dict):
        return None
    latitude, longitude = value.get("lat"), value.get("lon")
    if not isinstance(latitude, int | float) or not isinstance(longitude, int | float):
        return None
    is_on_earth = -90 <= latitude <= 90 and -180 <= longitude <= 180
    return Coordinates(float(latitude), float(longitude)) if is_on_earth else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ids(value: Any) -> list[int]:
    return [member for member in _list(value) if isinstance(member, int)]
