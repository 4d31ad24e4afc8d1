"""The country a page speaks from: the hint if there is one, else what its signs add up to."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import Any

import ahocorasick_rs
import phonenumbers
import pycld2
import re2

from scrapersky.extract.country_words import LANGUAGE_COUNTRY, PLACE_WORDS, SIGNS
from scrapersky.extract.document import Document
from scrapersky.extract.findings import Hints
from scrapersky.extract.phone_numbers import read_number

_NOT_COUNTRIES = frozenset(
    (
        "ai",
        "asia",
        "cat",
        "cc",
        "cf",
        "co",
        "eu",
        "fm",
        "ga",
        "gg",
        "gq",
        "io",
        "la",
        "ly",
        "me",
        "ml",
        "nu",
        "sh",
        "st",
        "su",
        "tk",
        "to",
        "tv",
        "ws",
    )
)
_OF_DOMAIN = {"uk": "GB"}
_SPECIAL_ENDS = {
    "swiss": "CH", "berlin": "DE", "bayern": "DE", "hamburg": "DE", "wien": "AT", "tirol": "AT",
    "paris": "FR", "bzh": "FR", "cat": "ES", "eus": "ES", "gal": "ES", "nyc": "US", "london": "GB",
    "scot": "GB",
    "amsterdam": "NL", "brussels": "BE", "vlaanderen": "BE", "quebec": "CA", "tokyo": "JP", "gov": "US",
    "mil": "US", "edu": "US",
}  # fmt: skip
_MAIL_END = re.compile(r"@[\w.-]{1,100}\.([a-z]{2})\b", re.I)
# Each branch begins with its sign, so that the search looks at nothing else.
_PREFIXED = re.compile(r"(?:\+(?<!\w\+)|0(?<!\w0)0)[1-9][\d ().-]{6,20}\d")
# Words of two signs are too common as parts of other words.
_PLACES = ahocorasick_rs.AhoCorasick(
    [word for word in PLACE_WORDS if len(word) > 2 and word.isalpha()],
    matchkind=ahocorasick_rs.MatchKind.LeftmostLongest,
)
_ENGLISH_DEFAULTS = frozenset(("en-us", "en_us", "en"))
_MAX_TEXT = 60_000
_ENOUGH = 1.0
_KINDRED = {
    "IT": ("CH",),
    "DE": ("AT", "CH"),
    "FR": ("BE", "CH", "CA"),
    "NL": ("BE",),
    "PT": ("BR",),
    "GB": ("IE",),
}
_PORTUGUESE_OF_BRAZIL = re.compile(r"\bvocê|\bonde estamos|\bendereço\b", re.I)


def country_of(doc: Document, hints: Hints) -> str | None:
    """The ISO-2 code of the country, or None when nothing speaks for one."""
    if hints.country:
        return hints.country.upper()
    scores = country_scores(doc, hints)
    best = max(scores, key=lambda country: scores[country], default=None)
    return best if best and scores[best] >= _ENOUGH else None


def kindred_countries(country: str | None) -> tuple[str, ...]:
    """Countries that a guess by language can have mistaken for this one."""
    return _KINDRED.get(country or "", ())


def country_scores(doc: Document, hints: Hints) -> dict[str, float]:
    """How much speaks for each country."""
    scores: dict[str, float] = defaultdict(float)
    _by_domain(scores, doc, hints)
    _by_things(scores, doc)
    _by_prefixes(scores, doc)
    _by_language(scores, doc)
    for word in _places_in(doc.low[:_MAX_TEXT]):
        country, weight = PLACE_WORDS[word]
        scores[country] += weight
    text = doc.text[:_MAX_TEXT]
    for number in _signs().Match(text) or ():
        _, country, weight = SIGNS[number]
        scores[country] += weight
    for end in {found.lower() for found in _MAIL_END.findall(text)}:
        _add(scores, _country_of_end(end), 2.5)
    return dict(scores)


def _places_in(low: str) -> dict[str, None]:
    """The words for places in a text in lower case, each once; a part of a longer word is none."""
    return {
        low[start:end]: None
        for _, start, end in _PLACES.find_matches_as_indexes(low)
        if not _is_letter(low[start - 1 : start]) and not _is_letter(low[end : end + 1])
    }


def _is_letter(character: str) -> bool:
    return character.isalnum() and not character.isdecimal()


@lru_cache(maxsize=1)
def _signs() -> Any:
    """All signs as one set, so that a text is read once for all of them."""
    signs = re2.Set.SearchSet()
    for pattern, _, _ in SIGNS:
        signs.Add(pattern)
    signs.Compile()
    return signs


def _add(scores: dict[str, float], country: str | None, weight: float) -> None:
    if country:
        scores[country] += weight


def _country_of_end(end: str) -> str | None:
    """The country of a top-level domain, if it is used by that country."""
    end = end.lower()
    if end in _SPECIAL_ENDS:
        return _SPECIAL_ENDS[end]
    if len(end) != 2 or end in _NOT_COUNTRIES:
        return None
    return _OF_DOMAIN.get(end, end.upper())


def _by_domain(scores: dict[str, float], doc: Document, hints: Hints) -> None:
    for address in (hints.site_domain, hints.url, doc.url, doc.metas.get("og:url")):
        host = (address or "").partition("//")[2] or address or ""
        end = host.partition("/")[0].partition(":")[0].rpartition(".")[2]
        country = _country_of_end(end) if end else None
        if country:
            scores[country] += 5.0
            return


def _by_things(scores: dict[str, float], doc: Document) -> None:
    for thing in doc.things:
        value: Any = thing.get("addressCountry")
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            word = value.strip()
            known = PLACE_WORDS.get(word.lower(), ("", 0.0))[0]
            _add(scores, word.upper() if len(word) == 2 else known, 4.0)


def _by_prefixes(scores: dict[str, float], doc: Document) -> None:
    """Numbers with a country prefix, in the text and in links."""
    numbers = {
        re.sub(r"\D", "", found).removeprefix("00") for found in _PREFIXED.findall(doc.text[:_MAX_TEXT])
    }
    for link in doc.signed_links:
        if link.raw[:5].lower() == "tel:+" or "wa.me/" in link.raw:
            numbers.add(re.sub(r"\D", "", link.raw)[:15])
    for number in sorted(numbers)[:20]:
        _add(scores, _region_of(number), 3.0)


@lru_cache(maxsize=4_096)
def _region_of(digits: str) -> str | None:
    known = read_number(f"+{digits}", None) if digits[:1] != "0" else None
    if known is not None and known.country is not None:
        return known.country if known.country not in ("ZZ", "001") else None
    try:
        number = phonenumbers.parse("+" + digits, None)
    except phonenumbers.NumberParseException:
        return None
    region = phonenumbers.region_code_for_number(number)
    if region is None and phonenumbers.is_possible_number(number) and number.country_code:
        region = phonenumbers.region_code_for_country_code(number.country_code)
    return region if region not in (None, "ZZ", "001") else None


def _by_language(scores: dict[str, float], doc: Document) -> None:
    """The declared language and, because templates lie, the one the text is written in."""
    declared = (doc.lang or "").replace("_", "-").lower()
    language, _, region = declared.partition("-")
    if len(region) == 2 and declared != "en-us":
        scores[region.upper()] += 2.0
    locale = doc.metas.get("og:locale", "").lower()
    if len(locale) == 5 and locale not in _ENGLISH_DEFAULTS:
        scores[locale[3:].upper()] += 1.0
    if declared in ("en-us",) or locale == "en_us":
        scores["US"] += 0.6
    written = written_language(doc.text) or language
    if written == "pt" and _PORTUGUESE_OF_BRAZIL.search(doc.text[:_MAX_TEXT]):
        scores["BR"] += 1.5
        return
    country, weight = LANGUAGE_COUNTRY.get(written, ("", 0.0))
    _add(scores, country, weight)


def written_language(text: str) -> str | None:
    """The two-letter code of the language a text is written in, when that can be told."""
    if len(text) < 40:
        return None
    try:
        reliable, _, details = pycld2.detect(text[:20_000].encode("utf-8", "ignore"), bestEffort=True)
    except pycld2.error:
        return None
    code = str(details[0][1])
    return code if reliable and code != "un" else None
