"""Places from a CSV file: any order of columns, headings in several languages."""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrapersky.errors import SourceError
from scrapersky.extract.emails.address_pattern import normalize_address
from scrapersky.extract.geography import country_code
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import (
    PLACE_HEADINGS,
    ColumnMapping,
    choose_columns,
    find_headings,
    named_heading,
    split_company_and_person,
)
from scrapersky.sources.csv.rows import CSVRow, read_rows
from scrapersky.sources.phone import dialable_phone
from scrapersky.sources.source import MAX_PLACES, ListedPlace

CHUNK_BYTES = 1 << 16
MAX_PROBLEMS = 1_000
NO_COLUMNS: Mapping[str, str] = MappingProxyType({})
MAX_LENGTHS = {"place_id": 300, "name": 500, "address": 1_000, "phone": 50, "website": 2_048, "category": 200}
_MAX_EMAIL_LENGTH = 254
_SPACES = re.compile(r"\s+")
# The states of the USA without Delaware, because "Berlin, DE 10115" is as likely.
_STATE_CODES = """
    AL AK AZ AR CA CO CT DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH
    OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY
    """
_STATES = "|".join(_STATE_CODES.split())
# Postcodes of a form that only one country uses. In other countries a town follows "MA 20250".
_POSTCODES = {
    "US": re.compile(rf"\b(?:{_STATES}),? \d{{5}}(?:-\d{{4}})?(?=\s*(?:[,;]|U\.?S|$))"),
    "CA": re.compile(r"\b[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d\b"),
    "GB": re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"),
}


@dataclass(slots=True)
class PlaceFile:
    """The places of a file, how its columns were understood, and its bad lines."""

    places: list[ListedPlace] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    delimiter: str = ","
    encoding: str = "utf-8"
    # The encoding as messages show it, and lines of which something was ignored.
    assumed: str = "utf-8"
    notes: list[tuple[int, str]] = field(default_factory=list)


class CSVSource:
    """The file is `params["file"]` of a search, unless the source was made for one file."""

    def __init__(self, file: str | Path | None = None) -> None:
        self._file = file

    async def search(self, kind: str, location: str, params: dict[str, Any]) -> Sequence[ListedPlace]:
        """The places of a kind in a location, as written in the file; an empty text means any."""
        content = await asyncio.to_thread(
            self.read,
            params.get("file") or self._file,
            int(params.get("limit") or 0),
            encoding=str(params.get("encoding") or ""),
            country=str(params.get("country") or ""),
            columns=params.get("columns") or {},
        )
        return [place for place in content.places if _has_kind(place, kind) and _is_in(place, location)]

    async def details(self, place_id: str, raw: dict[str, Any]) -> ListedPlace:
        """The row itself: a file has no further details. The phone number is in E.164, or missing."""
        place = ListedPlace.from_json(raw)
        return replace(place, phone=dialable_phone(place))

    def read(
        self,
        file: str | Path | None,
        limit: int = 0,
        *,
        encoding: str = "",
        country: str = "",
        columns: Mapping[str, str] = NO_COLUMNS,
    ) -> PlaceFile:
        if not file:
            raise SourceError("The source csv needs a file")
        with _open(file) as chunks:
            return read_places(
                chunks,
                limit=limit,
                file=Path(file).name,
                encoding=encoding,
                country=country,
                columns=columns,
            )


@contextmanager
def _open(file: str | Path) -> Iterator[Iterator[bytes]]:
    try:
        with Path(file).open("rb") as stream:
            yield iter(lambda: stream.read(CHUNK_BYTES), b"")
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {error.strerror}") from None
    except InvalidCSV as error:
        raise SourceError(f"{Path(file).name}: {error}") from None


def read_columns(file: str | Path, *, encoding: str = "", heading: str = "") -> ColumnMapping:
    """The headings of a file, and what they say of the columns; `heading` is one that a person named."""
    with _open(file) as chunks:
        header = find_headings(
            read_rows(chunks, encoding=encoding).rows, PLACE_HEADINGS, heading, needs=("name", "website")
        )
    return split_company_and_person(header.mapping or ColumnMapping({}, header.headings.cells))


def read_places(
    chunks: Iterable[bytes],
    *,
    limit: int = 0,
    file: str = "",
    encoding: str = "",
    country: str = "",
    columns: Mapping[str, str] = NO_COLUMNS,
) -> PlaceFile:
    """The places in the bytes of a file; raises InvalidCSV if no column can be a name.

    `country` applies to rows without one; without an `encoding` it is guessed. `columns` are the headings
    that a person chose for our fields, or `column 3`; then no other column is read.
    """
    rows = read_rows(chunks, encoding=encoding)
    heading = named_heading(columns)
    header = find_headings(rows.rows, PLACE_HEADINGS, heading, needs=("name", "website"))
    if header.headings.problem:
        raise InvalidCSV(f"line {header.headings.number}: {header.headings.problem}")
    mapping = (
        choose_columns(header.headings.cells if heading or header.mapping else (), columns)
        if columns
        else split_company_and_person(header.mapping or ColumnMapping())
    )
    if not {"name", "website"} & set(mapping.columns):
        raise InvalidCSV("no column is called name, company or website")
    rows.notes += [(number, "above the headings, not read") for number in header.above]
    content = PlaceFile(
        mapping=mapping.described(),
        ignored=mapping.ignored(),
        delimiter=rows.delimiter,
        encoding=rows.encoding,
        assumed=rows.assumed,
        notes=rows.notes,
    )
    for raw in _places(header.rows, mapping, content.problems):
        place = _complete(raw, file, country)
        if len(content.notes) < MAX_PROBLEMS:
            content.notes += [(place.line or 0, note) for note in _notes(raw, place)]
        if len(content.places) == MAX_PLACES:
            raise InvalidCSV(f"more than {MAX_PLACES:,} places; split the file")
        content.places.append(place)
        if limit and len(content.places) >= limit:
            break
    return content


def _places(
    rows: Iterator[CSVRow], mapping: ColumnMapping, problems: list[tuple[int, str]]
) -> Iterator[ListedPlace]:
    seen: set[str] = set()
    for row in rows:
        place = None if row.problem else _place(row.number, row.cells, mapping)
        problem = row.problem or ("no name and no website" if place is None else "")
        if place is not None and place.place_id in seen:
            problem = "the same place as on a line before"
        if problem or place is None:
            if len(problems) < MAX_PROBLEMS:
                problems.append((row.number, problem))
            continue
        seen.add(place.place_id)
        yield place


def _place(number: int, cells: tuple[str, ...], mapping: ColumnMapping) -> ListedPlace | None:
    cells_by_field = {name: _SPACES.sub(" ", mapping.get(cells, name)) for name in mapping.columns}
    text = {name: value[: MAX_LENGTHS.get(name, 300)] or None for name, value in cells_by_field.items()}
    name = text.get("name") or text.get("website")
    if not name:
        return None
    parts = [text.get(part) for part in ("street", "postcode", "city", "state", "country")]
    address = text.get("address") or ", ".join(part for part in parts if part) or None
    return ListedPlace(
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
        latitude=_number(cells_by_field.get("latitude"), 90),
        longitude=_number(cells_by_field.get("longitude"), 180),
        phone=text.get("phone"),
        website=text.get("website"),
        rating=_number(cells_by_field.get("rating"), 5),
        reviews=_integer(cells_by_field.get("reviews")),
        email=text.get("email"),
        person=text.get("person")
        or " ".join(part for part in (text.get("first_name"), text.get("last_name")) if part)
        or None,
        job_title=text.get("job_title"),
        line=number,
    )


def _key(name: str, place: str) -> str:
    """A stable identifier for a row without one: the same business in the same place is the same row."""
    text = f"{name}\n{place}".casefold()
    return "row-" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _complete(place: ListedPlace, file: str, country: str) -> ListedPlace:
    """The place with its file, its country if known, and its e-mail address if valid."""
    address = normalize_address(place.email or "")
    return replace(
        place,
        file=file or None,
        country=place.country or _country_of_address(place) or country.upper() or None,
        email=address if address and len(address) <= _MAX_EMAIL_LENGTH else None,
    )


def _notes(raw: ListedPlace, place: ListedPlace) -> Iterator[str]:
    """What could not be used of a row."""
    if raw.email and not place.email:
        yield f"{raw.email[:100]!r} is not an e-mail address"
    if place.phone and dialable_phone(place) is None:
        is_local = not place.country and any(character.isdigit() for character in place.phone)
        reason = "needs a country (--country)" if is_local else "is not a valid number"
        yield f"phone {place.phone!r} {reason}"


def _country_of_address(place: ListedPlace) -> str | None:
    """The country at the end of an address, or of its postcode; two letters may be a state."""
    parts = [part.strip() for part in re.split(r"[,;\n]", place.address or "") if part.strip()]
    last = parts[-1] if parts else ""
    if len(last) > 2 and (code := country_code(last)):
        return code
    text = ", ".join(part for part in (place.address, place.state, place.postcode) if part)
    return next((code for code, shape in _POSTCODES.items() if shape.search(text)), None)


def _country(text: str | None) -> str | None:
    """Two letters are a country code; other texts stay unchanged."""
    return text.upper() if text and len(text) == 2 else text


def _number(text: str | None, limit: float) -> float | None:
    """A number within its range, with a decimal point or comma; anything else is ignored."""
    try:
        value = float((text or "").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= limit else None


def _integer(text: str | None) -> int | None:
    digits = re.sub(r"[.,'\s]", "", text or "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _has_kind(place: ListedPlace, kind: str) -> bool:
    return not kind or not place.category or kind.casefold() in place.category.casefold()


def _is_in(place: ListedPlace, location: str) -> bool:
    """Whether the address contains every part of the location, such as "Portland, OR"."""
    where = " ".join(
        part for part in (place.address, place.city, place.state, place.postcode, place.country) if part
    )
    words = [word.casefold() for word in re.split(r"[,;\s]+", location) if word]
    return not where or all(word in where.casefold() for word in words)
