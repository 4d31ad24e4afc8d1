"""The visible text of a page as single lines that know their element and position."""

from typing import NamedTuple

from scrapersky.extract.document import Document

MAX_LINES = 20_000


class Line(NamedTuple):
    """One line of visible text; `block` counts the blocks of the page, `start` the characters of its text."""

    text: str
    start: int
    tag: str
    classes: str
    block: int


def lines_of(doc: Document) -> list[Line]:
    """The lines of a page in reading order."""
    lines: list[Line] = []
    for number, block in enumerate(doc.blocks):
        if "\n" not in block.text:
            lines.append(Line(block.text, block.start, block.tag, block.classes, number))
            continue
        start = block.start
        for text in block.text.split("\n"):
            lines.append(Line(text, start, block.tag, block.classes, number))
            start += len(text) + 1
    return lines[:MAX_LINES]
