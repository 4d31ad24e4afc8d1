"""Kinds of business in people's words, as categories of Overture Maps and tags of OpenStreetMap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from scrapersky.errors import InvalidInput

MIN_SIMILARITY = 75
_CODE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
_TAG = re.compile(r"[a-z0-9_:]+=[a-z0-9_:-]+(?:&[a-z0-9_:]+=[a-z0-9_:-]+)*")


@dataclass(frozen=True, slots=True)
class OSMTags:
    """Tags of which an element has all of one alternative at least."""

    alternatives: tuple[tuple[tuple[str, str], ...], ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The first key of every alternative: an element of the kind has one of them."""
        return tuple(dict.fromkeys(tags[0][0] for tags in self.alternatives))

    def matches(self, tags: Mapping[str, str]) -> bool:
        return any(
            all(value in _values(tags.get(key, "")) for key, value in alternative)
            for alternative in self.alternatives
        )


def _values(text: str) -> list[str]:
    return [value.strip() for value in text.split(";")]


@dataclass(frozen=True, slots=True)
class BusinessKind:
    """A line of kinds.txt; a star stands for any beginning of a category."""

    words: tuple[str, ...]
    categories: tuple[str, ...]
    tags: OSMTags


def overture_kind(text: str) -> BusinessKind:
    """The categories for a kind; a category such as `gas_station_sushi` is taken as it is."""
    kinds, code = _kinds(), text.strip().lower()
    if known := next((kinds[form] for form in _forms(text) if form in kinds), None):
        return known
    if _CODE.fullmatch(code):
        return BusinessKind((code,), (code,), OSMTags(()))
    raise _unknown(text, "A category of Overture Maps, such as gas_station_sushi, works too")


def osm_kind(text: str) -> OSMTags:
    """The tags for a kind; tags such as `shop=bakery` or `shop=car&brand=Example` are taken as they are."""
    kinds, code = _kinds(), text.strip()
    if _TAG.fullmatch(code.lower()):
        return _tags(code)
    hint = "Tags of OpenStreetMap, such as shop=bakery, work too"
    known = next((kinds[form] for form in _forms(text) if form in kinds), None)
    if known is None:
        raise _unknown(text, hint)
    if not known.tags.alternatives:
        raise InvalidInput(f"OpenStreetMap has no usual tag for {known.words[0]}. {hint}")
    return known.tags


def kind_words() -> list[str]:
    """The first word of every kind, for suggestions while people type."""
    return sorted({kind.words[0] for kind in _kinds().values()})


def _forms(text: str) -> Iterator[str]:
    """The text in lower case, then its singular forms."""
    word = " ".join(re.sub(r"[_\s]+", " ", text.casefold()).split())
    yield word
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s"):
        yield word[:-1]


@cache
def _kinds() -> dict[str, BusinessKind]:
    content = resources.files("scrapersky.sources").joinpath("data/kinds.txt").read_text(encoding="utf-8")
    kinds: dict[str, BusinessKind] = {}
    for line in content.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words, categories, tags = (*line.split("|"), "")[:3]
        kind = BusinessKind(
            tuple(word.strip() for word in words.split(",")), tuple(categories.split()), _tags(tags)
        )
        kinds |= dict.fromkeys(kind.words, kind)
    return kinds


def _tags(text: str) -> OSMTags:
    def pairs(alternative: str) -> Iterator[tuple[str, str]]:
        for tag in alternative.split("&"):
            key, _, value = tag.partition("=")
            yield key, value

    return OSMTags(tuple(tuple(pairs(alternative)) for alternative in text.split()))


def _unknown(text: str, advice: str) -> InvalidInput:
    # It takes longer to import than to read the list.
    from rapidfuzz import fuzz, process

    (word, *_) = _forms(text)
    similar = process.extract(word, list(_kinds()), scorer=fuzz.WRatio, limit=3, score_cutoff=MIN_SIMILARITY)
    names = [match[0] for match in similar]
    hint = f" Did you mean {' or '.join(names)}?" if names else ""
    return InvalidInput(
        f"Unknown kind of business {text[:100]!r}.{hint} {advice}",
        suggestions=names,
    )
