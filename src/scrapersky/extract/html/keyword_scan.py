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
from scrapersky.extract.text.cleanup import lower_letters

if TYPE_CHECKING:
    from scrapersky.extract.html.document import Document


_REMEMBERED = 16_384
_LONGEST_REMEMBERED = 300


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


class KeywordMemory:
    """One search for the keywords of all extractors, which remembers the texts that it has read.

    The pages of a site have many lines and links in common.
    """

    def __init__(self) -> None:
        self._groups: list[Collection[str]] = []
        self._known: dict[str, tuple[int, ...]] = {}
        self._search: ahocorasick_rs.AhoCorasick | None = None
        self._of_keyword: list[int] = []

    def add(self, groups: Iterable[Iterable[str]]) -> int:
        """Declare groups of keywords; returns the number of the first."""
        first = len(self._groups)
        self._groups += [frozenset(group) for group in groups]
        self._search = None
        self._known.clear()
        return first

    def find(self, texts: Sequence[str]) -> list[set[int]]:
        """For each group, the numbers of the texts that hold one of its keywords."""
        numbers: list[set[int]] = [set() for _ in self._groups]
        unread = []
        for number, groups in enumerate(map(self._known.get, texts)):
            if groups is None:
                unread.append(number)
            else:
                for group in groups:
                    numbers[group].add(number)
        if unread:
            self._read(texts, unread, numbers)
        return numbers

    def forget(self) -> None:
        """Forget all texts."""
        self._known.clear()

    def _read(self, texts: Sequence[str], unread: list[int], numbers: list[set[int]]) -> None:
        """Search the texts that are new, add what they hold, and remember it."""
        pieces = [texts[number] for number in unread]
        ends = list(accumulate([len(piece) + 1 for piece in pieces]))
        low = lower_letters("\n".join(pieces))
        search, of_keyword = self._search or self._compile(), self._of_keyword
        held: dict[int, tuple[int, ...]] = {}
        for keyword, start, _ in search.find_matches_as_indexes(low, overlapping=True):
            number, group = unread[bisect_right(ends, start)], of_keyword[keyword]
            if number not in numbers[group]:
                numbers[group].add(number)
                held[number] = (*held.get(number, ()), group)
        known = self._known
        if len(known) > _REMEMBERED:
            known.clear()
        for number, piece in zip(unread, pieces, strict=True):
            if len(piece) <= _LONGEST_REMEMBERED:
                known[piece] = held.get(number, ())

    def _compile(self) -> ahocorasick_rs.AhoCorasick:
        keywords = [(keyword, group) for group, held in enumerate(self._groups) for keyword in sorted(held)]
        self._of_keyword = [group for _, group in keywords]
        self._search = ahocorasick_rs.AhoCorasick(
            [keyword for keyword, _ in keywords], implementation=ahocorasick_rs.Implementation.ContiguousNFA
        )
        return self._search


class _OfLines(KeywordMemory):
    def search(self, doc: Document) -> list[set[int]]:
        return self.find([line.text for line in doc.lines])


class _OfLinks(KeywordMemory):
    def search(self, doc: Document) -> list[set[int]]:
        return self.find([link.raw for link in doc.links])


LINE_MEMORY, LINK_MEMORY = _OfLines(), _OfLinks()


class LineKeywords:
    """Groups of keywords in lower case that are looked for in the lines of a page."""

    def __init__(self, *groups: Iterable[str]) -> None:
        self._first = LINE_MEMORY.add(groups)
        self._count = len(groups)

    def search(self, doc: Document) -> list[set[int]]:
        """For each group, the lines that hold one of its keywords."""
        return doc.scan(LINE_MEMORY)[self._first : self._first + self._count]


class LinkKeywords:
    """Keywords in lower case that are looked for in the addresses of the links of a page."""

    def __init__(self, keywords: Iterable[str]) -> None:
        self._group = LINK_MEMORY.add([keywords])

    def search(self, doc: Document) -> Sequence[Link]:
        """The links that hold a keyword, in order."""
        return [doc.links[number] for number in sorted(doc.scan(LINK_MEMORY)[self._group])]
