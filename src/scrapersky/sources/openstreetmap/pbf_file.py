"""Elements of a PBF file, such as an extract of a region."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapersky.errors import SourceError
from scrapersky.sources.openstreetmap.element import NODE, RELATION, WAY, Coordinates, Element

if TYPE_CHECKING:
    from osmium import BaseFilter


class PBFElements:
    """Each kind of question is one pass over the file; what does not pass its filter never reaches Python."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def tagged(self, keys: Collection[str]) -> Iterator[Element]:
        import osmium

        for element in self._read(NODE, osmium.filter.KeyFilter(*keys)):
            if element.location.valid():
                yield Element(NODE, element.id, dict(element.tags), _position(element))
        for element in self._read(WAY, osmium.filter.KeyFilter(*keys)):
            yield Element(WAY, element.id, dict(element.tags), nodes=_nodes(element))
        for element in self._read(RELATION, osmium.filter.KeyFilter(*keys)):
            # The references of members are valid during this step only.
            members = [(member.type, member.ref) for member in element.members]
            nodes, ways = ([ref for type_, ref in members if type_ == letter] for letter in "nw")
            yield Element(RELATION, element.id, dict(element.tags), nodes=nodes, ways=ways)

    def way_nodes(self, ways: Collection[int]) -> Iterator[tuple[int, Sequence[int]]]:
        import osmium

        for element in self._read(WAY, osmium.filter.IdFilter(ways)):
            yield element.id, _nodes(element)

    def positions(self, nodes: Collection[int]) -> Iterator[tuple[int, Coordinates]]:
        import osmium

        for element in self._read(NODE, osmium.filter.IdFilter(nodes)):
            if element.location.valid():
                yield element.id, _position(element)

    def _read(self, type_: str, condition: BaseFilter) -> Iterator[Any]:
        import osmium

        bits = {NODE: osmium.osm.NODE, WAY: osmium.osm.WAY, RELATION: osmium.osm.RELATION}
        with self._errors():
            yield from osmium.FileProcessor(osmium.io.File(str(self._path), "pbf"), bits[type_]).with_filter(
                condition
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0][:300]
            raise SourceError(f"{self._path.name} cannot be read as PBF: {reason}") from None


def _position(node: Any) -> Coordinates:
    return Coordinates(round(node.location.lat, 7), round(node.location.lon, 7))


def _nodes(way: Any) -> list[int]:
    return [node.ref for node in way.nodes]
