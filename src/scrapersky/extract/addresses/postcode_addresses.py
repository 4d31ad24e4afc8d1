"""Addresses in running text: a postcode, the city beside it, and the street around them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrapersky.extract.addresses.adjacent_streets import (
    TRIM,
    Span,
    find_street_above,
    find_street_after,
    find_street_before,
    find_street_below,
    is_near,
)
from scrapersky.extract.addresses.cities import (
    CityMatch,
    is_code_label,
    read_city_after,
    read_city_before,
)
from scrapersky.extract.addresses.postcodes import (
    COUNTRIES,
    DISTINCTIVE,
    Postcodes,
    candidates,
    find_country_name,
    postcodes_of_prefix,
)
from scrapersky.extract.addresses.streets import (
    StreetLikeness,
    is_organisation,
    is_unit,
    is_well_formed,
    rate_street,
    strip_label,
)
from scrapersky.extract.html.line_index import TextLine

_AMBIGUOUS_TEXT = """
n3 n4 n5 n6 n7 d32 d33 zip4 jp pt pl ie mt
"""
_AMBIGUOUS = frozenset(_AMBIGUOUS_TEXT.split())
# Shapes that house numbers and years have too.
_SHORT = frozenset(["n3", "n4"])
_NUMBERED = re.compile(
    r"(?<!\w)(?:block|blk|road|building|bldg|house|way|villa|street|zone|plot|unit|no)\.? $", re.I
)
_LONGEST_CITY_LINE = 60
_UNUSUAL = 0.75
_MOST_CANDIDATES = 2_000
_YEAR = re.compile(r"(?:19|20)\d\d")


_AUSTRALIAN = re.compile(r"\b(?:NSW|VIC|QLD|TAS|ACT)[ ,]*$")
_JAPANESE = re.compile(
    r"\b(?:Tokyo|Osaka|Kyoto|Nagoya|Yokohama|Kobe|Fukuoka|Sapporo)\b|\w-(?:ku|shi|cho|machi)\b"
)
_SCRIPTS = {
    "IL": re.compile("[\u05d0-\u05ea]{2}"),
    "GR": re.compile("[\u0370-\u03ff]{2}"),
    "TH": re.compile("[\u0e01-\u0e3a]{2}"),
    "KR": re.compile("[\uac00-\ud7a3]{2}"),
}


class AddressHit(NamedTuple):
    """An address in text, before it is merged with its other mentions."""

    street: str
    postcode: str | None
    city: str
    country: str | None
    start: int
    end: int
    confidence: float
    method: str


def find_postcode_addresses(
    lines: list[TextLine], numbers: list[int], home: str | None
) -> Iterator[AddressHit]:
    """Addresses that hold a postcode, on the lines with digits; not all when there are very many."""
    tries = 0
    for number in numbers:
        for match in candidates(lines[number].text):
            rules = _rules_for(match, lines, number, home)
            if rules is None or (match.lastgroup in _SHORT and _is_numbered(lines[number].text, match)):
                continue
            tries += 1
            if tries > _MOST_CANDIDATES:
                return
            hit = _read(lines, number, match, rules)
            if hit is not None:
                yield hit


def _is_numbered(text: str, match: re.Match[str]) -> bool:
    """Whether a word that numbers blocks, houses and ways stands right before a code."""
    return _NUMBERED.search(text, max(0, match.start() - 12), match.start()) is not None


def _rules_for(
    match: re.Match[str], lines: list[TextLine], number: int, home: str | None
) -> Postcodes | None:
    """The country that is meant by a postcode: its prefix, the site's home, a name nearby, its shape."""
    shape = match.lastgroup or ""
    prefixed = postcodes_of_prefix(match["prefix"])
    if prefixed is not None and shape in prefixed.shapes:
        return prefixed
    own = COUNTRIES.get(home or "")
    if shape not in _AMBIGUOUS and (own is None or shape not in own.shapes):
        return COUNTRIES.get(DISTINCTIVE.get(shape, ""))
    if own is not None and shape in own.shapes and not lines[number].text[match.end() :].strip(TRIM):
        return own
    named = _named_nearby(lines, number, match.end())
    if named is not None and shape in named.shapes:
        return named
    if own is not None and shape in own.shapes:
        return own
    return _rules_of_state(match, lines, number) or _rules_of_script(shape, lines[number].text)


def _rules_of_state(match: re.Match[str], lines: list[TextLine], number: int) -> Postcodes | None:
    """The country whose states stand before the code."""
    shape, text = match.lastgroup, lines[number].text
    if shape == "n4" and _AUSTRALIAN.search(text, 0, match.start()):
        return COUNTRIES["AU"]
    if shape in ("n5", "zip4", "n6", "d33") and _has_state(lines, number, match.start()):
        return COUNTRIES["US" if shape in ("n5", "zip4") else "IN"]
    if shape == "jp" and any(map(_JAPANESE.search, (text, lines[max(0, number - 1)].text))):
        return COUNTRIES["JP"]
    return None


def _rules_of_script(shape: str, text: str) -> Postcodes | None:
    """The country that alone writes such a script, and codes of such a shape."""
    if text.isascii():
        return None
    for country, letters in _SCRIPTS.items():
        if shape in COUNTRIES[country].shapes and letters.search(text):
            return COUNTRIES[country]
    return COUNTRIES.get(DISTINCTIVE.get(shape, ""))


def _named_nearby(lines: list[TextLine], number: int, end: int) -> Postcodes | None:
    rest = lines[number].text[end : end + 60]
    if number + 1 < len(lines) and len(lines[number + 1].text) <= 40:
        rest += " " + lines[number + 1].text
    return COUNTRIES.get(find_country_name(rest) or "")


def _has_state(lines: list[TextLine], number: int, start: int) -> bool:
    city = read_city_before(lines[number].text, start)
    return city is not None and city.is_certain


def _read(lines: list[TextLine], number: int, match: re.Match[str], rules: Postcodes) -> AddressHit | None:
    """Put city and street to a postcode; without both there is no address."""
    text = lines[number].text
    for after in _sides(rules):
        city = read_city_after(text, match.end()) if after else read_city_before(text, match.start())
        if city is None and not after and is_code_label(text[: match.start()]):
            hit = _city_above(lines, number, match, rules)
            if hit is not None:
                return hit
        if city is None or (rules.country == "US" and not city.is_certain):
            continue
        street = _street(lines, number, match, city, after, rules)
        if street is not None and not _is_year(lines[number], match, street[0]):
            return _hit(lines[number], match, city, street, rules)
    return _misplaced(lines, number, match, rules)


def _misplaced(
    lines: list[TextLine], number: int, match: re.Match[str], rules: Postcodes
) -> AddressHit | None:
    """A postcode that ends its line although its country writes it before the city.

    The street stands before it and the city below, or the city before it and the street above.
    """
    line = lines[number]
    if line.text.strip(TRIM) == match.group():
        return _alone(lines, number, match, rules)
    if rules.order != "before" or match.lastgroup in _SHORT or line.text[match.end() :].strip(TRIM):
        return None
    street = find_street_before(line, match.start(), rules)
    if street is not None and rate_street(street[0].text) is StreetLikeness.FULL:
        city = _city_below(lines, number)
        return _hit(line, match, city, (street[0], _UNUSUAL), rules) if city is not None else None
    within = _street_and_city(line, match, rules)
    if within is not None:
        return within
    head = line.text[: match.start()].rstrip()
    city = read_city_before(line.text, match.start()) if head.endswith(",") else None
    if city is None or city.start or not is_near(lines, number - 1, number) or number == 0:
        return None
    above = find_street_above(lines, number, rules)
    if above is None or rate_street(above[0].text) is not StreetLikeness.FULL:
        return None
    return _hit(line, match, city, (above[0], _UNUSUAL), rules)


def _street_and_city(line: TextLine, match: re.Match[str], rules: Postcodes) -> AddressHit | None:
    """Street, city and code behind each other on one line: "Hlavná 5, Prešov 080 01"."""
    city = read_city_before(line.text, match.start())
    if city is None or line.text[: city.start].rstrip()[-1:] != ",":
        return None
    street = find_street_before(line, city.start, rules)
    if street is None or rate_street(street[0].text) < StreetLikeness.SHAPE:
        return None
    return _hit(line, match, city, (street[0], _UNUSUAL), rules)


def _alone(lines: list[TextLine], number: int, match: re.Match[str], rules: Postcodes) -> AddressHit | None:
    """A postcode on a line of its own, below the street; the city is on the next line or above the street."""
    if number == 0 or not is_near(lines, number - 1, number):
        return None
    above = find_street_above(lines, number, rules)
    if above is None or rate_street(above[0].text) is not StreetLikeness.FULL:
        return None
    city = _city_below(lines, number) or _city_over_street(lines, number, above[0])
    return _hit(lines[number], match, city, (above[0], _UNUSUAL), rules) if city is not None else None


def _city_over_street(lines: list[TextLine], number: int, street: Span) -> CityMatch | None:
    """The city of a block that names it first, then the street and then the code, as in Hungary."""
    first = number - 2
    if first < 0 or lines[first].block != lines[number].block or lines[first + 1].start != street.start:
        return None
    city = read_city_after(lines[first].text, 0)
    if city is None or city.name != lines[first].text.strip(" ,."):
        return None
    shift = lines[first].start - lines[number].start
    return city._replace(start=shift + city.start, end=shift + city.end)


def _city_below(lines: list[TextLine], number: int) -> CityMatch | None:
    """The city that begins the line below, beyond the end of the postcode's own line."""
    if number + 1 >= len(lines) or lines[number + 1].block != lines[number].block:
        return None
    below = lines[number + 1]
    city = read_city_after(below.text, 0)
    if city is None or city.start or len(below.text) > _LONGEST_CITY_LINE:
        return None
    shift = below.start - lines[number].start
    return city._replace(start=shift + city.start, end=shift + city.end)


def _is_year(line: TextLine, match: re.Match[str], street: Span) -> bool:
    """Whether four digits are a year: a postcode stands behind a comma or a street that is one."""
    if match.lastgroup not in ("n4", "nl") or match["prefix"] or not _YEAR.match(match.group()):
        return False
    before = line.text[: match.start()].rstrip()
    if before and before[-1] not in ",;|·•–-(" and not street.text.rstrip(" ,").endswith(before.rstrip(" ,")):
        return True
    return rate_street(street.text) is not StreetLikeness.FULL or not is_well_formed(street.text.strip(" ,;"))


def _sides(rules: Postcodes) -> tuple[bool, ...]:
    """Whether to look for the city after the postcode, before it, or both."""
    if rules.country == "GB":
        return False, True
    return {"before": (True,), "after": (False,), "both": (True, False)}[rules.order]


def _city_above(
    lines: list[TextLine], number: int, match: re.Match[str], rules: Postcodes
) -> AddressHit | None:
    """The case of a postcode that begins its line while the city ends the line above."""
    if number == 0 or not is_near(lines, number - 1, number):
        return None
    above = lines[number - 1]
    city = read_city_before(above.text, len(above.text.rstrip(" .,")))
    if city is None or (rules.country == "US" and not city.is_certain):
        return None
    street = find_street_before(above, city.start, rules) or find_street_above(lines, number - 1, rules)
    if street is None:
        return None
    return _hit(lines[number], match, city, street, rules)


def _street(
    lines: list[TextLine], number: int, match: re.Match[str], city: CityMatch, after: bool, rules: Postcodes
) -> tuple[Span, float] | None:
    line = lines[number]
    left_end = match.start() if after else city.start
    left = line.text[:left_end].strip(TRIM)
    street = find_street_before(line, left_end, rules)
    if street is not None:
        return street
    right_start = city.end if after else match.end()
    right = find_street_after(line, right_start)
    if right is not None:
        return right
    rest = strip_label(left)[0]
    if len(rest) > 45 or (rest and is_organisation(rest)) or not _stands_alone(line.text, right_start):
        return None
    if rest and rules.order == "before" and rate_street(rest) == StreetLikeness.NONE and not is_unit(rest):
        return None
    if rules.order != "after" and _YEAR.fullmatch(match.group()) and is_organisation(line.text):
        return None
    return find_street_above(lines, number, rules) or find_street_below(lines, number, rules)


def _stands_alone(text: str, end: int) -> bool:
    """Whether only little follows the city, as in a block of lines and unlike in a sentence."""
    rest = text[end:].strip(TRIM).removeprefix("cedex").strip(TRIM)
    return len(rest) <= 60 and (not rest or not rest[0].islower())


def _hit(
    line: TextLine, match: re.Match[str], city: CityMatch, street: tuple[Span, float], rules: Postcodes
) -> AddressHit:
    span, confidence = street
    code_start, code_end = line.start + match.start(), line.start + match.end()
    postcode = match.group()
    if match["prefix"] is not None:
        postcode = match.group(match.lastgroup or 0)
    start = min(span.start, code_start, line.start + city.start)
    end = max(span.end, code_end, line.start + city.end if city.end <= len(line.text) else code_end)
    return AddressHit(
        span.text.strip(" ,;"), postcode, city.name, rules.country, start, end, confidence, "text"
    )
