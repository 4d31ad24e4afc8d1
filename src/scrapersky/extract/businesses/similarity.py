"""The evidence for and against two listings being the same business, as a sum of log-odds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from scrapersky.extract.businesses.listed_business import Listing

# Listings that share a key are rarely the same business: about one pair in fifty.
PRIOR = -4.0
EARTH_METRES = 6_371_000
# Words that say what a business is or how it is owned, not which one it is.
COMMON_WORDS = frozenset((
    "the", "and", "und", "et", "y", "e", "de", "der", "die", "das", "du", "la", "le", "les", "el", "los",
    "of", "von", "van", "am", "im", "in", "an", "for", "fur", "gmbh", "mbh", "ag", "kg", "ohg", "ug",
    "ek", "ev", "inc", "llc", "ltd", "limited", "plc", "corp", "co", "company", "sa", "sas", "sarl",
    "srl", "spa", "bv", "nv", "oy", "ab", "as", "shop", "store", "praxis", "dr", "med", "dent", "dental",
    "dentist", "zahnarzt", "zahnarztpraxis", "restaurant", "ristorante", "cafe", "bar", "hotel",
    "bakery", "backerei", "baeckerei", "konditorei", "salon", "studio", "clinic", "klinik", "center",
    "centre", "zentrum", "group", "service", "services", "pizzeria", "apotheke", "pharmacy", "friseur",
    "hair", "office", "firma",
))  # fmt: skip
# The same word, short and long.
ABBREVIATIONS = {
    "st": "street", "str": "strasse", "ave": "avenue", "rd": "road", "sq": "square", "pl": "platz",
    "bros": "brothers", "intl": "international", "assoc": "associates", "mt": "mount", "ft": "fort",
    "n": "north", "s": "south", "w": "west",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """The log-odds that two listings are one business, and what each piece of evidence added."""

    log_odds: float
    evidence: dict[str, dict[str, Any]]


def compare_listings(
    first: Listing, second: Listing, *, is_phone_shared: bool = False, is_domain_shared: bool = False
) -> Comparison:
    """A key is shared if one source lists several businesses with it: a switchboard, a chain, a franchise."""
    distance = _distance(first, second)
    pieces = {
        "name": _compare_names(first, second),
        "phone": _compare_phones(first, second, is_shared=is_phone_shared),
        "domain": _compare_domains(first, second, is_shared=is_domain_shared),
        "distance": _compare_distance(distance),
        "address": _compare_addresses(first, second),
    }
    evidence = {
        name: {"log_odds": value, "why": why} for name, (value, why) in pieces.items() if why is not None
    }
    total = PRIOR + sum(value for value, _ in pieces.values())
    return Comparison(round(total, 2), evidence)


Piece = tuple[float, str | None]
UNKNOWN: Piece = (0.0, None)


def _compare_names(first: Listing, second: Listing) -> Piece:
    kinds = COMMON_WORDS | first.category_words | second.category_words
    names = _own_words(first.words, kinds), _own_words(second.words, kinds)
    if not all(names):
        # Nothing but words of the trade: the same ones say little, different ones nothing.
        alike = fuzz.token_sort_ratio(" ".join(first.words), " ".join(second.words))
        return (1.0, "only common words, the same") if alike >= 95 else (-0.5, "only common words")
    alike = _similarity(*names)
    for least, value in ((95, 4.0), (87, 2.5), (78, 1.0), (65, -1.0), (45, -3.0)):
        if alike >= least:
            return value, f"{alike:.0f} % alike without common words"
    return -5.0, f"{alike:.0f} % alike without common words"


def _own_words(words: tuple[str, ...], kinds: frozenset[str]) -> list[str]:
    return [ABBREVIATIONS.get(word, word) for word in words if word not in kinds]


def _similarity(first: list[str], second: list[str]) -> float:
    """Of the words in any order; initials and cut words count as the words that they stand for."""
    whole = fuzz.token_sort_ratio(" ".join(first), " ".join(second))
    joined = fuzz.ratio("".join(first), "".join(second))
    short, long = sorted((first, second), key=len)
    matched = [word for word in short if any(_is_short_for(word, full) for full in long)]
    covered = 90.0 if len(matched) == len(short) and sum(map(len, matched)) >= 4 else 0.0
    return max(whole, joined, covered)


def _is_short_for(word: str, full: str) -> bool:
    return word == full or (len(word) >= 1 and full.startswith(word) and len(full) > len(word))


def _compare_phones(first: Listing, second: Listing, *, is_shared: bool) -> Piece:
    if not first.phone or not second.phone:
        return UNKNOWN
    if first.phone != second.phone:
        return -1.5, "different"
    return (1.0, "the same, but others have it too") if is_shared else (5.0, "the same")


def _compare_domains(first: Listing, second: Listing, *, is_shared: bool) -> Piece:
    if not first.domain or not second.domain:
        return UNKNOWN
    if first.domain != second.domain:
        return -1.0, "different"
    return (0.5, "the same, but others have it too") if is_shared else (3.5, "the same")


def _distance(first: Listing, second: Listing) -> float | None:
    """In metres; on so short a way the earth is flat."""
    if (
        first.latitude is None
        or second.latitude is None
        or first.longitude is None
        or second.longitude is None
    ):
        return None
    north = math.radians(first.latitude - second.latitude)
    middle = math.radians((first.latitude + second.latitude) / 2)
    east = math.radians((first.longitude - second.longitude + 180) % 360 - 180) * math.cos(middle)
    return EARTH_METRES * math.hypot(north, east)


def _compare_distance(metres: float | None) -> Piece:
    if metres is None:
        return UNKNOWN
    for limit, value in ((30, 2.0), (100, 1.2), (300, 0.2), (1_000, -1.5), (5_000, -3.0)):
        if metres <= limit:
            return value, f"{metres:,.0f} m"
    return -6.0, f"{metres / 1000:,.0f} km"


def _compare_addresses(first: Listing, second: Listing) -> Piece:
    if not first.house_numbers or not second.house_numbers:
        return UNKNOWN
    street = fuzz.token_set_ratio(" ".join(sorted(first.street_words)), " ".join(sorted(second.street_words)))
    if first.house_numbers & second.house_numbers and street >= 80:
        return 1.5, "the same"
    return -1.0, "different"
