"""The country that a top-level domain stands for."""

from __future__ import annotations

from scrapersky.extract.geography.country_codes import region_code

# Endings that are sold to everybody: .ag to German companies, .me to people, .tv to stations.
_SOLD_TEXT = """
ac ag ai am asia bz cat cc cd cf co cx dj eu fm ga gd gg gl gq gs hm im io ki la lc ly me ml mn ms mu nf nu pw
sc sh st su sx tc tk tl to tv vc vg vu ws
"""
_NOT_COUNTRIES = frozenset(_SOLD_TEXT.split())
_SPECIAL_ENDS = {
    "swiss": "CH", "berlin": "DE", "bayern": "DE", "hamburg": "DE", "wien": "AT", "tirol": "AT",
    "paris": "FR", "bzh": "FR", "cat": "ES", "eus": "ES", "gal": "ES", "nyc": "US", "london": "GB",
    "scot": "GB",
    "amsterdam": "NL", "brussels": "BE", "vlaanderen": "BE", "quebec": "CA", "tokyo": "JP", "gov": "US",
    "mil": "US", "edu": "US",
}  # fmt: skip


def country_of_ending(end: str) -> str | None:
    """The country of a top-level domain, if it is used by that country."""
    end = end.lower()
    if end in _SPECIAL_ENDS:
        return _SPECIAL_ENDS[end]
    if len(end) != 2 or end in _NOT_COUNTRIES:
        return None
    return region_code(end)
