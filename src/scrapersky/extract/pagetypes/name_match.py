"""Matches a path segment, a link text or a title with topics: whole, in part, or inside a compound."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from scrapersky.extract.pagetypes.topics import STRONG
from scrapersky.extract.pagetypes.vocabulary import (
    BEGINNING,
    FILLERS,
    Word,
    beginnings,
    lexicon,
    misleading,
    split_words,
)

MAX_NAME = 200  # Characters of one name that are looked at; names of pages are short.
_MAX_WORDS = 6  # A longer name is a headline, and its words are about something.
_MIN_STEM = 6
_MAX_UNSPACED = 24


class NameMatch(NamedTuple):
    """A match: the topic, how sure (0..1), the language, and the words that decided."""

    topic: str
    confidence: float
    language: str
    matched: str

    @property
    def is_whole(self) -> bool:
        """True when the whole name means the topic."""
        return self.confidence >= 0.9


@lru_cache(maxsize=16_384)
def match_name(text: str) -> NameMatch | None:
    """The best meaning of a name, or None."""
    words = split_words(text[:MAX_NAME])
    if not words:
        return None
    telling = [word for word in words if word not in FILLERS and not word.isdecimal()]
    return _whole(words, telling) or _part(telling)


def match_whole_name(text: str) -> NameMatch | None:
    """As `name_of`, but only when the whole name has a meaning."""
    words = split_words(text[:MAX_NAME])
    return _whole(words, [word for word in words if word not in FILLERS and not word.isdecimal()])


def _whole(words: list[str], telling: list[str]) -> NameMatch | None:
    """The meaning of all words, else of all but numbers, else of the telling ones."""
    known = lexicon()
    form = "".join(words)
    match = known.get(form)
    if match is None and len(telling) < len(words):
        form = "".join([word for word in words if not word.isdecimal()])
        match = known.get(form)
        if match is None:
            form = "".join(telling)
            match = known.get(form)
    return NameMatch(match.topic, 0.95, match.language, form) if match else None


def _part(words: list[str]) -> NameMatch | None:
    """A phrase at the start or end of a name, or inside one long word; never in a headline."""
    if not 0 < len(words) <= _MAX_WORDS:
        return None
    best: NameMatch | None = None
    begun = beginnings()
    if any(word[:BEGINNING] in begun for word in words):
        known = lexicon()
        for start, end in _spans(len(words)):
            phrase = known.get("".join(words[start:end]))
            if phrase and not phrase.is_whole:
                best = _better(best, _phrase(phrase, words, start, end))
    best = best or _compound(words)
    return None if best and _misleads(words) else best


@cache
def _spans(total: int) -> tuple[tuple[int, int], ...]:
    """Stretches of a name that may decide it: long enough for its length, at an edge unless of two words."""
    return tuple(
        (start, end)
        for start in range(total)
        for end in range(total, start, -1)
        if end - start >= (0.3 if start == 0 else 0.5) * total
        and (start == 0 or end == total or end - start > 1)
    )


def _misleads(words: list[str]) -> bool:
    return any(
        "".join(words[start:end]) in misleading()
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + 3) + 1)
    )


def _better(first: NameMatch | None, second: NameMatch | None) -> NameMatch | None:
    if first is None or second is None:
        return first or second
    return second if second.confidence > first.confidence else first


def _phrase(word: Word, words: list[str], start: int, end: int) -> NameMatch | None:
    share = (end - start) / len(words)
    if share < 0.5 and word.topic not in STRONG:
        return None
    confidence = 0.5 + 0.3 * share + (0.05 if start == 0 else 0.0)
    return NameMatch(word.topic, round(confidence, 2), word.language, "-".join(words[start:end]))


def _compound(words: list[str]) -> NameMatch | None:
    """One long word that begins or ends with a name: kontaktseite, ourservices, 会社概要ページ."""
    if len(words) != 1:
        return None
    word = words[0]
    if not word.isascii() and len(word) <= _MAX_UNSPACED and _UNSPACED.search(word):
        return _inside(word)
    for size in range(min(len(word) - 1, 40), _MIN_STEM - 1, -1):
        if size < 0.6 * len(word):
            return None
        for stem in (word[:size], word[-size:]):
            known = lexicon().get(stem)
            if known and not known.is_whole:
                return NameMatch(known.topic, 0.55, known.language, stem)
    return None


_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def _inside(word: str) -> NameMatch | None:
    """Scripts without spaces: the longest known name that makes up half of the word or more."""
    for size in range(len(word) - 1, 1, -1):
        if size * 2 < len(word):
            return None
        for start in range(len(word) - size + 1):
            known = lexicon().get(word[start : start + size])
            if known and not known.is_whole:
                return NameMatch(known.topic, 0.6, known.language, word[start : start + size])
    return None
