"""Addresses as countries write them, from a public collection when it is there: how many are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from quality.scores import folded
from quality.shared import FOLDER
from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

FORMATS = FOLDER / "address-formats"
_STREETS = ("road", "street", "pedestrian", "footway")
_NUMBERS = ("house_number", "housenumber")


@dataclass(slots=True)
class Written:
    """An address: its components, and the lines as they are written in its country."""

    components: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def component(self, names: tuple[str, ...]) -> str:
        return next((self.components[name] for name in names if name in self.components), "")

    @property
    def has_street_and_number(self) -> bool:
        """Whether street and number are known and written."""
        text = folded(" ".join(self.lines))
        street, number = folded(self.component(_STREETS)), folded(self.component(_NUMBERS))
        return bool(street and number) and street in text and number in text


def found() -> tuple[int, int]:
    """How many of the addresses with street and number are found, of how many."""
    wanted = [one for one in _collection() if one.has_street_and_number]
    return sum(map(_is_found, wanted)), len(wanted)


def _is_found(written: Written) -> bool:
    body = f"<p>{'<br>'.join(map(escape, written.lines))}</p>"
    hints = Hints(written.components.get("country_code", "").upper() or None)
    texts = [folded(one.text) for one in read_page(body, hints).addresses]
    parts = [folded(written.component(names)) for names in (_STREETS, _NUMBERS)]
    return any(all(part in text for part in parts) for text in texts)


def _collection() -> Iterator[Written]:
    for file in sorted(FORMATS.glob("*.yaml")):
        for document in file.read_text("utf-8").split("\n---"):
            yield _parse(document)


def _parse(document: str) -> Written:
    """Only what the collection uses of YAML: a map of plain values, and a block of lines."""
    written, part = Written(), ""
    for line in document.splitlines():
        text = line.strip()
        if line and not line[0].isspace():
            part = text.partition(":")[0]
        elif part == "expected" and text:
            written.lines.append(text)
        elif part == "components" and ":" in text:
            name, _, value = text.partition(":")
            written.components[name] = value.strip().strip("'\"")
    return written
