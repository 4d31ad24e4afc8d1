"""The postcode shapes of the world: one declaration per country."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME
from scrapersky.extract.text.phrase_book import PhraseBook

Order = Literal["before", "after", "both"]


@dataclass(frozen=True, slots=True)
class Postcodes:
    """How one country writes the postcode, and on which side of the city it stands."""

    country: str
    shapes: tuple[str, ...]
    order: Order
    prefixes: tuple[str, ...] = ()


# The group names are the shapes that the declarations below refer to.
CANDIDATE = re.compile(
    r"(?<![\w+#/@€$£.&=])"
    r"(?:(?P<prefix>[A-Z]{1,3})(?:[-–‑]| [-–] |(?<=AD)|(?<=AZ))(?=\d))?"
    r"(?:(?P<uk>(?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?\d[A-HJKMNPR-Y\d]? {0,2}\d[ABD-HJLNP-UW-Z]{2}))"
    r"|(?P<ca>[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d)"
    r"|(?P<ie>[AC-FHKNPRTV-Y]\d[\dW] ?(?=[A-Z\d]*\d)[\dAC-FHKNPRTV-Y]{4})"
    r"|(?P<ar>[A-HJ-NP-Z]\d{4}[A-Z]{3})|(?P<ar4>[A-HJ-NP-Z]\d{4})"
    r"|(?P<mt>[A-Z]{3} ?\d{4})"
    r"|(?P<nl>[1-9]\d{3} ?(?!S[ADS]\b)[A-Z]{2})"
    r"|(?P<br>\d{2}\.?\d{3}-\d{3})"
    r"|(?P<zip4>\d{5}-\d{4})"
    r"|(?P<pt>\d{4}-\d{3})"
    r"|(?P<jp>\d{3}-\d{4})"
    r"|(?P<pl>\d{2}-\d{3})"
    r"|(?P<d32>\d{3} \d{2})"
    r"|(?P<d33>\d{3} \d{3})"
    r"|(?P<n7>\d{7})|(?P<n6>\d{6})|(?P<n5>\d{5})|(?P<n4>\d{4})|(?P<n3>\d{3}))"
    r"(?![\w%€$£@/°²]|[.,:]\d| ?[-–/] ?\d| \d)"
)


_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = 7
_SIGNS_WITHIN = ("-", ".")
_LEAD = re.compile(r"(?<!\w)[A-Z]{1,3}(?:[-–‑]| [-–] | (?=$))?$")


def _country(
    country: str,
    shapes: str,
    order: Order,
    *,
    prefixes: str = "",
) -> Postcodes:
    return Postcodes(country, tuple(shapes.split()), order, tuple(prefixes.split()))


# Countries and territories that write theirs alike.
_ALIKE: tuple[tuple[str, Order, str], ...] = (
    ("n3", "before", "FO GN MG OM"),
    ("n4", "before", "CV ET GL GW LB LR MZ NE PY SV"),
    ("n5", "before", "AX BL GF GP GT KW LA MF MQ NC PF PM RE VA WF XK YT ZM"),
    ("n6", "before", "KG TJ TM UZ"),
    ("n4", "both", "AF HT PA VE"),
    ("n5", "both", "BT CU DO HN IQ JO KH MM MN MU MV NI TZ"),
    ("n3", "after", "BH LS PG"),
    ("uk", "after", "FK GG GI IM JE"),
    ("n5 zip4", "after", "AS GU MP PR VI"),
)
_DECLARATIONS = (
    _country("US", "n5 zip4", "after", prefixes="US"),
    _country("CA", "ca", "after", prefixes="CA"),
    _country("GB", "uk", "after", prefixes="GB UK"),
    _country("IE", "ie", "after", prefixes="IE"),
    _country("DE", "n5", "before", prefixes="D DE"),
    _country("AT", "n4", "before", prefixes="A AT"),
    _country("CH", "n4", "before", prefixes="CH"),
    _country("LI", "n4", "before", prefixes="FL LI"),
    _country("FR", "n5", "before", prefixes="F FR"),
    _country("MC", "n5", "before", prefixes="MC"),
    _country("BE", "n4", "before", prefixes="B BE"),
    _country("NL", "nl n4", "before", prefixes="NL"),
    _country("LU", "n4", "before", prefixes="L LU"),
    _country("ES", "n5", "before", prefixes="E ES"),
    _country("PT", "pt n4", "before", prefixes="P PT"),
    _country("IT", "n5", "before", prefixes="I IT"),
    _country("SM", "n5", "before"),
    _country("MT", "mt", "after"),
    _country("PL", "pl", "before", prefixes="PL"),
    _country("CZ", "d32 n5", "before", prefixes="CZ"),
    _country("SK", "d32 n5", "before", prefixes="SK"),
    _country("HU", "n4", "before", prefixes="H HU"),
    _country("RO", "n6", "both", prefixes="RO"),
    _country("BG", "n4", "both", prefixes="BG"),
    _country("GR", "d32 n5", "both", prefixes="GR"),
    _country("CY", "n4", "both", prefixes="CY"),
    _country("SE", "d32 n5", "before", prefixes="S SE"),
    _country("NO", "n4", "before", prefixes="N NO"),
    _country("DK", "n4", "before", prefixes="DK"),
    _country("FI", "n5", "before", prefixes="FI FIN"),
    _country("IS", "n3", "before", prefixes="IS"),
    _country("EE", "n5", "both", prefixes="EE"),
    _country("LV", "n4", "both", prefixes="LV"),
    _country("LT", "n5", "both", prefixes="LT"),
    _country("HR", "n5", "before", prefixes="HR"),
    _country("SI", "n4", "before", prefixes="SI"),
    _country("RS", "n5", "before", prefixes="RS"),
    _country("BA", "n5", "before", prefixes="BA"),
    _country("ME", "n5", "before"),
    _country("MK", "n4", "before", prefixes="MK"),
    _country("AL", "n4", "before", prefixes="AL"),
    _country("TR", "n5", "both", prefixes="TR"),
    _country("UA", "n5", "both", prefixes="UA"),
    _country("RU", "n6", "both", prefixes="RU"),
    _country("BY", "n6", "both", prefixes="BY"),
    _country("KZ", "n6", "both", prefixes="KZ"),
    _country("MD", "n4", "both", prefixes="MD"),
    _country("GE", "n4", "both"),
    _country("AM", "n4", "both"),
    _country("BR", "br", "both"),
    _country("AR", "ar ar4 n4", "before"),
    _country("MX", "n5", "both"),
    _country("CL", "n7", "both"),
    _country("CO", "n6", "both"),
    _country("PE", "n5", "both"),
    _country("UY", "n5", "before"),
    _country("EC", "n6", "both"),
    _country("CR", "n5", "both"),
    _country("IN", "n6 d33", "after", prefixes="IN"),
    _country("JP", "jp", "both"),
    _country("CN", "n6", "both"),
    _country("KR", "n5", "both"),
    _country("TW", "n3 n5 n6", "both"),
    _country("SG", "n6", "after"),
    _country("MY", "n5", "before"),
    _country("TH", "n5", "after"),
    _country("ID", "n5", "after"),
    _country("PH", "n4", "both"),
    _country("VN", "n6 n5", "after"),
    _country("PK", "n5", "after"),
    _country("BD", "n4", "after"),
    _country("LK", "n5", "after"),
    _country("NP", "n5", "both"),
    _country("IL", "n7 n5", "both"),
    _country("SA", "n5", "both"),
    _country("EG", "n5", "after"),
    _country("MA", "n5", "before"),
    _country("TN", "n4", "before"),
    _country("DZ", "n5", "before"),
    _country("SN", "n5", "both"),
    _country("KE", "n5", "both"),
    _country("NG", "n6", "after"),
    _country("ZA", "n4", "after"),
    _country("AU", "n4", "after", prefixes="AU"),
    _country("NZ", "n4", "after", prefixes="NZ"),
    *(
        _country(country, shapes, order)
        for shapes, order, countries in _ALIKE
        for country in countries.split()
    ),
    _country("PS", "n3 n6 n7", "before"),
    _country("AD", "n3", "before", prefixes="AD"),
    _country("AZ", "n4", "before", prefixes="AZ"),
)

COUNTRIES: Mapping[str, Postcodes] = MappingProxyType({d.country: d for d in _DECLARATIONS})

_BY_PREFIX = {prefix: d for d in _DECLARATIONS for prefix in d.prefixes}

_WORD_START = re.compile(r"(?<!\w)\w{1,3}")
# How the names of countries begin.
_COUNTRY_STARTS = frozenset(_WORD_START.findall(name)[0] for name in COUNTRY_OF_NAME)
_COUNTRY_NAMES = PhraseBook([f"{name}$" for name in COUNTRY_OF_NAME])

# These shapes belong to one country, so that they are believed on any site.
DISTINCTIVE: Mapping[str, str] = MappingProxyType(
    {"uk": "GB", "ca": "CA", "nl": "NL", "br": "BR", "ar": "AR"}
)

_LANGUAGE_HOMES = MappingProxyType(
    {
        "de": "DE", "fr": "FR", "it": "IT", "es": "ES", "pt": "PT", "nl": "NL", "pl": "PL", "cs": "CZ",
        "sk": "SK", "hu": "HU", "ro": "RO", "bg": "BG", "el": "GR", "sv": "SE", "nb": "NO", "no": "NO",
        "da": "DK", "fi": "FI", "et": "EE", "lv": "LV", "lt": "LT", "hr": "HR", "sl": "SI", "sr": "RS",
        "tr": "TR", "uk": "UA", "ru": "RU", "ja": "JP", "ko": "KR", "zh": "CN", "he": "IL", "en": "US",
    }
)  # fmt: skip

US_STATE = (
    r"A[KLRZ]|C[AOT]|D[CE]|FL|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|"
    r"T[NX]|UT|V[AIT]|W[AIVY]"
)
US_STATE_NAME = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|"
    "Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|"
    "Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North "
    "Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South Carolina|South Dakota|"
    "Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming|District of Columbia"
)


def expected_country(country: str | None, domain: str | None, language: str | None) -> str | None:
    """The country whose postcodes are expected: the hint, the domain's ending, the language."""
    if country:
        return country.upper()
    ending = (domain or "").rstrip(".").rpartition(".")[2].upper()
    ending = {"UK": "GB"}.get(ending, ending)
    if ending in COUNTRIES:
        return ending
    spoken = (language or "").lower().replace("_", "-").split("-")
    if len(spoken) > 1 and spoken[-1].upper() in COUNTRIES:
        return spoken[-1].upper()
    return _LANGUAGE_HOMES.get(spoken[0])


def postcodes_of_prefix(prefix: str | None) -> Postcodes | None:
    """The country that writes this prefix before its postcodes, such as D-, CH- or SE-."""
    return _BY_PREFIX.get(prefix) if prefix else None


@lru_cache(maxsize=2_048)
def find_country_name(text: str) -> str | None:
    """The country whose name stands in the text, the last one when there are several."""
    low = text.lower()
    country, after = None, 0
    if _COUNTRY_STARTS.isdisjoint(_WORD_START.findall(low)):
        return None
    for start, end in _COUNTRY_NAMES.found_in(low):
        if start >= after and not low.endswith("new ", 0, start):
            country, after = COUNTRY_OF_NAME.get(low[start:end], country), end
    return country


def candidates(text: str) -> Iterator[re.Match[str]]:
    """Everything in a text that is shaped like a postcode; only the surroundings of digits are read."""
    after = 0
    for digits in _DIGITS.finditer(text):
        start, end = digits.span()
        if start < after or not _may_be_code(text, start, end):
            continue
        begin = _code_start(text, start)
        match = CANDIDATE.match(text, begin)
        if match is not None and match.lastgroup == "mt":
            yield match
        if begin != start and (match is None or match.lastgroup == "mt"):
            match = CANDIDATE.match(text, start)
        if match is not None:
            after = match.end()
            yield match


def _may_be_code(text: str, start: int, end: int) -> bool:
    """Whether a run of digits is as long as in postcodes; a short one needs a letter or a sign beside it."""
    if end - start > 2:
        return end - start <= _MOST_DIGITS
    return text[end : end + 1] in _SIGNS_WITHIN or text[start - 1 : start].isalpha()


def _code_start(text: str, start: int) -> int:
    """Where a postcode begins whose first digit is known: letters and a prefix may stand before it."""
    lead = _LEAD.search(text, max(0, start - 6), start)
    return lead.start() if lead else start
