"""Addresses without a postcode: a street with its number, a city, and a reason to believe both."""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from scrapersky.extract.addresses.place_lines import (
    CITY_WORD,
    REGION,
    Places,
    choose_city,
    city_name,
    is_city_of,
    is_city_state,
    is_known_city,
    places_below,
    read_country,
    split_code,
    split_places,
)
from scrapersky.extract.addresses.postcode_addresses import AddressHit
from scrapersky.extract.addresses.postcodes import find_country_name
from scrapersky.extract.addresses.streets import (
    BOX,
    StreetLikeness,
    begins_with_street_word,
    ends_with_street_word,
    has_box,
    has_street_word,
    is_called_after_day,
    is_label,
    is_landmark,
    is_organisation,
    is_placeholder_address,
    is_unit,
    is_well_formed,
    lower_words,
    rate_street,
    strip_label,
    word_weight,
)
from scrapersky.extract.addresses.vocabulary import STREET_WORDS
from scrapersky.extract.html.line_index import TextLine
from scrapersky.extract.text.phrase_book import PhraseBook

_LONGEST = 160
_LONGEST_COUNTRY = 40
_LONGEST_LABEL = 40
_LONGEST_CODE = 30
_LONGEST_PIECE = 45
_MOST_TRIES = 2_000
_ONLY_NUMBER = re.compile(
    r"(?:no|nº|n°|nr|plot|lot|blk|block|door no|h\.? ?no)?[.:]? ?#?\d{1,5}[a-z]?(?:[/-]\d{1,4}[a-z]?)*", re.I
)
_UNCODED_TEXT = """
nairobi mombasa kisumu kampala entebbe accra kumasi lagos abuja ibadan salaam arusha addis ababa kigali lusaka
harare bulawayo gaborone windhoek beirut beyrouth dubai sharjah dhabi doha manama muscat amman kowloon caracas
cochabamba managua tegucigalpa kingston suva dakar abidjan douala yaoundé casablanca rabat cairo phnom yangon
"""
# Large cities where streets go without numbers, and letters without postcodes.
UNCODED_CITIES = frozenset(_UNCODED_TEXT.split())
# Here streets are called by their names alone.
_BARE_STREETS = frozenset(["AR", "BO", "CL", "CO", "EC", "MX", "PE", "PY", "UY", "VE", "VN"])
# Words for streets that other things are called by as well.
_WAYS = frozenset(["way", "drive", "close", "crescent", "highway", "expressway", "bypass"])
_COMMA = re.compile(r", *")
_PIECE = re.compile(r"\s*[|•·;\t]\s*|[,،，、]\s*|\s+[–—-]\s+|(?<=[^\W\d_]{3}) / (?=[^\W\d_])")
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_HOUSE = re.compile(r"(?:#|n[°º]|№|nro\.?) ?\d", re.IGNORECASE)
_LABELLED_CODE = re.compile(
    r"(?:pin(?:[ -]?code)?|zip(?:[ -]?code)?|post(?:al)? ?code|c\.? ?p\.?|código postal|cep|code postal|plz|"
    r"postnummer|τ\.? ?κ\.?|индекс|الرمز البريدي|מיקוד)[ .:–-]+(\d{3}[ -]?\d{2,4}|\d{2}-\d{3}|\d{4})\.?",
    re.IGNORECASE,
)
# Words that a number follows in lists of goods, matches and journeys.
_NUMBERED_TEXT = """
hall halle hal booth stand stall pavilion gate room page level zimmer team villa apartment phase lot tour day
model modell modelo serie series série nr no menu menü type typ tipo version chapter kapitel route platform
terminal tower job stelle art artikel article article top tag jour día chambre habitación sala casa haus house
"""
_NUMBERED = frozenset(_NUMBERED_TEXT.split())
_IN_LISTS = frozenset(["li", "td", "th", "option"])
_RURAL = re.compile(
    r"\b(?:dist|district|tal|taluka|tq|tehsil|near|opp|opposite|village|at post|p\.?o)\b", re.IGNORECASE
)
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


def find_street_addresses(
    lines: list[TextLine],
    numbered: Collection[int],
    countries: set[int],
    home: str | None,
    cities: Collection[int] = (),
) -> Iterator[AddressHit]:
    """Addresses that hold no postcode; a page of nothing but streets is not read to its end.

    Only the lines with a number or the name of a country are read.
    """
    tries, with_number = 0, set(numbered)
    above = {number - step for number in countries for step in (1, 2, 3, 4) if number >= step}
    above.update(number - 1 for number in numbered if number and _is_code(lines[number].text))
    of_cities = set(cities) - countries - with_number
    for number in sorted(countries.union(numbered, above, of_cities)):
        text = lines[number].text
        if not 8 <= len(text) <= _LONGEST:
            continue
        hit = None
        if number in of_cities:
            hit = _read(lines, number, home) if text.count(",") > 1 and has_street_word(text) else None
        elif _may_hold_street(text, number in with_number, number in above):
            tries += 1
            if tries > _MOST_TRIES:
                return
            hit = _read(lines, number, home)
        if hit is None and number in above:
            hit = _above_country(lines, number)
        elif hit is None and number in countries and number in with_number:
            hit = _before_country(lines, number)
        if hit is None and number in with_number:
            hit = _below_label(lines, number, home) or _before_city(lines, number, home)
        if hit is None or hit.postcode is None:
            hit = _above_code(lines, number, home, hit)
        if hit is not None and not is_placeholder_address(text):
            yield hit


def _above_country(lines: list[TextLine], number: int) -> AddressHit | None:
    """A block of street, city and country, one on each line: the country tells what the lines are."""
    line = lines[number]
    text, cut = strip_label(line.text)
    if not any(map(str.isdigit, text)):
        return None
    if rate_street(text) < StreetLikeness.SHAPE or is_organisation(text) or not is_well_formed(text):
        return None
    places = places_below(lines, number) if find_country_name(text) is None else None
    if places is None or not _is_name_and_number(text):
        return None
    return AddressHit(
        text, places.postcode, places.city, places.country, line.start + cut, places.end, 0.6, "text"
    )


def _before_country(lines: list[TextLine], number: int) -> AddressHit | None:
    """A name and a number, a city and a country on one line: "San Martín 1250, Mendoza, Argentina"."""
    line = lines[number]
    text, cut = strip_label(line.text)
    pieces = _pieces(text)
    country = read_country(pieces[-1][0]) if 3 <= len(pieces) <= 5 else None
    street = pieces[0][0].strip()
    if country is None or rate_street(street) < StreetLikeness.SHAPE or not _is_name_and_number(street):
        return None
    city = choose_city([piece for piece, _ in pieces[1:-1]])
    if (
        line.tag in _IN_LISTS
        or city is None
        or not is_known_city(city[0])
        or not is_well_formed(street)
        or not _is_believable(lines, number, street, cut)
    ):
        return None
    end = line.start + len(line.text)
    return AddressHit(street, city[1], city[0], country, line.start + cut, end, 0.5, "text")


def _before_city(lines: list[TextLine], number: int, home: str | None) -> AddressHit | None:
    """A name and a number before a large city, where streets are written so: "Colón 1250, Mendoza"."""
    if home not in _BARE_STREETS or lines[number].tag in _IN_LISTS:
        return None
    line = lines[number]
    text, cut = strip_label(line.text)
    pieces = _pieces(text)
    street = pieces[0][0].strip() if 2 <= len(pieces) <= 5 else ""
    is_begun = text[:1].isupper() or (home == "VN" and text[:1].isdigit())
    if not is_begun or rate_street(street) is not StreetLikeness.SHAPE:
        return None
    city = choose_city([piece for piece, _ in pieces[1:]])
    if city is None or not is_city_of(city[0], home) or find_country_name(text) not in (None, home):
        return None
    if not (is_well_formed(street) and _is_name_and_number(street)):
        return None
    if not _is_believable(lines, number, street, cut):
        return None
    end = line.start + len(line.text)
    return AddressHit(street, city[1], city[0], home, line.start + cut, end, 0.5, "text")


def _below_label(lines: list[TextLine], number: int, home: str | None) -> AddressHit | None:
    """A name and a number behind or below a label for addresses, or below the heading of a city's branch."""
    line = lines[number]
    text, cut = strip_label(line.text)
    above = lines[number - 1] if number else None
    is_labelled = cut > 4 or (
        above is not None and len(above.text) <= _LONGEST_LABEL and is_label(above.text)
    )
    if not text[:1].isupper() or not (
        is_labelled or (above is not None and above.tag in _HEADINGS and _HOUSE.search(text))
    ):
        return None
    pieces = _pieces(text)
    street = pieces[0][0].strip() if pieces else ""
    if rate_street(street) is not StreetLikeness.SHAPE or not is_well_formed(street):
        return None
    city = choose_city([piece for piece, _ in pieces[1:]]) if is_labelled else None
    if city is None and above is not None and above.tag in _HEADINGS and _HOUSE.search(street):
        name = city_name(above.text.lstrip("0123456789.) –-"))
        city = (name, None) if name and is_known_city(name) else None
    if city is None or not _is_name_and_number(street):
        return None
    units = [piece.strip() for piece, _ in pieces[1:] if is_unit(piece)]
    start, end = line.start + cut, line.start + len(line.text)
    return AddressHit(", ".join([street, *units]), city[1], city[0], home, start, end, 0.5, "text")


def _above_code(
    lines: list[TextLine], number: int, home: str | None, hit: AddressHit | None
) -> AddressHit | None:
    """The same address with the postcode that a line below introduces, as "Pin Code: 431708" does.

    Such a line tells that places in a row are an address, even where no word for streets is among them.
    """
    below = lines[number + 1] if number + 1 < len(lines) else None
    code = _LABELLED_CODE.fullmatch(below.text) if below is not None and _is_code(below.text) else None
    if code is None or below is None or below.block - lines[number].block > 1:
        return hit
    end = below.start + len(below.text)
    if hit is not None:
        return hit._replace(postcode=code[1], end=end, confidence=0.75)
    line = lines[number]
    text, cut = strip_label(line.text)
    pieces = [piece for piece, _ in _pieces(text)]
    city = choose_city([piece for piece in pieces[2:] if read_country(piece) is None])
    is_rural = find_country_name(text) is not None or _RURAL.search(text) is not None
    if not is_rural or city is None or len(pieces) < 4 or not (text[0].isupper() or text[0].isdigit()):
        return None
    street = ", ".join(piece.strip() for piece in pieces[:2])
    country = find_country_name(text) or home
    return AddressHit(street, code[1], city[0], country, line.start + cut, end, 0.6, "text")


def _is_code(text: str) -> bool:
    """Whether a line holds a postcode behind its label and nothing else."""
    is_short = len(text) <= _LONGEST_CODE and text[-1:].isdigit()
    return is_short and _LABELLED_CODE.fullmatch(text) is not None


def _is_name_and_number(text: str) -> bool:
    """Whether a text without a word for streets is a capitalised name and a house number, not a fair's."""
    words = [word for word in lower_words(text) if len(word) > 2]
    return bool(words) and text[-1] not in ".!?" and words[0] not in _NUMBERED


@lru_cache(maxsize=2_048)
def _may_hold_street(text: str, has_digit: bool, is_above_country: bool) -> bool:
    """A first look: a street word, and a number or else a city and a country after commas or below."""
    if not has_digit and not is_above_country and ("," not in text or find_country_name(text) is None):
        return False
    if has_street_word(text) or has_box(text):
        return True
    if has_digit and (is_landmark(text) or is_called_after_day(text)):
        return True
    if "-" not in text and not any(map(word_weight, lower_words(text))):
        return False
    if not _WAYS.isdisjoint(lower_words(text)) and find_country_name(text) is not None:
        return True
    if any(map(ends_with_street_word, _COMMA.split(text))) and find_country_name(text) is not None:
        return True
    if "-" not in text and STREET_WORDS.isdisjoint(lower_words(text)):
        return False
    return begins_with_street_word(strip_label(text)[0])


def _read(lines: list[TextLine], number: int, home: str | None) -> AddressHit | None:
    line = lines[number]
    text, cut = strip_label(line.text)
    pieces = _pieces(text)
    below = places_below(lines, number) if find_country_name(text) is None else None
    country = find_country_name(text) or (below.country if below else None)
    street = _street_piece(pieces, is_named=country is not None)
    if street is None and (country is not None or _ends_in_city(pieces)):
        street = _unnumbered_piece(pieces, is_below=below is not None)
    if street is None:
        return None
    first, last = street
    places = below or _places_beside(lines, number, text, pieces, first, last)
    if places is None or not (below or _is_believable(lines, number, text, cut)):
        return None
    stop = min(pieces[last][1] + len(pieces[last][0]), len(text))
    words = text[pieces[first][1] : stop]
    if len(words) > len(places.city) and words.endswith(places.city):
        words = words[: -len(places.city)].rstrip(" ,-–")
    tail = _trailing_city(words)
    if tail and words.endswith(tail):
        words = words[: -len(tail)].rstrip(" ,-–")
    if not is_well_formed(words.strip(" ,;")):
        return None
    begin = line.start + cut + (0 if first and _is_place_or_unit(pieces[0][0]) else pieces[first][1])
    end = max(line.start + cut + stop, places.end)
    return AddressHit(words, places.postcode, places.city, country or home, begin, end, 0.5, "text")


def _ends_in_city(pieces: list[tuple[str, int]]) -> bool:
    """Whether a large city ends a line of street, house or quarter, and city, which all stand alone."""
    if not 3 <= len(pieces) <= 5 or any(len(piece) > _LONGEST_PIECE for piece, _ in pieces):
        return False
    city = city_name(split_code(pieces[-1][0])[0])
    return city is not None and is_known_city(city)


def _is_place_or_unit(piece: str) -> bool:
    return is_unit(piece) or read_country(piece) is not None or city_name(piece) is not None


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
            or is_landmark(text)
            or is_called_after_day(text)
        ):
            if first and _ONLY_NUMBER.fullmatch(pieces[first - 1][0].strip()):
                first -= 1
            while last + 1 < len(pieces) and has_street_word(pieces[last + 1][0]):
                last += 1
            return (max(0, first - 1) if BOX.fullmatch(text.strip()) else first), last
    return None


def _unnumbered_piece(pieces: list[tuple[str, int]], *, is_below: bool) -> tuple[int, int] | None:
    """A street without a number, where the country is written out behind it or on the line below."""
    for place, (piece, _) in enumerate(pieces[: 4 if is_below else max(1, len(pieces) - 2)]):
        words = piece.split()
        is_street = 2 <= len(words) <= 5 and not words[0][0].islower()
        if not is_street or not (is_below or len(pieces) > 1):
            continue
        if rate_street(piece) is StreetLikeness.WORD or (not is_below and _is_way_to_city(pieces[place:])):
            return place, place
    return None


def _is_way_to_city(pieces: list[tuple[str, int]]) -> bool:
    """Whether a name that ends in "Way" or the like stands before a large city and nothing but places."""
    name = pieces[0][0].strip()
    words = lower_words(name)
    if len(pieces) < 2 or not name.istitle() or words[-1] not in _WAYS or not 2 <= len(words) <= 4:
        return False
    if words[0] in ("the", "our", "my", "your"):
        return False
    city = city_name(split_code(pieces[1][0])[0])
    return city is not None and is_known_city(city)


def _runs(count: int) -> Iterator[tuple[int, int]]:
    yield from ((first, first) for first in range(count))
    yield from ((first, first + 1) for first in range(count - 1))


def _places_beside(
    lines: list[TextLine], number: int, text: str, pieces: list[tuple[str, int]], first: int, last: int
) -> Places | None:
    """The city after the street, on the next line, or before the street."""
    line = lines[number]
    offset = line.start + len(line.text) - len(text)
    below = (
        lines[number + 1] if number + 1 < len(lines) and lines[number + 1].block - line.block <= 1 else None
    )
    if below is not None and (CITY_WORD.match(below.text) or _is_city_line(lines, number)):
        city = choose_city(split_places(below.text))
        if city:
            return Places(*city, None, below.start + len(below.text))
    after = [piece for piece, _ in pieces[last + 1 :] if read_country(piece) is None or is_city_state(piece)]
    city = choose_city(after)
    if city:
        piece, start = pieces[-1]
        return Places(*city, None, offset + start + len(piece))
    tail = _trailing_city(pieces[last][0])
    if tail:
        return Places(tail, None, None, offset + pieces[last][1] + len(pieces[last][0]))
    if below is not None and not rate_street(below.text):
        name, code = split_code(below.text)
        city_below = city_name(name)
        if city_below and not is_known_city(city_below) and _is_city_line(lines, number + 1):
            return _places_beside(lines, number + 1, text, pieces, first, last)
        if city_below:
            return Places(city_below, code, None, below.start + len(below.text))
    if first > 0:
        name_before = next(filter(None, (city_name(piece) for piece, _ in reversed(pieces[:first]))), None)
        if name_before:
            return Places(name_before, None, None, offset + pieces[last][1] + len(pieces[last][0]))
    return None


def _is_city_line(lines: list[TextLine], number: int) -> bool:
    """Whether the line below in the same block is of a city that is known or has its region with it."""
    if number + 1 >= len(lines):
        return False
    below = lines[number + 1]
    if below.block != lines[number].block or len(below.text) > _LONGEST_COUNTRY or rate_street(below.text):
        return False
    city = choose_city(split_places(below.text))
    return city is not None and (is_known_city(below.text) or REGION.search(below.text) is not None)


def _trailing_city(piece: str) -> str | None:
    """A city that follows the house number without any mark, as in "tér 8. Kiskunhalas"."""
    ends = [match.end() for match in re.finditer(r"\d[a-zA-Z]?[.,]?\s+(?=[^\W\d_])", piece)]
    if not ends or has_street_word(piece[ends[-1] :]):
        return None
    return city_name(piece[ends[-1] :])


def _is_believable(lines: list[TextLine], number: int, text: str, cut: int) -> bool:
    """Whether a label, a region or a way of contact beside the line says that it is an address."""
    if text.rstrip().endswith((".", "!", "?")) and len(text.split()) > 12:
        return False
    if cut > 1 or find_country_name(text) or REGION.search(text):
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
