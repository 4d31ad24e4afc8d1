"""The lines of a page's visible text, and where its digits are."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import ahocorasick_rs

MAX_LINES = 20_000
# Every character that is a decimal digit in some script; beyond this range there are none.
_DIGITS = [letter for letter in map(chr, range(0x1FC00)) if letter.isdecimal()]
_SEARCH = ahocorasick_rs.AhoCorasick(_DIGITS, implementation=ahocorasick_rs.Implementation.DFA)


class TextLine(NamedTuple):
    """One line of visible text; `block` counts the blocks of the page, `start` the characters of its text."""

    text: str
    start: int
    tag: str
    classes: str
    block: int


class DigitIndex(NamedTuple):
    """Places of the digits of a text, places where a run of digits begins, and the lines with digits."""

    places: list[int]
    runs: list[int]
    lines: list[int]


def index_digits(text: str, line_starts: list[int]) -> DigitIndex:
    """Find the digits of a text; `line_starts` are the places where its lines begin."""
    places = [start for _, start, _ in _SEARCH.find_matches_as_indexes(text)]
    runs = [place for place, before in zip(places, [-2, *places], strict=False) if place != before + 1]
    lines = dict.fromkeys([bisect_right(line_starts, place) - 1 for place in runs])
    return DigitIndex(places, runs, list(lines))
