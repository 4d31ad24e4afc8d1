"""Places from a CSV file: any order of columns, headings in several languages."""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrapersky.errors import SourceError
from scrapersky.extract.country_words import PLACE_WORDS
from scrapersky.extract.csv_bytes import CSVRefused
from scrapersky.extract.csv_headers import PLACE_HEADINGS, Mapped, mapped
from scrapersky.extract.csv_rows import CSVRow, read_rows
from scrapersky.extract.phone_numbers import read_number
from scrapersky.sources.listed import Found, found_from

READ_AT_ONCE = 1 << 16
MOST_PROBLEMS = 1_000
MOST_PLACES = 100_000
LONGEST = {"place_id": 300, "name": 500, "address": 1_000, "phone": 50, "website": 2_048, "category": 200}
_SPACES = re.compile(r"\s+")


@dataclass(slots=True)
class Listing:
    """A file as it was understood: the mapping is there to be shown, and so is every bad line."""

    places: list[Found] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    delimiter: str = ","
    encoding: str = "utf-8"


class CSVSource:
    """A search names its file (`params["file"]`), unless the source was made for one."""

    def __init__(self, file: str | Path | None = None) -> None:
        self._file = file

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[Found]:
        """The places of a kind and in a location, each as it is written; an empty word means any."""
        listing = await asyncio.to_thread(
            self.read, params.get("file") or self._file, int(params.get("limit") or 0)
        )
        return [one for one in listing.places if _is_of(one, kind) and _is_in(one, location)]

    async def details(self, place_id: str, raw: dict[str, Any]) -> Found:
        """The row itself, as a file has nothing more to tell; of its phone only what can be dialled."""
        found = found_from(raw)
        number = read_number(found.phone or "", _code(found.country))
        return replace(found, phone=number.e164 if number else None)

    def read(self, file: str | Path | None, limit: int = 0) -> Listing:
        if not file:
            raise SourceError("The source csv needs a file")
        try:
            with Path(file).open("rb") as opened:
                chunks = iter(lambda: opened.read(READ_AT_ONCE), b"")
                return read_listing(chunks, limit=limit)
        except OSError as error:
            raise SourceError(f"{file} cannot be read: {error.strerror}") from None
        except CSVRefused as error:
            raise SourceError(f"{Path(file).name}: {error}") from None


def read_listing(chunks: Iterable[bytes], *, limit: int = 0) -> Listing:
    """Places out of the bytes of a file; raises CSVRefused when it has no column that could be a name."""
    rows = read_rows(chunks)
    first = next(rows.rows)
    if first.problem:
        raise CSVRefused(f"line {first.number}: {first.problem}")
    mapping = mapped(first.cells, PLACE_HEADINGS)
    if mapping is None or not {"name", "website"} & set(mapping.columns):
        raise CSVRefused("no column is called name, company or website")
    listing = Listing(
        mapping=mapping.shown(), ignored=mapping.ignored(), delimiter=rows.delimiter, encoding=rows.encoding
    )
    for place in _places(rows.rows, mapping, listing.problems):
        if len(listing.places) == MOST_PLACES:
            raise CSVRefused(f"more than {MOST_PLACES:,} places; give them in parts")
        listing.places.append(place)
        if limit and len(listing.places) >= limit:
            break
    return listing


def _places(rows: Iterator[CSVRow], mapping: Mapped, problems: list[tuple[int, str]]) -> Iterator[Found]:
    seen: set[str] = set()
    for row in rows:
        place = None if row.problem else _place(row.cells, mapping)
        problem = row.problem or ("no name and no website" if place is None else "")
        if place is not None and place.place_id in seen:
            problem = "the same place as on a line before"
        if problem or place is None:
            if len(problems) < MOST_PROBLEMS:
                problems.append((row.number, problem))
            continue
        seen.add(place.place_id)
        yield place


def _place(cells: tuple[str, ...], mapping: Mapped) -> Found | None:
    given = {name: _SPACES.sub(" ", mapping.get(cells, name)) for name in mapping.columns}
    text = {name: value[: LONGEST.get(name, 300)] or None for name, value in given.items()}
    name = text.get("name") or text.get("website")
    if not name:
        return None
    parts = [text.get(part) for part in ("street", "postcode", "city", "state", "country")]
    address = text.get("address") or ", ".join(part for part in parts if part) or None
    return Found(
        place_id=text.get("place_id")
        or _key(name, address or text.get("website") or text.get("phone") or ""),
        name=name,
        category=text.get("category"),
        address=address,
        street=text.get("street"),
        city=text.get("city"),
        state=text.get("state"),
        postcode=text.get("postcode"),
        country=_country(text.get("country")),
        latitude=_number(given.get("latitude"), 90),
        longitude=_number(given.get("longitude"), 180),
        phone=text.get("phone"),
        website=text.get("website"),
        rating=_number(given.get("rating"), 5),
        reviews=_whole(given.get("reviews")),
    )


def _key(name: str, where: str) -> str:
    """A stable identifier for a row that has none: the same business in the same place is the same row."""
    text = f"{name}\n{where}".casefold()
    return "row-" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _country(text: str | None) -> str | None:
    """Two letters are a code; other words stay as they are."""
    return text.upper() if text and len(text) == 2 else text


def _code(country: str | None) -> str | None:
    """The code of a country that is given by code or by name."""
    if not country or len(country) == 2:
        return country
    return PLACE_WORDS.get(country.casefold(), (None, 0.0))[0]


def _number(text: str | None, most: float) -> float | None:
    """A number inside its range, with a point or a comma; anything else is left out."""
    try:
        value = float((text or "").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= most else None


def _whole(text: str | None) -> int | None:
    digits = re.sub(r"[.,'\s]", "", text or "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _is_of(place: Found, kind: str) -> bool:
    return not kind or not place.category or kind.casefold() in place.category.casefold()


def _is_in(place: Found, location: str) -> bool:
    """Every part of the location ("Portland, OR") stands somewhere in the address."""
    where = " ".join(
        part for part in (place.address, place.city, place.state, place.postcode, place.country) if part
    )
    words = [word.casefold() for word in re.split(r"[,;\s]+", location) if word]
    return not where or all(word in where.casefold() for word in words)
