"""Fingerprints of technologies: the vendored set and our own, translated once into rules cheap to try."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import orjson
import re2
from ahocorasick_rs import BytesAhoCorasick, Implementation

from scrapersky.extract.technologies.lead_fingerprints import lead_fingerprints
from scrapersky.extract.technologies.required_literals import Need, required_by_pattern, required_by_selector

_DATA = resources.files("scrapersky.extract.technologies").joinpath("data/wappalyzer")
_KEYED = ("meta", "headers", "cookies")
_PLACES = {
    "html": "html",
    "scriptSrc": "script",
    "scripts": "inline",
    "text": "text",
    "link": "link",
    "url": "url",
}
_WEAK_ANCHOR = 50  # A link to a vendor's page is half a proof that the vendor's product is in use.


@dataclass(frozen=True, slots=True, eq=False)
class TechRule:
    """One sign of a technology: a pattern for one place; an empty pattern asks for presence alone."""

    technology: str
    place: str  # html, script, inline, text, dom, link, url, meta, headers or cookies
    key: str  # The name of the meta, header or cookie; the selector; else empty.
    attribute: str  # For selectors: the attribute or "text" to look at; else empty.
    pattern: str
    version: str
    confidence: int
    need: Need
    is_strong: bool


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is known of a technology beside its rules."""

    name: str
    categories: tuple[str, ...]
    implies: tuple[tuple[str, int, str], ...]  # name, confidence, version
    requires: tuple[str, ...]
    requires_categories: tuple[str, ...]
    excludes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """An automaton over the needs of some rules: which of them are worth trying on a text."""

    automaton: BytesAhoCorasick
    rules: tuple[tuple[TechRule, ...], ...]  # By the number of the text in the automaton.


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """All fingerprints with their rules, ready to be tried."""

    known: Mapping[str, Fingerprint]
    keyed: Mapping[tuple[str, str], tuple[TechRule, ...]]  # By place and name.
    urls: tuple[TechRule, ...]
    of_page: Filter
    of_scripts: Filter
    unfiltered: int  # Rules left out because no text could be found that they need.


@cache
def fingerprints() -> Fingerprints:
    """The fingerprints; read and translated at the first call."""
    categories = {number: category["name"] for number, category in _read("categories.json").items()}
    known: dict[str, Fingerprint] = {}
    rules: list[TechRule] = []
    for name, entry in _entries():
        mine = _fingerprint(name, entry, categories)
        known[name] = _joined(known[name], mine) if name in known else mine
        rules.extend(_rules(name, entry))
    keyed: dict[tuple[str, str], tuple[TechRule, ...]] = {}
    for rule in rules:
        if rule.place in _KEYED:
            keyed[rule.place, rule.key] = (*keyed.get((rule.place, rule.key), ()), rule)
    loose = [rule for rule in rules if rule.place not in (*_KEYED, "url")]
    return Fingerprints(
        known=known,
        keyed=keyed,
        urls=tuple(rule for rule in rules if rule.place == "url"),
        of_page=_filter(rule for rule in loose if rule.place != "script"),
        of_scripts=_filter(rule for rule in loose if rule.place == "script"),
        unfiltered=sum(not rule.need for rule in loose),
    )


@cache
def compile_pattern(pattern: str) -> Any:
    """The pattern under RE2, or None when RE2 cannot express it."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.compile(b"(?m)" + pattern.encode(), options=options)
    except re2.error:
        return None


def dropped_patterns() -> tuple[str, ...]:
    """Patterns that RE2 cannot express; compiles them all, so it is for reports and tests."""
    facts = fingerprints()
    groups = (*facts.keyed.values(), facts.urls, *facts.of_page.rules, *facts.of_scripts.rules)
    patterns = {rule.pattern for rules in groups for rule in rules}
    return tuple(sorted(pattern for pattern in patterns if compile_pattern(pattern) is None))


def _read(name: str) -> Any:
    return orjson.loads(_DATA.joinpath(name).read_bytes())


def _entries() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for file in sorted(_DATA.joinpath("technologies").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            yield from orjson.loads(file.read_bytes()).items()
    yield from lead_fingerprints().items()


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _fingerprint(name: str, entry: Mapping[str, Any], categories: Mapping[str, str]) -> Fingerprint:
    return Fingerprint(
        name=name,
        categories=tuple(
            categories.get(str(category), str(category)) for category in _listed(entry.get("cats"))
        ),
        implies=tuple(_implied(category) for category in _listed(entry.get("implies"))),
        requires=tuple(_parts(category)[0] for category in _listed(entry.get("requires"))),
        requires_categories=tuple(
            categories[str(category)] for category in _listed(entry.get("requiresCategory"))
        ),
        excludes=tuple(_parts(category)[0] for category in _listed(entry.get("excludes"))),
    )


def _joined(theirs: Fingerprint, ours: Fingerprint) -> Fingerprint:
    """What the vendored set says of a technology of ours; our signs are proof without what it requires."""
    return Fingerprint(
        name=theirs.name,
        categories=ours.categories,
        implies=tuple(dict.fromkeys((*theirs.implies, *ours.implies))),
        requires=(),
        requires_categories=(),
        excludes=tuple(dict.fromkeys((*theirs.excludes, *ours.excludes))),
    )


def _implied(text: str) -> tuple[str, int, str]:
    name, tags = _parts(text)
    return name, _confidence(tags), tags.get("version", "")


def _parts(text: str) -> tuple[str, dict[str, str]]:
    """A value and its tags: "pattern\\;version:\\1\\;confidence:50"."""
    value, *tags = str(text).split("\\;")
    return value, {key: rest for key, _, rest in (tag.partition(":") for tag in tags)}


def _confidence(tags: Mapping[str, str]) -> int:
    text = tags.get("confidence", "")
    return int(text) if text.isdecimal() else 100


def _rules(name: str, entry: Mapping[str, Any]) -> Iterator[TechRule]:
    for source, place in _PLACES.items():
        for text in _listed(entry.get(source)):
            yield _rule(name, place, text)
    for place in _KEYED:
        for key, texts in (entry.get(place) or {}).items():
            for text in _listed(texts):
                yield _rule(name, place, text, key=key.lower())
    yield from _dom_rules(name, entry.get("dom"))


def _rule(name: str, place: str, text: str, *, key: str = "", attribute: str = "") -> TechRule:
    pattern, tags = _parts(text)
    need = (required_by_selector(key) if place == "dom" else ()) or required_by_pattern(pattern)
    confidence = _confidence(tags)
    if place == "link" or (place == "dom" and key.startswith("a[")):
        confidence = min(confidence, _WEAK_ANCHOR)
    strong = place in _KEYED or "strong" in tags
    return TechRule(name, place, key, attribute, pattern, tags.get("version", ""), confidence, need, strong)


def _dom_rules(name: str, dom: Any) -> Iterator[TechRule]:
    """Rules for selectors, their attributes and their text; properties exist only in a running page."""
    if not isinstance(dom, dict):
        dom = {selector: {"exists": ""} for selector in _listed(dom)}
    for selector, wants in dom.items():
        for kind, want in wants.items():
            if kind in ("exists", "text"):
                yield _rule(name, "dom", want, key=selector, attribute=kind)
            elif kind == "attributes":
                for attribute, pattern in want.items():
                    yield _rule(name, "dom", pattern, key=selector, attribute=attribute)


def _filter(rules: Iterable[TechRule]) -> Filter:
    by_text: dict[str, list[TechRule]] = {}
    for rule in rules:
        for text in rule.need:
            by_text.setdefault(text, []).append(rule)
    automaton = BytesAhoCorasick([text.encode() for text in by_text], implementation=Implementation.DFA)
    return Filter(automaton, tuple(tuple(group) for group in by_text.values()))
