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
from scrapersky.extract.emails.address_pattern import normalize_address
from scrapersky.extract.geography import country_code
from scrapersky.extract.geography.domain_endings import country_of_ending
from scrapersky.extract.geography.place_words import PLACE_WORDS
from scrapersky.extract.phones.numbers import read_number
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import (
    PLACE_HEADINGS,
    ColumnMapping,
    find_headings,
    split_company_and_person,
)
from scrapersky.sources.csv.rows import CSVRow, read_rows
from scrapersky.sources.source import Found, found_from

READ_AT_ONCE = 1 << 16
MOST_PROBLEMS = 1_000
MOST_PLACES = 100_000
LONGEST = {"place_id": 300, "name": 500, "address": 1_000, "phone": 50, "website": 2_048, "category": 200}
_LONGEST_EMAIL = 254
_SPACES = re.compile(r"\s+")
# The states of the USA without Delaware, because "Berlin, DE 10115" is as likely.
_STATE_CODES = """
    AL AK AZ AR CA CO CT DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH
    OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY
    """
_STATES = "|".join(_STATE_CODES.split())
# Postcodes that no other country writes alike. Behind the like of "MA 20250" a town follows elsewhere.
_POSTCODES = {
    "US": re.compile(rf"\b(?:{_STATES}),? \d{{5}}(?:-\d{{4}})?(?=\s*(?:[,;]|U\.?S|$))"),
    "CA": re.compile(r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b"),
    "GB": re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"),
}


@dataclass(slots=True)
class Listing:
    """A file as it was understood: the mapping is there to be shown, and so is every bad line."""

    places: list[Found] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    delimiter: str = ","
    encoding: str = "utf-8"
    # The encoding as people are told it, and lines of which something was passed over.
    assumed: str = "utf-8"
    notes: list[tuple[int, str]] = field(default_factory=list)


class CSVSource:
    """A search names its file (`params["file"]`), unless the source was made for one."""

    def __init__(self, file: str | Path | None = None) -> None:
        self._file = file

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[Found]:
        """The places of a kind and in a location, each as it is written; an empty word means any."""
        listing = await asyncio.to_thread(
            self.read,
            params.get("file") or self._file,
            int(params.get("limit") or 0),
            encoding=str(params.get("encoding") or ""),
            country=str(params.get("country") or ""),
        )
        return [one for one in listing.places if _is_of(one, kind) and _is_in(one, location)]

    async def details(self, place_id: str, raw: dict[str, Any]) -> Found:
        """The row itself, as a file has nothing more to tell; of its phone only what can be dialled."""
        found = found_from(raw)
        return replace(found, phone=dialled(found))

    def read(
        self, file: str | Path | None, limit: int = 0, *, encoding: str = "", country: str = ""
    ) -> Listing:
        if not file:
            raise SourceError("The source csv needs a file")
        try:
            with Path(file).open("rb") as open_database:
                chunks = iter(lambda: open_database.read(READ_AT_ONCE), b"")
                return read_listing(
                    chunks, limit=limit, file=Path(file).name, encoding=encoding, country=country
                )
        except OSError as error:
            raise SourceError(f"{file} cannot be read: {error.strerror}") from None
        except InvalidCSV as error:
            raise SourceError(f"{Path(file).name}: {error}") from None


def read_listing(
    chunks: Iterable[bytes], *, limit: int = 0, file: str = "", encoding: str = "", country: str = ""
) -> Listing:
    """Places out of the bytes of a file; raises CSVRefused when it has no column that could be a name.

    `country` is that of the rows that tell none; without an `encoding` it is guessed.
    """
    rows = read_rows(chunks, encoding=encoding)
    found = find_headings(rows.rows, PLACE_HEADINGS, needs=("name", "website"))
    if found.headings.problem:
        raise InvalidCSV(f"line {found.headings.number}: {found.headings.problem}")
    if found.mapping is None or not {"name", "website"} & set(found.mapping.columns):
        raise InvalidCSV("no column is called name, company or website")
    mapping = split_company_and_person(found.mapping)
    rows.notes += [(number, "above the headings, not read") for number in found.above]
    listing = Listing(
        mapping=mapping.described(),
        ignored=mapping.ignored(),
        delimiter=rows.delimiter,
        encoding=rows.encoding,
        assumed=rows.assumed,
        notes=rows.notes,
    )
    for one in _places(found.rows, mapping, listing.problems):
        place = _completed(one, file, country)
        if len(listing.notes) < MOST_PROBLEMS:
            listing.notes += [(place.line or 0, note) for note in _doubts(one, place)]
        if len(listing.places) == MOST_PLACES:
            raise InvalidCSV(f"more than {MOST_PLACES:,} places; give them in parts")
        listing.places.append(place)
        if limit and len(listing.places) >= limit:
            break
    return listing


def _places(
    rows: Iterator[CSVRow], mapping: ColumnMapping, problems: list[tuple[int, str]]
) -> Iterator[Found]:
    seen: set[str] = set()
    for row in rows:
        place = None if row.problem else _place(row.number, row.cells, mapping)
        problem = row.problem or ("no name and no website" if place is None else "")
        if place is not None and place.place_id in seen:
            problem = "the same place as on a line before"
        if problem or place is None:
            if len(problems) < MOST_PROBLEMS:
                problems.append((row.number, problem))
            continue
        seen.add(place.place_id)
        yield place


def _place(number: int, cells: tuple[str, ...], mapping: ColumnMapping) -> Found | None:
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
        email=text.get("email"),
        person=text.get("person")
        or " ".join(part for part in (text.get("first_name"), text.get("last_name")) if part)
        or None,
        job_title=text.get("job_title"),
        line=number,
    )


def _key(name: str, where: str) -> str:
    """A stable identifier for a row that has none: the same business in the same place is the same row."""
    text = f"{name}\n{where}".casefold()
    return "row-" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _completed(found: Found, file: str, country: str) -> Found:
    """The place with where it was listed, its country if that can be told, and an address that is one."""
    address = normalize_address(found.email or "")
    return replace(
        found,
        file=file or None,
        country=found.country or _told_by_address(found) or country.upper() or None,
        email=address if address and len(address) <= _LONGEST_EMAIL else None,
    )


def _doubts(given: Found, place: Found) -> Iterator[str]:
    """What of a row could not be used."""
    if given.email and not place.email:
        yield f"{given.email[:100]!r} is not an e-mail address"
    if place.phone and dialled(place) is None:
        is_local = not place.country and any(character.isdigit() for character in place.phone)
        reason = "needs a country (--country)" if is_local else "is not a number that can be dialled"
        yield f"phone {place.phone!r} {reason}"


def dialled(found: Found) -> str | None:
    """The phone of a place as it is dialled, in the country that the row speaks for."""
    if not found.phone:
        return None
    code = country_code(found.country) if found.country else None
    likely = [code] if code else [None, _told_by_city(found), *_told_by_web(found)]
    numbers = (read_number(found.phone, country) for country in dict.fromkeys(likely))
    return next((number.e164 for number in numbers if number), None)


def _told_by_address(found: Found) -> str | None:
    """The country that an address ends with, or whose postcode it has; two letters may be a state."""
    parts = [part.strip() for part in re.split(r"[,;\n]", found.address or "") if part.strip()]
    last = parts[-1] if parts else ""
    if len(last) > 2 and (code := country_code(last)):
        return code
    text = ", ".join(part for part in (found.address, found.state, found.postcode) if part)
    return next((code for code, shape in _POSTCODES.items() if shape.search(text)), None)


def _told_by_city(found: Found) -> str | None:
    code, weight = PLACE_WORDS.get((found.city or "").casefold(), (None, 0.0))
    return code if weight >= 1 else None


def _told_by_web(found: Found) -> list[str | None]:
    """The countries of the endings of its website and of its mail address."""
    hosts = [re.sub(r"^[a-z]+://|[/?#:].*$", "", found.website or "", flags=re.IGNORECASE)]
    hosts.append((found.email or "").rpartition("@")[2])
    return [country_of_ending(host.rstrip(".").rpartition(".")[2]) for host in hosts if "." in host]


def _country(text: str | None) -> str | None:
    """Two letters are a code; other words stay as they are."""
    return text.upper() if text and len(text) == 2 else text


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
