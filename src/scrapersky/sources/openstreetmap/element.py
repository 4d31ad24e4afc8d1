"""Elements of OpenStreetMap: nodes, ways and relations with tags, as a file of either format lists them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scrapersky.sources.box import Box
from scrapersky.sources.kinds import OSMTags

NODE, WAY, RELATION = "node", "way", "relation"


@dataclass(frozen=True, slots=True)
class Coordinates:
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Element:
    """An element with tags; `nodes` and `ways` are what it is made of if its file gives it no position."""

    type: str
    id: int
    tags: Mapping[str, str]
    position: Coordinates | None = None
    nodes: Sequence[int] = ()
    ways: Sequence[int] = ()

    @property
    def place_id(self) -> str:
        return f"{self.type}/{self.id}"

    @property
    def name(self) -> str:
        return " ".join((self.tags.get("name") or self.tags.get("brand") or "").split())


class ElementFile(Protocol):
    """A file of elements that can be read several times, never as a whole."""

    def tagged(self, keys: Collection[str]) -> Iterator[Element]:
        """Elements with one of the keys at least."""

    def way_nodes(self, ways: Collection[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """The nodes of these ways."""

    def positions(self, nodes: Collection[int]) -> Iterator[tuple[int, Coordinates]]:
        """Where these nodes are."""


def find_elements(file: ElementFile, kind: OSMTags, box: Box) -> Iterator[Element]:
    """Elements of the kind in the box that have a name.

    Those without a position get the centre of their nodes. Memory grows with the elements of the kind
    whose position is not known at once, not with the file.
    """
    waiting: list[Element] = []
    for element in file.tagged(kind.keys):
        if not element.name or not kind.matches(element.tags):
            continue
        if element.position is None:
            waiting.append(element)
        elif box.contains(element.position.latitude, element.position.longitude):
            yield element
    yield from _located(file, waiting, box)


def _located(file: ElementFile, waiting: Sequence[Element], box: Box) -> Iterator[Element]:
    ways = {way for element in waiting for way in element.ways}
    way_nodes = dict(file.way_nodes(ways)) if ways else {}

    def nodes_of(element: Element) -> Iterator[int]:
        yield from element.nodes
        for way in element.ways:
            yield from way_nodes.get(way, ())

    nodes = {node for element in waiting for node in nodes_of(element)}
    positions = dict(file.positions(nodes)) if nodes else {}
    for element in waiting:
        centre = centre_of(positions[node] for node in nodes_of(element) if node in positions)
        if centre and box.contains(centre.latitude, centre.longitude):
            yield Element(element.type, element.id, element.tags, centre)


def centre_of(points: Iterable[Coordinates]) -> Coordinates | None:
    """The centre of the box around the points, as Overpass computes it."""
    points = list(points)
    if not points:
        return None
    latitudes, longitudes = [point.latitude for point in points], [point.longitude for point in points]
    latitude, longitude = (min(latitudes) + max(latitudes)) / 2, (min(longitudes) + max(longitudes)) / 2
    return Coordinates(round(latitude, 7), round(longitude, 7))
