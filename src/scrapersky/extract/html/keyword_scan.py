"""Fast keyword scans of a page: they decide which lines, links and parts a slower extractor must read.

Each extractor declares the keywords it needs; `Document.scan` runs a scan once per page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import ahocorasick_rs

from scrapersky.extract.html.links import Link

if TYPE_CHECKING:
    from scrapersky.extract.html.document import Document


class SourceKeywords:
    """Keywords in the bytes of a page; a longer one stands before a shorter one that begins it.

    At most 64 keywords of four letters or more keep the search in its fastest mode.
    """

    def __init__(self, keywords: Iterable[str], *, max_places: int | None = None) -> None:
        self._keywords = tuple(keywords)
        self._max_places = max_places
        self._search = ahocorasick_rs.BytesAhoCorasick(
            [keyword.encode() for keyword in self._keywords],
            matchkind=ahocorasick_rs.MatchKind.LeftmostFirst,
        )

    def search(self, doc: Document) -> Mapping[str, list[int]]:
        """The keywords that occur in a page, each with its first places."""
        return self.search_bytes(doc.raw)

    def search_bytes(self, raw: bytes) -> dict[str, list[int]]:
        """The keywords that occur in the bytes, each with its first places."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        keywords = self._keywords
        for number, start, _ in self._search.find_matches_as_indexes(raw):
            places[keywords[number]].append(start)
        return {keyword: starts[: self._max_places] for keyword, starts in places.items()}


class LineKeywords:
    """Groups of keywords in lower case that are looked for in the lines of a page."""

    def __init__(self, *groups: Collection[str]) -> None:
        self._groups = [number for number, group in enumerate(groups) for _ in group]
        self._count = len(groups)
        self._search = ahocorasick_rs.AhoCorasick(
            [keyword for group in groups for keyword in group],
            implementation=ahocorasick_rs.Implementation.DFA,
        )

    def search(self, doc: Document) -> list[set[int]]:
        """For each group, the lines that hold one of its keywords.

        Every line counts when lower case changes the number of letters, because places are then wrong.
        """
        starts, low = doc.line_starts, doc.lower_text
        if len(low) != len(doc.text):
            return [set(range(len(starts))) for _ in range(self._count)]
        lines: list[set[int]] = [set() for _ in range(self._count)]
        for number, start, _ in self._search.find_matches_as_indexes(low, overlapping=True):
            lines[self._groups[number]].add(bisect_right(starts, start) - 1)
        return lines


class LinkKeywords:
    """Keywords in lower case that are looked for in the addresses of the links of a page."""

    def __init__(self, keywords: Iterable[str]) -> None:
        self._search = ahocorasick_rs.AhoCorasick(
            list(dict.fromkeys(keywords)), matchkind=ahocorasick_rs.MatchKind.LeftmostFirst
        )

    def search(self, doc: Document) -> Sequence[Link]:
        """The links that hold a keyword, in order; all when lower case changes the number of letters."""
        links = doc.links
        addresses = [link.raw for link in links]
        joined = "\n".join(addresses)
        low = joined.lower()
        if len(low) != len(joined):
            return links
        ends = list(accumulate([len(address) + 1 for address in addresses]))
        matches = self._search.find_matches_as_indexes(low)
        numbers = dict.fromkeys([bisect_right(ends, start) for _, start, _ in matches])
        return [links[number] for number in numbers]
