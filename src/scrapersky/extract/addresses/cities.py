"""Reads the city next to a postcode, on the side where its country writes it."""

import re
from typing import NamedTuple

from scrapersky.extract.addresses.postcodes import US_STATE, US_STATE_NAME
from scrapersky.extract.addresses.vocabulary import FAINT_WORDS, FOREIGN_WORDS, LEGAL_FORMS, STREET_WORDS
from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME

_MOST_WORDS = 5
# Before its name a city may be called one: "г. Новосибирск", "гр. Пловдив".
_JOINT = re.compile(r"[\s,\-–—|·•/:]*(?:(?:гр?|м)\.\s?)?")
_TOKEN = re.compile(r"\S+")
_PARTICLES_TEXT = """
am an der die den dem im in bei ob vor a am. a.d. i. d. de du des la le les sur sous en et lès près del
della dei di da do dos das e el los las y van op aan ter ten het pod nad u na of upon the on under by ved
på i s. al nel san v.d. d' of es dos ed em y
"""
_PARTICLES = frozenset(_PARTICLES_TEXT.split())
_NOT_CITY_TEXT = """
einwohner euro stück personen mitglieder copyright uhr meter kilometer kunden bewertungen fans follower
jahre gramm liter all alle tous todos tutti the and und telefon e-mail email mail web www fax mobil phone
call online ref ref. artikel item items results ergebnisse seite page prix price preis piso
planta oficina depto dpto
"""
_NOT_CITY = frozenset(_NOT_CITY_TEXT.split())
_STREETS = STREET_WORDS - {"st", "al", "la", "am", "g", "c", "u", "r", "villa", "village", "park"}
# "Tel" is a label of phone numbers, but a city before another name.
_NAME_NEXT = re.compile(r" [A-Z][a-z]{2}")
_CITY_STATES = frozenset(
    ["singapore", "luxembourg", "monaco", "san marino", "panamá", "guatemala", "kuwait", "hong kong"]
)
# Here the number belongs to the city.
_POSTAL_DISTRICT = re.compile(r"(?<!\w)(?:Dublin|Baile Átha Cliath) \d{1,2}[Ww]?$")
_MEXICAN_STATES = (
    r"Aguascalientes|Baja California(?: Sur)?|Campeche|Chiapas|Chihuahua|Coahuila|Colima|Durango|Guanajuato|"
    r"Guerrero|Hidalgo|Jalisco|Michoac[aá]n|Morelos|Nayarit|Nuevo Le[oó]n|Oaxaca|Puebla|Quer[eé]taro|"
    r"Quintana Roo|San Luis Potos[ií]|Sinaloa|Sonora|Tabasco|Tamaulipas|Tlaxcala|Veracruz|Yucat[aá]n|"
    r"Zacatecas|Jal\.|N\. ?L\.|Q\. ?Roo|Qro\.|Gto\.|Edo\. ?(?:de )?M[eé]x\.?"
)
_REGION = re.compile(
    r"[\s,(\-–]*(?:\((?P<parens>[^()\d]{2,25})\)|(?P<us>(?<![A-Za-z])(?:"
    + US_STATE
    + r")|(?:"
    + US_STATE_NAME
    + r"))"
    r"|(?P<other>NSW|VIC|QLD|WA|SA|TAS|ACT|NT|ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|YT|NU|Ontario|Qu[eé]bec|British "
    r"Columbia|Alberta|Manitoba|Saskatchewan|Nova Scotia|New Brunswick|Andhra Pradesh|Assam|Bihar|"
    r"Chhattisgarh|Delhi|Goa|Gujarat|Haryana|Himachal Pradesh|Jharkhand|Karnataka|Kerala|Madhya Pradesh|"
    r"Maharashtra|Odisha|Punjab|Rajasthan|Tamil Nadu|Telangana|Uttar Pradesh|Uttarakhand|West Bengal|"
    r"[A-Z]\.[A-Z]\.|A[CLMP]|BA|CE|DF|ES|GO|M[AGST]|P[ABEIR]|R[JNORS]|S[CEP]|TO)|(?P<mx>"
    + _MEXICAN_STATES
    + r"))[\s,.)|\-–]*$"
)
_CODE_LABEL = re.compile(
    r"[\s,\-–(:/]*(?:pin(?:[ -]?code)?|zip(?: ?code)?|cep|c\.? ?p\.?|cp|post(?:al)? ?code|postcode|plz|cap|"
    r"code postal|código postal|cod(?:\.|igo)? postal|cod poștal|kod pocztowy|postnr\.?|psč|irsz\.?|pošta|"
    r"τ\.? ?κ\.?|индекс|почтовый индекс|п\.? ?к\.?|الرمز البريدي|מיקוד|〒)?[\s.:\-–(]*$",
    re.IGNORECASE,
)


def is_code_label(text: str) -> bool:
    """Whether a text is empty or only announces a postcode, as "PIN Code:" and "C.P." do."""
    label = _CODE_LABEL.search(text, max(0, len(text) - 30))
    return label is not None and not text[: label.start()].strip(" ,;:.-–—|·•(\t")


class CityMatch(NamedTuple):
    """A city with its span in the text; `is_certain` when a state or region confirms it."""

    name: str
    start: int
    end: int
    is_certain: bool


def read_city_after(text: str, position: int) -> CityMatch | None:
    """The city that follows a postcode, up to the first thing that is none."""
    joint = _JOINT.match(text, position)
    start = end = joint.end() if joint else position
    words = 0
    while words < _MOST_WORDS:
        token = _TOKEN.match(text, end + 1 if words and text[end : end + 1] == " " else end)
        if token is None or not _continues(token.group(), text, token.end(), words):
            break
        word = token.group().rstrip(",;:.()|")
        end = token.start() + len(word)
        words += 1
        if token.group() != word and not token.group().startswith("St."):
            break
    name = _without_trailing_particles(text[start:end])
    return CityMatch(name, start, start + len(name), False) if _is_city(name) else None


def _continues(word: str, text: str, end: int, words: int) -> bool:
    """Whether a word may be one more word of the city's name."""
    folded = word.casefold().strip(",;:.()|")
    if not word[0].isalpha() or any(map(str.isdigit, word)) or "@" in word or "." in word.rstrip(".")[3:]:
        return word[0] == "/" and words > 0
    if words == 0 and word == "Tel" and _NAME_NEXT.match(text, end):
        return True
    if folded == "domingo" and words:
        return True
    if folded in FOREIGN_WORDS or folded in LEGAL_FORMS or (words == 0 and folded in _NOT_CITY):
        return False
    if words and folded in COUNTRY_OF_NAME and not text[: end - len(word)].endswith(" de "):
        return False
    if words and folded in STREET_WORDS and (folded not in FAINT_WORDS or folded == "via"):
        return False
    if word[0].isupper() or not word[0].islower():
        return True
    return words > 0 and folded in _PARTICLES


def _without_trailing_particles(name: str) -> str:
    words = name.rstrip(" ,;:-–/").split(" ")
    while len(words) > 1 and words[-1].casefold() in _PARTICLES:
        words.pop()
    return " ".join(words)


def read_city_before(text: str, position: int) -> CityMatch | None:
    """The city that stands before a postcode, with a state or region between them or not."""
    label = _CODE_LABEL.search(text, max(0, position - 30), position)
    end = label.start() if label else position
    start = max(0, end - 60)
    region = _REGION.search(text, max(0, end - 30), end)
    if region:
        end = region.start()
    end = len(text[:end].rstrip(" ,.-–—|·•(/"))
    head = text[start:end]
    district = _POSTAL_DISTRICT.search(head)
    if district is not None:
        begin = start + district.start()
        return CityMatch(text[begin:end], begin, end, False)
    cut = max(map(head.rfind, ",|·•;\t"))
    cut = max(cut, head.rfind(" - "), head.rfind(" – "))
    begin = start + cut + 1 if cut >= 0 else start
    begin += _city_offset(text[begin:end], whole=begin == 0)
    name = text[begin:end].strip(" -–")
    begin = text.find(name, begin)
    # A state of Mexico stands before five digits as one of the United States does, and proves nothing there.
    is_certain = region is not None and region["mx"] is None
    return CityMatch(name, begin, begin + len(name), is_certain) if _is_city(name) else None


def _city_offset(text: str, *, whole: bool) -> int:
    """Where the city begins in a piece that may hold the street as well."""
    offset = 0
    for match in _TOKEN.finditer(text):
        folded = match.group().casefold().strip(",.;:()")
        if (
            folded in _STREETS
            or any(map(str.isdigit, folded))
            or (folded in {"nw", "ne", "sw", "se"})
            or (match.group()[0].islower() and folded not in _PARTICLES)
        ):
            offset = match.end()
    return offset + len(text[offset:]) - len(text[offset:].lstrip(" ,.-–:"))


def _is_city(name: str) -> bool:
    if not 2 <= len(name) <= 50 or len(name.split()) > _MOST_WORDS:
        return False
    folded = name.casefold()
    if folded in COUNTRY_OF_NAME and folded not in _CITY_STATES:
        return False
    if folded in _NOT_CITY or folded in FOREIGN_WORDS or folded.split()[0] in _NOT_CITY:
        return False
    return sum(map(str.isalpha, name)) >= 2 and (name[0].isupper() or not name[0].islower())
