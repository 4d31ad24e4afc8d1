"""The ISO-2 code for a country's code or name in any language."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import phonenumbers

from scrapersky.extract.geography.country_names import COUNTRY_OF_NAME

# Codes in use that are not of the standard, and the three-letter codes that are.
_OTHER_CODES = {"UK": "GB", "EL": "GR"}
_LONG_CODES_TEXT = """
DEU:DE AUT:AT CHE:CH LIE:LI LUX:LU FRA:FR MCO:MC BEL:BE NLD:NL ITA:IT ESP:ES PRT:PT GBR:GB IRL:IE POL:PL
CZE:CZ SVK:SK HUN:HU ROU:RO BGR:BG GRC:GR HRV:HR SVN:SI SRB:RS BIH:BA UKR:UA RUS:RU SWE:SE NOR:NO DNK:DK
FIN:FI ISL:IS EST:EE LVA:LV LTU:LT TUR:TR ISR:IL CYP:CY MLT:MT USA:US CAN:CA MEX:MX BRA:BR ARG:AR CHL:CL
COL:CO PER:PE ECU:EC URY:UY VEN:VE CRI:CR PAN:PA GTM:GT DOM:DO IND:IN NPL:NP BGD:BD PAK:PK LKA:LK CHN:CN
HKG:HK TWN:TW JPN:JP KOR:KR VNM:VN THA:TH IDN:ID MYS:MY SGP:SG PHL:PH AUS:AU NZL:NZ ZAF:ZA NGA:NG KEN:KE
UGA:UG TZA:TZ GHA:GH ETH:ET SEN:SN CIV:CI CMR:CM MAR:MA TUN:TN DZA:DZ EGY:EG ARE:AE SAU:SA QAT:QA KWT:KW
"""
_LONG_CODES = dict(pair.split(":") for pair in _LONG_CODES_TEXT.split())
_OTHER_NAMES = {
    "united states of america": "US", "u.s.": "US", "us of a": "US", "the united states": "US", "u.k.": "GB",
    "the united kingdom": "GB", "britain": "GB", "grossbritannien": "GB", "großbritannien": "GB",
    "bundesrepublik deutschland": "DE", "brd": "DE", "oesterreich": "AT", "republik österreich": "AT",
    "confoederatio helvetica": "CH", "the netherlands": "NL", "holland": "NL", "republic of ireland": "IE",
    "eire": "IE", "czech republic": "CZ", "russian federation": "RU", "korea": "KR", "south korea": "KR",
    "republic of korea": "KR", "한국": "KR", "viet nam": "VN", "uae": "AE", "u.a.e.": "AE", "turkiye": "TR",
    "hellas": "GR", "中國": "CN", "中华人民共和国": "CN", "日本国": "JP", "臺灣": "TW", "台灣": "TW",
    "台湾": "TW",
    "hong kong": "HK", "香港": "HK", "macedonia": "MK", "ivory coast": "CI", "cape verde": "CV",
}  # fmt: skip
_LONGEST = 60


def region_code(code: str) -> str | None:
    """The code in its usual form, if it is a country's."""
    code = code.upper()
    code = _OTHER_CODES.get(code, code)
    return code if code in phonenumbers.SUPPORTED_REGIONS else None


@lru_cache(maxsize=1_024)
def country_code(text: str) -> str | None:
    """The country that a code or a name in any language means; None for whatever else stands there."""
    word = " ".join(text.split())[:_LONGEST]
    if len(word) == 2 and word.isascii():
        return region_code(word)
    if word.upper() in _LONG_CODES:
        return _LONG_CODES[word.upper()]
    name = word.casefold()
    known = _OTHER_NAMES.get(name) or COUNTRY_OF_NAME.get(name)
    return known or (_names().get(name) if len(name) > 1 else None)


def country_in(thing: Any) -> str | None:
    """The country of an address in structured data: a text, a list of texts, or a thing with a name."""
    if isinstance(thing, list):
        thing = thing[0] if thing else None
    if isinstance(thing, dict):
        thing = thing.get("name") or thing.get("identifier") or thing.get("addressCountry")
    return country_code(thing) if isinstance(thing, str) and thing.strip() else None


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Names of all countries in some two hundred languages; large, and so read when first asked for."""
    from phonenumbers.geodata.locale import LOCALE_DATA

    return {
        name.casefold(): code
        for code, names in LOCALE_DATA.items()
        if code in phonenumbers.SUPPORTED_REGIONS
        for name in names.values()
        if not name.startswith("*")
    }
