"""Applies technology rules to a page: which of them match, and the text that proves it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from selectolax.lexbor import LexborNode, SelectolaxError

from scrapersky.extract.html import Document
from scrapersky.extract.results import QUOTE_LIMIT, Evidence
from scrapersky.extract.technologies.fingerprints import Fingerprints, TechRule, compile_pattern
from scrapersky.extract.technologies.own_assets import OwnAssets
from scrapersky.extract.technologies.wordpress import generators_of

_REACH = 1_500  # How far from its text a pattern for the page's source is looked for.
_MANY = 12  # With more places than this the whole source is searched instead.
_MAX_INLINE = 500_000
_MAX_QUERIES = 150  # Each walks the whole tree; honest pages ask for twenty or so.
_MAX_SCRIPTS = 500
_SOURCES = ("src", "data-src", "data-rocket-src", "data-cookieblock-src")
_TERNARY = re.compile(r"\\(\d)\?([^:]*):(.*)$")
_GROUP = re.compile(r"\\(\d)")


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """A rule that holds."""

    rule: TechRule
    version: str
    evidence: Evidence
    is_strong: bool


class _Places:
    """The texts of a page that rules look at, each made when first asked for."""

    def __init__(self, doc: Document) -> None:
        self.doc = doc

    @cached_property
    def html(self) -> bytes:
        return self.doc.html.encode("utf-8", "replace")

    @cached_property
    def script(self) -> bytes:
        nodes = self.doc.tree.css("script")[:_MAX_SCRIPTS]
        urls = [node.attrs.sget(name) for node in nodes for name in _SOURCES]
        return "\n".join(url.strip() for url in urls if url).encode("utf-8", "replace")

    @cached_property
    def inline(self) -> bytes:
        scripts = (node.text() for node in self.doc.tree.css("script:not([src])")[:_MAX_SCRIPTS])
        return "\n".join(scripts)[:_MAX_INLINE].encode("utf-8", "replace")

    @cached_property
    def text(self) -> bytes:
        return self.doc.text.encode("utf-8", "replace")

    @cached_property
    def link(self) -> bytes:
        frames = [node.attrs.sget("src") or "" for node in self.doc.tree.css("iframe[src]")[:100]]
        return "\n".join([*(link.href for link in self.doc.links), *frames]).encode("utf-8", "replace")


def match_rules(
    doc: Document,
    assets: OwnAssets,
    facts: Fingerprints,
    *,
    headers: Mapping[str, str],
    cookies: Iterable[str],
) -> Iterator[RuleMatch]:
    """All signs a page, its headers and its cookies give; each rule at most once."""
    places = _Places(doc)
    yield from _keyed_signs(facts, "meta", _metas(doc))
    yield from _keyed_signs(facts, "headers", [(name.lower(), value) for name, value in headers.items()])
    yield from _keyed_signs(facts, "cookies", _cookies(headers, cookies))
    yield from _script_signs(places, assets, facts)
    yield from _page_signs(places, facts)
    if doc.url:
        url = doc.url.encode("utf-8", "replace")
        yield from (sign for rule in facts.urls if (sign := _sign(rule, _search(rule, url), "url", doc)))


def _metas(doc: Document) -> list[tuple[str, str]]:
    """The metas of the page; unlike the document's, with every generator."""
    metas = [("generator", content) for content in generators_of(doc)]
    return metas + [(name, content) for name, content in doc.metas.items() if name != "generator"]


def _cookies(headers: Mapping[str, str], cookies: Iterable[str]) -> list[tuple[str, str]]:
    """Names and values, from "name=value" or bare names and from the Set-Cookie header."""
    own = next((value for name, value in headers.items() if name.lower() == "set-cookie"), "")
    pairs = (text.split(";", 1)[0].partition("=") for text in (*cookies, *own.splitlines()))
    return [(name.strip().lower(), value.strip()) for name, _, value in pairs]


def _keyed_signs(facts: Fingerprints, place: str, pairs: list[tuple[str, str]]) -> Iterator[RuleMatch]:
    for name, value in pairs:
        folded = value.lower()
        for rule in facts.keyed.get((place, name), ()):
            if rule.need and not any(text in folded for text in rule.need):
                continue
            match = _search(rule, value[:5_000].encode("utf-8", "replace"))
            if match is not None:
                quote = f"{name}: {value}"[:QUOTE_LIMIT]
                yield RuleMatch(
                    rule, _version(rule, match), Evidence(place, quote, -1, "html"), is_strong=True
                )


def _script_signs(places: _Places, assets: OwnAssets, facts: Fingerprints) -> Iterator[RuleMatch]:
    urls = places.script
    matches = facts.of_scripts.automaton.find_matches_as_indexes(urls.lower(), overlapping=True)
    rules = {
        rule: None
        for number in {number for number, _, _ in matches}
        for rule in facts.of_scripts.rules[number]
    }
    for rule in rules:
        match = _search(rule, urls)
        if match is None:
            continue
        url = _line(urls, match.start())
        if sign := _sign(rule, match, "script", places.doc, quote=url, is_own=assets.owns(url)):
            yield sign


def _page_signs(places: _Places, facts: Fingerprints) -> Iterator[RuleMatch]:
    spots: dict[int, list[int]] = {}
    matches = facts.of_page.automaton.find_matches_as_indexes(places.html.lower(), overlapping=True)
    for number, start, _ in matches:
        spots.setdefault(number, []).append(start)
    rules: dict[TechRule, list[int]] = {}
    for number, starts in spots.items():
        for rule in facts.of_page.rules[number]:
            rules.setdefault(rule, []).extend(starts)
    queries = 0
    for rule, starts in rules.items():
        queries += rule.place == "dom"
        if rule.place == "dom" and queries > _MAX_QUERIES:
            continue
        if sign := _page_sign(rule, starts, places):
            yield sign


def _page_sign(rule: TechRule, starts: list[int], places: _Places) -> RuleMatch | None:
    if rule.place == "dom":
        return _dom_sign(rule, places.doc)
    if rule.place == "link":
        return _link_sign(rule, places)
    if rule.place == "html":
        return _sign(rule, _search_near(rule, places.html, starts), "html", places.doc)
    return _sign(rule, _search(rule, getattr(places, rule.place)), rule.place, places.doc)


def _link_sign(rule: TechRule, places: _Places) -> RuleMatch | None:
    match = _search(rule, places.link)
    return _sign(rule, match, "link", places.doc, quote=_line(places.link, match.start())) if match else None


def _search(rule: TechRule, text: bytes) -> Any:
    pattern = compile_pattern(rule.pattern)
    return pattern.search(text) if pattern is not None else None


def _search_near(rule: TechRule, text: bytes, starts: list[int]) -> Any:
    """Search a pattern around the places of its text; in the whole when there are many."""
    pattern = compile_pattern(rule.pattern)
    if pattern is None:
        return None
    if len(starts) > _MANY:
        return pattern.search(text)
    for start in starts:
        match = pattern.search(text, max(0, start - _REACH), min(len(text), start + _REACH))
        if match is not None:
            return match
    return None


def _dom_sign(rule: TechRule, doc: Document) -> RuleMatch | None:
    try:
        node = doc.tree.css_first(rule.key)
    except (SelectolaxError, ValueError):
        return None
    if node is None:
        return None
    if rule.attribute == "exists":
        return RuleMatch(rule, "", _node_evidence(node, doc), rule.is_strong)
    value = node.text() if rule.attribute == "text" else node.attrs.sget(rule.attribute) or ""
    match = _search(rule, value[:5_000].encode("utf-8", "replace"))
    return (
        RuleMatch(rule, _version(rule, match), _node_evidence(node, doc), rule.is_strong) if match else None
    )


def _node_evidence(node: LexborNode, doc: Document) -> Evidence:
    tag = (node.html or "").partition(">")[0][: QUOTE_LIMIT - 1] + ">"
    return Evidence("dom", tag, doc.html.find(tag), "html")


def _sign(
    rule: TechRule, match: Any, method: str, doc: Document, *, quote: str = "", is_own: bool = False
) -> RuleMatch | None:
    if match is None:
        return None
    quote = (quote or match.group().decode("utf-8", "replace"))[:QUOTE_LIMIT]
    evidence = Evidence(method, quote, doc.html.find(quote) if quote else -1, "html")
    return RuleMatch(rule, _version(rule, match), evidence, rule.is_strong or is_own)


def _line(text: bytes, start: int) -> str:
    first = text.rfind(b"\n", 0, start) + 1
    last = text.find(b"\n", start)
    return text[first : last if last >= 0 else len(text)].decode("utf-8", "replace")


def _version(rule: TechRule, match: Any) -> str:
    """The version a rule reads out of its match: groups, and a choice by whether a group took part."""
    if not rule.version or match is None:
        return ""

    def group(number: str) -> str:
        try:
            return (match.group(int(number)) or b"").decode("utf-8", "replace")
        except IndexError:
            return ""

    template = rule.version
    if choice := _TERNARY.search(template):
        template = template[: choice.start()] + (choice[2] if group(choice[1]) else choice[3])
    return _GROUP.sub(lambda reference: group(reference[1]), template).strip()
