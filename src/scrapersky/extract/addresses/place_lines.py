"""The city, region and country on the lines below a street, where no postcode tells them apart."""

from __future__ import annotations

import re
from typing import NamedTuple

from scrapersky.extract.addresses.cities import read_city_after, read_city_before
from scrapersky.extract.addresses.postcodes import find_country_name
from scrapersky.extract.addresses.streets import (
    StreetLikeness,
    has_box,
    is_label,
    is_organisation,
    is_unit_first,
    rate_street,
)
from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME
from scrapersky.extract.geography.place_words import PLACE_WORDS
from scrapersky.extract.html.line_index import TextLine

_MOST_LINES = 4
_LONGEST = 60
_JOINT = re.compile(r"\s*[,،，、|•·;]\s*|\s+[–—/-]\s*|(?<=[^\W\d_])/(?=[^\W\d_])")
REGION = re.compile(
    r"\([^()\d]{1,25}\)|(?<![A-Za-z])[A-Z]{2}$|(?:Thành [Pp]hố|TP\.?|Tỉnh|Quận|Huyện|Kota|Kab\.|Provincia|"
    r"Prov\.|District|State|Region|County|[Jj]ud\.|[Jj]ude[țţt]ul|[Ww]oj\.|обл\.|област)\s",
)
CITY_WORD = re.compile(
    r"^(?:Thành [Pp]hố|TP\.?|Tỉnh|City of|Kota|Ville de|Ciudad de(?! [Mm]éxico| [Gg]uat| [Pp]anam)|"
    r"Municipio|гр?\.|г(?=\. ?[А-Я])|м\.|mun\.|com\.|град)\s*",
    re.IGNORECASE,
)
# A code behind the city: "Hamilton HM 11", "Accra GA-184-9020", "Colombo 03", "Nairobi 00100".
_CODE = re.compile(r"(?:^|(?<=\w)[ ,]*[ ,(–-]+)((?:[A-Z]{1,3}[ -]?)?\d[\dA-Z]*(?:-[\dA-Z]{3,5}){0,2})\)?$")
# Cities and states that are called as their country.
_NAMESAKES_TEXT = """
singapore|singapur|singapour|luxembourg|luxemburg|monaco|panamá|panama|guatemala|kuwait|djibouti|gibraltar|
macau|macao|澳門|香港|hong kong|hongkong|san marino|vatican city
"""
_NAMESAKES = frozenset(_NAMESAKES_TEXT.replace("\n", "").split("|"))


class Places(NamedTuple):
    """What stands around a street: the city, perhaps a code and the country, and where all of it ends."""

    city: str
    postcode: str | None
    country: str | None
    end: int


def read_country(text: str) -> str | None:
    """The country that a whole piece of text names."""
    return COUNTRY_OF_NAME.get(text.strip(" .,()").lower())


def city_name(piece: str) -> str | None:
    """The city in a piece of its own: capitalised, short, neither an organisation nor a label."""
    bare = CITY_WORD.sub("", piece.strip(" .,"))
    if bare.startswith(("Co. ", "County ", "Prov. ")):
        return None
    if not 1 < len(bare) <= 45 or any(map(str.isdigit, bare)) or is_label(bare) or is_organisation(bare):
        return None
    if len(bare) == 2 and bare.isascii():
        return None
    city = read_city_before(bare, len(bare)) if REGION.search(bare) else read_city_after(bare, 0)
    if city is None or (find_country_name(city.name) and not _is_namesake(city.name)):
        return None
    rest = (bare[: city.start] + bare[city.end :]).strip(" ,.()")
    return city.name if len(rest) <= 20 else None


def is_city_state(piece: str) -> bool:
    """Whether a piece names a city and a country at once."""
    return piece.strip(" .,()").lower() in _NAMESAKES


def _is_namesake(name: str) -> bool:
    """Whether a city is called as a country: alone or as in "Ciudad de Panamá" and "Kuwait City"."""
    low = name.lower()
    return low in _NAMESAKES or low.startswith(("ciudad de ", "cidade de ")) or low.endswith(" city")


def split_code(piece: str) -> tuple[str, str | None]:
    """A piece of an address without the code that ends it, and the code."""
    match = _CODE.search(piece.strip(" .,"))
    if match is None or len(match[1]) > 12:
        return piece, None
    if len(match[1]) < 2 and not is_known_city(piece.strip(" .,")[: match.start()]):
        return piece, None
    return piece.strip(" .,")[: match.start()], match[1]


def split_places(text: str) -> list[str]:
    """The pieces of a line that holds nothing but places."""
    return [piece for piece in _JOINT.split(text) if piece.strip(" .,")]


def choose_city(pieces: list[str]) -> tuple[str, str | None] | None:
    """The city among the places of an address: the one with a code, the one that is known, or the last."""
    cities: list[tuple[str, str | None]] = []
    lone: str | None = None
    for piece in pieces:
        if has_box(piece) or is_unit_first(piece.strip()):
            continue
        name, code = split_code(piece)
        city = city_name(name) if name else None
        if city is not None:
            cities.append((city, code))
        elif code is not None and not name:
            lone = code
    if not cities:
        return None
    best = next((city for city in cities if city[1]), None)
    best = best or next((city for city in reversed(cities) if is_known_city(city[0])), cities[-1])
    return best[0], best[1] or lone


def is_known_city(name: str) -> bool:
    """Whether a name is or holds that of a large city or a region."""
    return any(word in PLACE_WORDS for word in name.lower().split())


def is_city_of(name: str, country: str) -> bool:
    """Whether a name is or holds that of a large city or a region of one country."""
    return any(word in PLACE_WORDS and PLACE_WORDS[word][0] == country for word in name.lower().split())


def places_below(lines: list[TextLine], number: int) -> Places | None:
    """The places on the lines below a street, down to the country that ends them."""
    pieces: list[str] = []
    for below in range(number + 1, min(number + 1 + _MOST_LINES, len(lines))):
        line = lines[below]
        if not _may_be_places(lines, below):
            return None
        read = split_places(line.text)
        named = next((place for place, piece in enumerate(read) if read_country(piece)), None)
        # "Singapore" above "Singapore" is the city, and so is the first of "Hong Kong, China".
        is_last = named is not None and not (
            len(read) == 1 and not pieces and below + 1 < len(lines) and read_country(lines[below + 1].text)
        )
        if named is None or not is_last:
            pieces += read
            continue
        around = [*pieces, *(piece for place, piece in enumerate(read) if place != named)]
        city = choose_city(around)
        if city is None and is_city_state(read[named]):
            city = read[named].strip(" .,"), None
        if city is None:
            return None
        return Places(city[0], city[1], read_country(read[named]), line.start + len(line.text))
    return None


def _may_be_places(lines: list[TextLine], number: int) -> bool:
    line = lines[number]
    if not 2 <= len(line.text) <= _LONGEST or line.block - lines[number - 1].block > 1:
        return False
    if "@" in line.text or ":" in line.text or is_label(line.text) or is_organisation(line.text):
        return False
    if any(map(str.isdigit, line.text)) and not any(
        split_code(piece)[1] for piece in split_places(line.text)
    ):
        return False
    return rate_street(line.text) < StreetLikeness.FULL or split_code(line.text)[1] is not None
