"""The country of a page: the hint if there is one, else the country with the most evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import ahocorasick_rs
import phonenumbers
import re2

from scrapersky.extract.country.vocabulary import LANGUAGE_COUNTRY, SIGNS, SPEAKERS
from scrapersky.extract.geography import country_code
from scrapersky.extract.geography.country_codes import country_in, region_code
from scrapersky.extract.geography.domain_endings import country_of_ending
from scrapersky.extract.geography.place_words import PLACE_WORDS
from scrapersky.extract.html import Document
from scrapersky.extract.html.contact_links import CONTACT_LINKS
from scrapersky.extract.phones.labels import belongs_to_other, names_other
from scrapersky.extract.phones.numbers import read_number
from scrapersky.extract.results import Hints
from scrapersky.extract.text.language import detect_language

_MAIL_END = re.compile(r"@[\w.-]{1,100}\.([a-z]{2})\b", re.I)
# Each branch begins with its sign, so that the search looks at nothing else.
_PREFIXED = re.compile(r"(?:\+(?<!\w\+)|0(?<!\w0)0)[1-9][\d ().-]{6,20}\d")
# Words of two signs are too common as parts of other words.
_PLACES = ahocorasick_rs.AhoCorasick(
    [word for word in PLACE_WORDS if len(word) > 2 and word.isalpha()],
    matchkind=ahocorasick_rs.MatchKind.LeftmostLongest,
)
_NO_REGIONS = frozenset(("es-la", "ar-ar", "en-pi", "en-ud", "zh-ch"))
# How much a sign still counts for a country where the page's language is not spoken.
_FOREIGN_SHARE = 0.3
_ENGLISH_DEFAULTS = frozenset(("en-us", "en_us", "en"))
_MAX_TEXT = 60_000
_ENOUGH = 1.0
_PORTUGUESE_OF_BRAZIL = re.compile(r"\bvocê|\bonde estamos|\bendereço\b", re.I)


def detect_country(doc: Document, hints: Hints) -> str | None:
    """The ISO-2 code of the country, or None when nothing speaks for one."""
    hinted = country_code(hints.country) if hints.country else None
    if hinted:
        return hinted
    scores = country_scores(doc, hints)
    best = max(scores, key=lambda country: scores[country], default=None)
    return best if best and scores[best] >= _ENOUGH else None


def country_scores(doc: Document, hints: Hints) -> dict[str, float]:
    """How much speaks for each country."""
    scores: dict[str, float] = defaultdict(float)
    _by_domain(scores, doc, hints)
    _by_things(scores, doc)
    faint = _by_prefixes(scores, doc)
    language = _by_language(scores, doc)
    text = doc.text[:_MAX_TEXT]
    for end in {ending.lower() for ending in _MAIL_END.findall(text)}:
        _add(scores, country_of_ending(end), 2.5)
    for country, weight in _faint_signs(doc, text, faint):
        # What looks like a postcode of another country in a page of this language is an article number.
        speaks = country in SPEAKERS.get(language, country)
        scores[country] += weight if speaks else weight * _FOREIGN_SHARE
    return dict(scores)


def _faint_signs(doc: Document, text: str, prefixed: set[str]) -> Iterator[tuple[str, float]]:
    """Countries that words and shapes in the text speak for, and how much."""
    for digits in sorted(prefixed)[:20]:
        number = read_number(f"+{digits}", None)
        if number is not None and number.country is not None:
            yield number.country, 3.0
    yield from (PLACE_WORDS[word] for word in _places_in(doc.lower_text[:_MAX_TEXT]))
    for place in _signs().Match(text) or ():
        yield SIGNS[place][1:]


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


def _by_domain(scores: dict[str, float], doc: Document, hints: Hints) -> None:
    for address in (hints.site_domain, hints.url, doc.url, doc.metas.get("og:url")):
        host = (address or "").partition("//")[2] or address or ""
        end = host.partition("/")[0].partition(":")[0].rpartition(".")[2]
        country = country_of_ending(end) if end else None
        if country:
            scores[country] += 5.0
            return


def _by_things(scores: dict[str, float], doc: Document) -> None:
    for thing in doc.things:
        _add(scores, country_in(thing.get("addressCountry")), 4.0)


def _by_prefixes(scores: dict[str, float], doc: Document) -> set[str]:
    """Numbers with a country prefix, in the text and in links; those behind 00 prove less: returned."""
    text = doc.text[:_MAX_TEXT]
    numbers: set[str] = set()
    faint: set[str] = set()
    for match in _PREFIXED.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if match.group()[0] == "+":
            numbers.add(digits)
        elif _may_dial(text, match.start()):
            faint.add(digits[2:])
    for link in doc.scan(CONTACT_LINKS):
        if link.raw[:5].lower() == "tel:+" or "wa.me/" in link.raw:
            numbers.add(re.sub(r"\D", "", link.raw)[:15])
    for number in sorted(numbers)[:20]:
        _add(scores, _region_of(number), 3.0)
    return faint - numbers


def _may_dial(text: str, start: int) -> bool:
    """Whether 00 may begin a phone number: not in the middle of an account, a book or an article."""
    before = text[max(0, start - 40) : start].rpartition("\n")[2]
    if before.rstrip(" -./")[-1:].isdigit():
        return False
    return not names_other(before) and not belongs_to_other(before)


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


def _by_language(scores: dict[str, float], doc: Document) -> str:
    """The declared language and, because templates lie, the one the text is written in, which is returned."""
    declared = (doc.lang or "").replace("_", "-").lower()
    language, _, region = declared.partition("-")
    if declared != "en-us":
        _add(scores, _meant_region(language, region), 2.0)
    locale = doc.metas.get("og:locale", "").lower()
    if len(locale) == 5 and locale not in _ENGLISH_DEFAULTS:
        _add(scores, _meant_region(locale[:2], locale[3:]), 1.0)
    if declared in ("en-us",) or locale == "en_us":
        scores["US"] += 0.6
    written = written_language(doc.text) or language
    if written == "pt" and _PORTUGUESE_OF_BRAZIL.search(doc.text[:_MAX_TEXT]):
        scores["BR"] += 1.5
        return written
    country, weight = LANGUAGE_COUNTRY.get(written, ("", 0.0))
    _add(scores, country, weight)
    return written


def _meant_region(language: str, region: str) -> str | None:
    """The country of a language tag; none for tags that only look so, as sv-SV, uk-UK, ar_AR and es_LA."""
    if len(region) != 2 or f"{language}-{region}" in _NO_REGIONS:
        return None
    if language == region and LANGUAGE_COUNTRY.get(language, (region.upper(), 0.0))[0] != region.upper():
        return None
    return region_code(region)


def written_language(text: str) -> str | None:
    """The two-letter code of the language a text is written in, if it can be detected."""
    if len(text) < 40:
        return None
    return detect_language(text[:20_000].encode("utf-8", "ignore"), bestEffort=True)
