"""A business as one source lists it, with the keys by which the same one is found elsewhere."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

import phonenumbers

from scrapersky.extract.geography import country_code
from scrapersky.extract.urls import read_host

# 300 m in degrees of latitude.
CELL_DEGREES = 0.0027
CELLS_PER_ROW = 1_000_000
# Letters that are written in other ways, beside those that lose an accent.
SPELLINGS = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "&": " and "}


@dataclass(frozen=True, slots=True)
class Listing:
    """What is compared. `words` are those of the name in plain letters; keys that are not known are empty."""

    source: str
    words: tuple[str, ...]
    category_words: frozenset[str]
    latitude: float | None
    longitude: float | None
    phone: str
    domain: str
    street_words: frozenset[str]
    house_numbers: frozenset[str]

    @property
    def cell(self) -> int | None:
        if self.latitude is None or self.longitude is None:
            return None
        return cell_of(self.latitude, self.longitude)


def read_listing(
    *,
    source: str,
    name: str,
    category: str | None = None,
    address: str | None = None,
    country: str | None = None,
    latitude: float | None = None,
    longitude: float | None = None,
    phone: str | None = None,
    website: str | None = None,
) -> Listing:
    address_words = plain_words(address or "")
    has_point = latitude is not None and longitude is not None
    return Listing(
        source=source,
        words=plain_words(name),
        category_words=frozenset(plain_words(category or "")),
        latitude=latitude if has_point else None,
        longitude=longitude if has_point else None,
        phone=_phone(phone, country),
        domain=_domain(website),
        street_words=frozenset(word for word in address_words if not word[0].isdigit()),
        house_numbers=frozenset(word for word in address_words if re.fullmatch(r"\d{1,4}[a-z]?", word)),
    )


def plain_words(text: str) -> tuple[str, ...]:
    """Lower case, without accents and punctuation."""
    text = "".join(SPELLINGS.get(letter, letter) for letter in text.lower())
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    # An apostrophe is left out of a name as often as it is written.
    return tuple(re.findall(r"\w+", plain.replace("'", "").replace("\u2019", "").replace("_", " ")))


def _phone(text: str | None, country: str | None) -> str:
    """The number in E.164; one whose country nobody knows cannot be compared."""
    if not text:
        return ""
    try:
        number = phonenumbers.parse(text, country_code(country or "") or None)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_possible_number(number):
        return ""
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _domain(website: str | None) -> str:
    """The registrable domain of the website; a page on a platform says nothing about who it is."""
    reading = read_host(website) if website else None
    return reading.registrable if reading and reading.ok and not reading.platform else ""


def cell_of(latitude: float, longitude: float) -> int:
    """The number of the cell, 300 m high and about 300 m wide, in which a point is."""
    row = _row(latitude)
    return row * CELLS_PER_ROW + _column(row, longitude)


def nearby_cells(latitude: float, longitude: float) -> list[int]:
    """The cell of the point and those around it: every point within 300 m is in one of them."""
    row = _row(latitude)
    return [
        near * CELLS_PER_ROW + _column(near, longitude) + step
        for near in (row - 1, row, row + 1)
        for step in (-1, 0, 1)
    ]


def _row(latitude: float) -> int:
    return math.floor((latitude + 90) / CELL_DEGREES)


def _column(row: int, longitude: float) -> int:
    """The rows near the poles have fewer columns, so that all cells are equally wide."""
    cosine = math.cos(math.radians((row + 0.5) * CELL_DEGREES - 90))
    return math.floor((longitude + 180) * max(cosine, 0.01) / CELL_DEGREES)
