"""The visible text of a page as single lines that know their element and position."""

from typing import NamedTuple

MAX_LINES = 20_000


class TextLine(NamedTuple):
    """One line of visible text; `block` counts the blocks of the page, `start` the characters of its text."""

    text: str
    start: int
    tag: str
    classes: str
    block: int
