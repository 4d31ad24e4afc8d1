"""Kinds of business in people's words, as categories of Overture Maps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

from scrapersky.errors import InvalidInput

MIN_SIMILARITY = 75
_CODE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")


@dataclass(frozen=True, slots=True)
class BusinessKind:
    """A line of kinds.txt; a star stands for any beginning of a category."""

    words: tuple[str, ...]
    categories: tuple[str, ...]

    def has_category(self, category: str) -> bool:
        return any(fnmatchcase(category, pattern) for pattern in self.categories)


def overture_kind(text: str) -> BusinessKind:
    """The categories for a kind; a category such as `gas_station_sushi` is taken as it is."""
    kinds, code = _kinds(), text.strip().lower()
    if known := next((kinds[form] for form in _forms(text) if form in kinds), None):
        return known
    if _CODE.fullmatch(code):
        return BusinessKind((code,), (code,))
    raise _unknown(text)


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
        words, categories = line.split("|")
        kind = BusinessKind(tuple(word.strip() for word in words.split(",")), tuple(categories.split()))
        kinds |= dict.fromkeys(kind.words, kind)
    return kinds


def _unknown(text: str) -> InvalidInput:
    # It takes longer to import than to read the list.
    from rapidfuzz import fuzz, process

    (word, *_) = _forms(text)
    similar = process.extract(word, list(_kinds()), scorer=fuzz.WRatio, limit=3, score_cutoff=MIN_SIMILARITY)
    names = [match[0] for match in similar]
    hint = f" Did you mean {' or '.join(names)}?" if names else ""
    return InvalidInput(
        f"Unknown kind of business {text[:100]!r}.{hint}"
        " A category of Overture Maps, such as gas_station_sushi, works too",
        suggestions=names,
    )
