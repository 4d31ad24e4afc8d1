"""The visible text of a page as single lines that know their element and position."""

from typing import NamedTuple

from scrapersky.extract.walk import Block

MAX_LINES = 20_000


class Line(NamedTuple):
    """One line of visible text; `block` counts the blocks of the page, `start` the characters of its text."""

    text: str
    start: int
    tag: str
    classes: str
    block: int


def lines_in(blocks: tuple[Block, ...]) -> list[Line]:
    """The lines of a page's blocks in reading order."""
    lines: list[Line] = []
    for number, (text, start, tag, classes) in enumerate(blocks):
        if "\n" not in text:
            lines.append(Line(text, start, tag, classes, number))
            continue
        for part in text.split("\n"):
            lines.append(Line(part, start, tag, classes, number))
            start += len(part) + 1
    return lines[:MAX_LINES]
