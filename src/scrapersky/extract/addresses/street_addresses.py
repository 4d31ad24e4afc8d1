"""Addresses without a postcode: a street with its number, a city, and a reason to believe both."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from scrapersky.extract.addresses.cities import read_city_after, read_city_before
from scrapersky.extract.addresses.postcode_addresses import AddressHit
from scrapersky.extract.addresses.postcodes import find_country_name
from scrapersky.extract.addresses.streets import (
    BOX,
    StreetLikeness,
    begins_with_street_word,
    ends_with_street_word,
    has_box,
    has_street_word,
    is_label,
    is_organisation,
    is_placeholder_address,
    is_well_formed,
    lower_words,
    rate_street,
    strip_label,
)
from scrapersky.extract.addresses.vocabulary import STREET_WORDS
from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME
from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.text.phrase_book import PhraseBook

_LONGEST = 160
_LONGEST_COUNTRY = 40
_MOST_TRIES = 2_000
_PIECE = re.compile(r"\s*[|•·;\t]\s*|,\s*|\s+[–—-]\s+")
_CONTACT = re.compile(
    r"@|\+?\d[\d ()./–-]{6,}\d|\b(?:tel|tél|telefon|phone|fax|e-?mail|téléphone|telefone|teléfono)\b",
    re.IGNORECASE,
)
_CONTACT_WORDS = PhraseBook(
    [
        "contact",
        "kontakt",
        "contatt",
        "contato",
        "dane kontaktowe",
        "kapcsolat",
        "yhteystiedot",
        "iletişim",
        "контакт",
        "επικοινωνία",
        "elérhetőség",
        "coordonnées",
        "recapiti",
        "get in touch",
        "liên hệ",
        "hubungi",
        "お問い合わせ",
    ]
)
_REGION = re.compile(
    r"\([^()\d]{1,25}\)|(?<![A-Za-z])[A-Z]{2}$|(?:Thành [Pp]hố|TP\.?|Tỉnh|Quận|Huyện|Kota|Kab\.|Provincia|"
    r"Prov\.|District|State)\s",
)
_CITY_WORD = re.compile(
    r"^(?:Thành [Pp]hố|TP\.?|Tỉnh|City of|Kota|Ville de|гр?\.|м\.|mun\.|com\.)\s*", re.IGNORECASE
)


def find_street_addresses(
    lines: list[TextLine], numbered: Collection[int], countries: set[int], home: str | None
) -> Iterator[AddressHit]:
    """Addresses that hold no postcode; a page of nothing but streets is not read to its end.

    Only the lines with a number or the name of a country are read.
    """
    tries, with_number = 0, set(numbered)
    for number in sorted(countries.union(numbered)):
        text = lines[number].text
        if not 8 <= len(text) <= _LONGEST:
            continue
        if not _may_hold_street(text, number in with_number):
            hit = _above_country(lines, number) if number + 2 in countries else None
            if hit is not None:
                yield hit
            continue
        tries += 1
        if tries > _MOST_TRIES:
            return
        hit = _read(lines, number, home)
        if hit is not None and not is_placeholder_address(text):
            yield hit


def _above_country(lines: list[TextLine], number: int) -> AddressHit | None:
    """A block of street, city and country, one on each line: the country tells what the lines are."""
    street, below, last = lines[number : number + 3]
    if not street.block == below.block == last.block or len(last.text) > _LONGEST_COUNTRY:
        return None
    country = COUNTRY_OF_NAME.get(last.text.strip(" .,").lower())
    name = _city_name(below.text)
    text, cut = strip_label(street.text)
    if country is None or name is None or is_placeholder_address(text) or is_organisation(text):
        return None
    if rate_street(text) < StreetLikeness.SHAPE or rate_street(below.text) or not is_well_formed(text):
        return None
    end = last.start + len(last.text)
    return AddressHit(text, None, name, country, street.start + cut, end, 0.6, "text")


@lru_cache(maxsize=2_048)
def _may_hold_street(text: str, has_digit: bool) -> bool:
    """A first look: a street word, and a number or else a city and a country after commas."""
    if not has_digit and ("," not in text or find_country_name(text) is None):
        return False
    if has_street_word(text) or has_box(text):
        return True
    if ends_with_street_word(text.partition(",")[0]) and find_country_name(text) is not None:
        return True
    if "-" not in text and STREET_WORDS.isdisjoint(lower_words(text)):
        return False
    return begins_with_street_word(strip_label(text)[0])


def _read(lines: list[TextLine], number: int, home: str | None) -> AddressHit | None:
    line = lines[number]
    text, cut = strip_label(line.text)
    pieces = _pieces(text)
    below = _country_below(lines, number)
    country = find_country_name(text) or (below[3] if below else None)
    street = _street_piece(pieces, is_named=country is not None)
    if street is None and country is not None:
        street = _unnumbered_piece(pieces, is_below=below is not None)
    if street is None:
        return None
    first, last = street
    city = below[:3] if below else _city_beside(lines, number, text, pieces, first, last)
    if city is None or not (below or _is_believable(lines, number, text, cut)):
        return None
    name, start, end = city
    stop = min(pieces[last][1] + len(pieces[last][0]), len(text))
    words = text[pieces[first][1] : stop]
    if len(words) > len(name) and words.endswith(name):
        words = words[: -len(name)].rstrip(" ,-–")
    if not is_well_formed(words.strip(" ,;")):
        return None
    begin = line.start + cut + pieces[first][1]
    return AddressHit(
        words, None, name, country or home, min(begin, start), max(line.start + cut + stop, end), 0.5, "text"
    )


def _country_below(lines: list[TextLine], number: int) -> tuple[str, int, int, str] | None:
    """The city that the line below names together with its country, where it is, and the country."""
    if number + 1 >= len(lines) or lines[number + 1].block != lines[number].block:
        return None
    below = lines[number + 1]
    head, comma, tail = below.text.rpartition(",")
    country = COUNTRY_OF_NAME.get(tail.strip(" .").lower()) if comma else None
    name = _city_name(head.partition(",")[0]) if country and len(below.text) <= _LONGEST_COUNTRY else None
    return (name, below.start, below.start + len(below.text), country) if name and country else None


def _pieces(text: str) -> list[tuple[str, int]]:
    pieces, start = [], 0
    for joint in _PIECE.finditer(text):
        pieces.append(
            (text[start : joint.start()], joint.end() - len(joint.group()) - (joint.start() - start))
        )
        start = joint.end()
    pieces.append((text[start:], start))
    return [piece for piece in pieces if piece[0].strip()][:12]


def _street_piece(pieces: list[tuple[str, int]], *, is_named: bool) -> tuple[int, int] | None:
    """The first piece, or else the first two, that are a street with a number, or a box.

    Where the country is named, a faint word for streets is enough.
    """
    for first, last in _runs(len(pieces)):
        text = ", ".join(piece[0] for piece in pieces[first : last + 1])
        if rate_street(text) is not StreetLikeness.FULL:
            continue
        if (
            has_box(text)
            or has_street_word(text)
            or begins_with_street_word(text)
            or (is_named and ends_with_street_word(text))
        ):
            while last + 1 < len(pieces) and has_street_word(pieces[last + 1][0]):
                last += 1
            return (max(0, first - 1) if BOX.fullmatch(text.strip()) else first), last
    return None


def _unnumbered_piece(pieces: list[tuple[str, int]], *, is_below: bool) -> tuple[int, int] | None:
    """A street without a number, where the country is written out behind it or on the line below."""
    for place, (piece, _) in enumerate(pieces[: 3 if is_below else 1]):
        words = piece.split()
        is_street = 2 <= len(words) <= 5 and words[0][0].isupper()
        if is_street and (is_below or len(pieces) > 1) and rate_street(piece) is StreetLikeness.WORD:
            return place, place
    return None


def _runs(count: int) -> Iterator[tuple[int, int]]:
    yield from ((first, first) for first in range(count))
    yield from ((first, first + 1) for first in range(count - 1))


def _city_beside(
    lines: list[TextLine], number: int, text: str, pieces: list[tuple[str, int]], first: int, last: int
) -> tuple[str, int, int] | None:
    """The city after the street, on the next line, or before the street."""
    line = lines[number]
    offset = line.start + len(line.text) - len(text)
    below = (
        lines[number + 1] if number + 1 < len(lines) and lines[number + 1].block - line.block <= 1 else None
    )
    if below is not None and _CITY_WORD.match(below.text):
        name = _city_name(below.text)
        if name:
            return name, below.start, below.start + len(below.text)
    for piece, start in reversed(pieces[last + 1 :]):
        name = _city_name(piece)
        if name:
            return name, offset + start, offset + start + len(piece)
    tail = _trailing_city(pieces[last][0])
    if tail:
        return tail, offset + pieces[last][1], offset + pieces[last][1] + len(pieces[last][0])
    if below is not None:
        name = _city_name(below.text)
        if name and not rate_street(below.text):
            return name, below.start, below.start + len(below.text)
    if first > 0:
        name = _city_name(pieces[first - 1][0])
        if name:
            return name, offset + pieces[first - 1][1], offset + pieces[first - 1][1] + len(name)
    return None


def _city_name(piece: str) -> str | None:
    """The city in a piece of its own: capitalised, short, neither an organisation nor a label."""
    bare = _CITY_WORD.sub("", piece.strip(" .,"))
    if bare.startswith(("Co. ", "County ", "Prov. ")):
        return None
    if not 2 < len(bare) <= 45 or any(map(str.isdigit, bare)) or is_label(bare) or is_organisation(bare):
        return None
    city = read_city_before(bare, len(bare)) if _REGION.search(bare) else read_city_after(bare, 0)
    if city is None or find_country_name(city.name):
        return None
    rest = (bare[: city.start] + bare[city.end :]).strip(" ,.()")
    return city.name if len(rest) <= 20 else None


def _trailing_city(piece: str) -> str | None:
    """A city that follows the house number without any mark, as in "tér 8. Kiskunhalas"."""
    ends = [match.end() for match in re.finditer(r"\d[a-zA-Z]?[.,]?\s+(?=[^\W\d_])", piece)]
    if not ends or has_street_word(piece[ends[-1] :]):
        return None
    return _city_name(piece[ends[-1] :])


def _is_believable(lines: list[TextLine], number: int, text: str, cut: int) -> bool:
    """Whether a label, a region or a way of contact beside the line says that it is an address."""
    if text.rstrip().endswith((".", "!", "?")) and len(text.split()) > 12:
        return False
    if cut > 1 or find_country_name(text) or _REGION.search(text):
        return True
    if any(
        len(line.text) <= 40 and line.text in _CONTACT_WORDS for line in lines[max(0, number - 6) : number]
    ):
        return True
    around = lines[max(0, number - 3) : number + 4]
    return any(
        is_label(line.text) or (len(line.text) < 80 and _CONTACT.search(line.text))
        for line in around
        if line is not lines[number]
    )
