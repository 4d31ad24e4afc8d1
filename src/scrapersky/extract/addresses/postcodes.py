"""The postcode shapes of the world: one declaration per country."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from ahocorasick_rs import AhoCorasick, Implementation

from scrapersky.extract.text.phrase_book import PhraseBook

Order = Literal["before", "after", "both"]


@dataclass(frozen=True, slots=True)
class Postcodes:
    """How one country writes the postcode, and on which side of the city it stands."""

    country: str
    shapes: tuple[str, ...]
    order: Order
    prefixes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


# The group names are the shapes that the declarations below refer to.
CANDIDATE = re.compile(
    r"(?<![\w+#/@€$£.&=])"
    r"(?:(?P<prefix>[A-Z]{1,3})(?:[-–‑]| [-–] )(?=\d))?"
    r"(?:(?P<uk>(?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?\d[A-HJKPSTUW\d]? {0,2}\d[ABD-HJLNP-UW-Z]{2}))"
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
    names: str = "",
) -> Postcodes:
    spoken = tuple(name for name in names.split("|") if name)
    return Postcodes(country, tuple(shapes.split()), order, tuple(prefixes.split()), spoken)


_DECLARATIONS = (
    _country(
        "US",
        "n5 zip4",
        "after",
        prefixes="US",
        names="USA|United States|U.S.A.|Vereinigte Staaten|États-Unis|Estados Unidos|Stati Uniti",
    ),
    _country("CA", "ca", "after", prefixes="CA", names="Canada|Kanada|Canadá"),
    _country(
        "GB",
        "uk",
        "after",
        prefixes="GB UK",
        names="United Kingdom|UK|Great Britain|England|Scotland|Wales|Northern Ireland|Royaume-Uni",
    ),
    _country("IE", "ie", "after", prefixes="IE", names="Ireland|Éire|Irland|Irlande"),
    _country(
        "DE",
        "n5",
        "before",
        prefixes="D DE",
        names="Deutschland|Germany|Allemagne|Alemania|Germania|Niemcy|Německo|Duitsland|Tyskland",
    ),
    _country("AT", "n4", "before", prefixes="A AT", names="Österreich|Austria|Autriche|Oostenrijk|Rakousko"),
    _country(
        "CH",
        "n4",
        "before",
        prefixes="CH",
        names="Schweiz|Suisse|Svizzera|Switzerland|Suiza|Zwitserland|Švýcarsko",
    ),
    _country("LI", "n4", "before", prefixes="FL LI", names="Liechtenstein"),
    _country("FR", "n5", "before", prefixes="F FR", names="France|Frankreich|Francia|Frankrijk|França"),
    _country("MC", "n5", "before", prefixes="MC", names="Monaco"),
    _country("BE", "n4", "before", prefixes="B BE", names="België|Belgique|Belgien|Belgium|Bélgica|Belgio"),
    _country(
        "NL",
        "nl n4",
        "before",
        prefixes="NL",
        names="Nederland|Netherlands|The Netherlands|Niederlande|Pays-Bas|Holland|Países Bajos",
    ),
    _country("LU", "n4", "before", prefixes="L LU", names="Luxembourg|Luxemburg|Lëtzebuerg"),
    _country("ES", "n5", "before", prefixes="E ES", names="España|Spain|Spanien|Espagne|Spagna"),
    _country("PT", "pt n4", "before", prefixes="P PT", names="Portugal"),
    _country("IT", "n5", "before", prefixes="I IT", names="Italia|Italy|Italien|Italie|Italië"),
    _country("SM", "n5", "before", names="San Marino"),
    _country("MT", "mt", "after", names="Malta"),
    _country("PL", "pl", "before", prefixes="PL", names="Polska|Poland|Polen|Pologne"),
    _country(
        "CZ",
        "d32 n5",
        "before",
        prefixes="CZ",
        names="Česká republika|Česko|Czech Republic|Czechia|Tschechien",
    ),
    _country(
        "SK", "d32 n5", "before", prefixes="SK", names="Slovensko|Slovenská republika|Slovakia|Slowakei"
    ),
    _country("HU", "n4", "before", prefixes="H HU", names="Magyarország|Hungary|Ungarn"),
    _country("RO", "n6", "both", prefixes="RO", names="România|Romania|Rumänien"),
    _country("BG", "n4", "both", prefixes="BG", names="България|Bulgaria"),
    _country("GR", "d32 n5", "both", prefixes="GR", names="Ελλάδα|Greece|Griechenland|Hellas"),
    _country("CY", "n4", "both", prefixes="CY", names="Κύπρος|Cyprus"),
    _country("SE", "d32 n5", "before", prefixes="S SE", names="Sverige|Sweden|Schweden"),
    _country("NO", "n4", "before", prefixes="N NO", names="Norge|Norway|Norwegen"),
    _country("DK", "n4", "before", prefixes="DK", names="Danmark|Denmark|Dänemark"),
    _country("FI", "n5", "before", prefixes="FI FIN", names="Suomi|Finland|Finnland"),
    _country("IS", "n3", "before", prefixes="IS", names="Ísland|Iceland"),
    _country("EE", "n5", "both", prefixes="EE", names="Eesti|Estonia|Estland"),
    _country("LV", "n4", "both", prefixes="LV", names="Latvija|Latvia|Lettland"),
    _country("LT", "n5", "both", prefixes="LT", names="Lietuva|Lithuania|Litauen"),
    _country("HR", "n5", "before", prefixes="HR", names="Hrvatska|Croatia|Kroatien"),
    _country("SI", "n4", "before", prefixes="SI", names="Slovenija|Slovenia|Slowenien"),
    _country("RS", "n5", "before", prefixes="RS", names="Srbija|Србија|Serbia"),
    _country("BA", "n5", "before", prefixes="BA", names="Bosna i Hercegovina|Bosnia and Herzegovina"),
    _country("ME", "n5", "before", names="Crna Gora|Montenegro"),
    _country("MK", "n4", "before", prefixes="MK", names="Македонија|North Macedonia"),
    _country("AL", "n4", "before", prefixes="AL", names="Shqipëri|Albania"),
    _country("TR", "n5", "both", prefixes="TR", names="Türkiye|Turkey|Türkei"),
    _country("UA", "n5", "both", prefixes="UA", names="Україна|Ukraine|Украина"),
    _country("RU", "n6", "both", prefixes="RU", names="Россия|Russia|Russland"),
    _country("BY", "n6", "both", prefixes="BY", names="Беларусь|Belarus"),
    _country("KZ", "n6", "both", prefixes="KZ", names="Казахстан|Kazakhstan|Қазақстан"),
    _country("MD", "n4", "both", prefixes="MD", names="Moldova"),
    _country("GE", "n4", "both", names="Georgia|საქართველო"),
    _country("AM", "n4", "both", names="Armenia"),
    _country("BR", "br", "both", names="Brasil|Brazil"),
    _country("AR", "ar ar4 n4", "before", names="Argentina"),
    _country("MX", "n5", "both", names="México|Mexico|Méjico"),
    _country("CL", "n7", "both", names="Chile"),
    _country("CO", "n6", "both", names="Colombia"),
    _country("PE", "n5", "both", names="Perú|Peru"),
    _country("UY", "n5", "before", names="Uruguay"),
    _country("EC", "n6", "both", names="Ecuador"),
    _country("CR", "n5", "both", names="Costa Rica"),
    _country("IN", "n6 d33", "after", prefixes="IN", names="India|INDIA|भारत"),
    _country("JP", "jp", "before", names="Japan|日本"),
    _country("CN", "n6", "both", names="China|中国|P.R. China"),
    _country("KR", "n5", "both", names="Korea|South Korea|대한민국"),
    _country("TW", "n3 n5", "before", names="Taiwan|台灣"),
    _country("SG", "n6", "after", names="Singapore"),
    _country("MY", "n5", "before", names="Malaysia"),
    _country("TH", "n5", "after", names="Thailand|ประเทศไทย"),
    _country("ID", "n5", "after", names="Indonesia"),
    _country("PH", "n4", "both", names="Philippines"),
    _country("VN", "n6 n5", "after", names="Việt Nam|Vietnam"),
    _country("PK", "n5", "after", names="Pakistan"),
    _country("BD", "n4", "after", names="Bangladesh"),
    _country("LK", "n5", "after", names="Sri Lanka"),
    _country("NP", "n5", "after", names="Nepal"),
    _country("IL", "n7 n5", "both", names="Israel|ישראל"),
    _country("SA", "n5", "both", names="Saudi Arabia"),
    _country("EG", "n5", "after", names="Egypt"),
    _country("MA", "n5", "before", names="Maroc|Morocco"),
    _country("TN", "n4", "before", names="Tunisie|Tunisia"),
    _country("DZ", "n5", "before", names="Algérie|Algeria"),
    _country("SN", "n5", "both", names="Sénégal|Senegal"),
    _country("KE", "n5", "both", names="Kenya"),
    _country("NG", "n6", "after", names="Nigeria"),
    _country("ZA", "n4", "after", names="South Africa|Suid-Afrika"),
    _country("AU", "n4", "after", prefixes="AU", names="Australia"),
    _country("NZ", "n4", "after", prefixes="NZ", names="New Zealand|Aotearoa"),
)

COUNTRIES: Mapping[str, Postcodes] = MappingProxyType({d.country: d for d in _DECLARATIONS})

_BY_PREFIX = {prefix: d for d in _DECLARATIONS for prefix in d.prefixes}

# Countries without a postcode of their own that addresses still name.
_UNCODED_NAMES = {
    "UG": "Uganda",
    "GH": "Ghana",
    "TZ": "Tanzania",
    "RW": "Rwanda",
    "ET": "Ethiopia",
    "ZW": "Zimbabwe",
    "ZM": "Zambia",
    "CM": "Cameroun|Cameroon",
    "CI": "Côte d'Ivoire|Côte d’Ivoire|Ivory Coast",
    "AE": "UAE|United Arab Emirates|U.A.E.",
    "QA": "Qatar",
    "KW": "Kuwait",
    "OM": "Oman",
    "BH": "Bahrain",
    "HK": "Hong Kong",
    "BO": "Bolivia",
    "PA": "Panamá|Panama",
    "GT": "Guatemala",
    "DO": "República Dominicana|Dominican Republic",
    "JM": "Jamaica",
    "LB": "Lebanon|Liban",
    "VE": "Venezuela",
    "HN": "Honduras",
    "SV": "El Salvador",
    "NI": "Nicaragua",
    "CU": "Cuba",
    "PY": "Paraguay",
    "MZ": "Moçambique|Mozambique",
    "AO": "Angola",
    "BW": "Botswana",
    "NA": "Namibia",
    "MW": "Malawi",
    "MG": "Madagascar",
    "ML": "Mali",
    "BF": "Burkina Faso",
    "BJ": "Bénin|Benin",
    "TG": "Togo",
    "GA": "Gabon",
    "MU": "Mauritius|Maurice",
    "KH": "Cambodia",
    "MM": "Myanmar",
    "IQ": "Iraq",
    "AZ": "Azerbaijan",
    "UZ": "Uzbekistan",
    "JO": "Jordan",
}

COUNTRY_OF_NAME: Mapping[str, str] = MappingProxyType(
    {name.casefold(): d.country for d in _DECLARATIONS for name in d.names}
    | {n.casefold(): code for code, names in _UNCODED_NAMES.items() for n in names.split("|")}
)

_ANY_COUNTRY = AhoCorasick(list(COUNTRY_OF_NAME), implementation=Implementation.DFA)
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


def home_of(country: str | None, domain: str | None, language: str | None) -> str | None:
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


def of_prefix(prefix: str | None) -> Postcodes | None:
    """The country that writes this prefix before its postcodes, such as D-, CH- or SE-."""
    return _BY_PREFIX.get(prefix) if prefix else None


@lru_cache(maxsize=2_048)
def country_named(text: str) -> str | None:
    """The country whose name stands in the text, the last one when there are several."""
    low = text.lower()
    found = None
    if not _ANY_COUNTRY.find_matches_as_indexes(low):
        return None
    for start, end in _COUNTRY_NAMES.found_in(low):
        found = COUNTRY_OF_NAME.get(low[start:end], found)
    return found


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
