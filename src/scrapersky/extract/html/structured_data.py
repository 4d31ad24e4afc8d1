"""Structured data of a page: JSON-LD, microdata, RDFa and hCard as flat dictionaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapersky.extract.text import one_line
from scrapersky.extract.text.cleanup import make_storable

_JSON_LD = ("ld+json", "LD+JSON", "ld+Json")
# Without one of these in its source a page has no structured data.
STRUCTURED_DATA = ("itemscope", "typeof=", "vcard", "h-card", *_JSON_LD)
MAX_THINGS = 500
_MAX_DEPTH = 12
_MAX_VALUE = 2_000
_MAX_PROPERTIES = 200
_MICRODATA = ("itemscope", "itemtype", "itemprop", "microdata")
_RDFA = ("typeof", "typeof", "property", "rdfa")

_WRAPPING = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>|/\*\s*\*/|[\x00-\x1f]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_HCARD = {
    "fn": "name", "org": "legalName", "organization-name": "legalName", "tel": "telephone", "email": "email",
    "title": "jobTitle", "role": "jobTitle", "url": "url", "photo": "image",
    "street-address": "streetAddress", "postal-code": "postalCode", "locality": "addressLocality",
    "region": "addressRegion", "country-name": "addressCountry", "p-name": "name",
    "p-tel": "telephone", "u-email": "email",
    "p-job-title": "jobTitle", "p-role": "jobTitle", "p-org": "legalName", "u-url": "url",
    "p-street-address": "streetAddress", "p-postal-code": "postalCode", "p-locality": "addressLocality",
    "p-region": "addressRegion", "p-country-name": "addressCountry",
}  # fmt: skip
_ADDRESS_KEYS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")


def types_of(thing: Mapping[str, Any]) -> tuple[str, ...]:
    """The bare type names of a thing, such as ("LocalBusiness",)."""
    types = thing.get("@type")
    return (types,) if isinstance(types, str) else tuple(types or ())


def read_structured_data(
    tree: LexborHTMLParser, keywords: Mapping[str, list[int]]
) -> tuple[tuple[Mapping[str, Any], ...], bool]:
    """All things the page describes, nested ones included, and whether the cap was met."""
    things = tuple(islice(_all_things(tree, keywords), MAX_THINGS + 1))
    return things[:MAX_THINGS], len(things) > MAX_THINGS


def _all_things(tree: LexborHTMLParser, keywords: Mapping[str, list[int]]) -> Iterator[dict[str, Any]]:
    if not keywords.keys().isdisjoint(_JSON_LD):
        for node in tree.css('script[type*="ld+json" i]'):
            yield from _flat(_loaded(node.text()), 0)
    if "itemscope" in keywords:
        yield from _marked(tree.css("[itemscope]"), *_MICRODATA)
    if "typeof=" in keywords:
        yield from _marked(tree.css("[typeof]"), *_RDFA)
    if "vcard" in keywords or "h-card" in keywords:
        yield from _hcards(tree)


def _loaded(text: str) -> Any:
    """The value of a JSON text; common faults are repaired once, else None."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    repaired = _TRAILING_COMMA.sub(r"\1", _WRAPPING.sub(" ", text)).strip().rstrip(";")
    try:
        return orjson.loads(repaired.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def _flat(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Every object within a JSON value that has a type."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _flat(item, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield {**value, "@type": _bare_types(value["@type"]), "@source": "json-ld"}
        for item in value.values():
            if isinstance(item, dict | list):
                yield from _flat(item, depth + 1)


def _bare_types(types: Any) -> str | list[str]:
    """Type names without the vocabulary's address."""
    names = types if isinstance(types, list) else str(types or "").split()
    bare = [re.split(r"[/#:]", str(name).rstrip("/"))[-1] for name in names[:10] if name]
    return bare[0] if len(bare) == 1 else bare or ""


def _marked(
    nodes: list[LexborNode], scope: str, type_key: str, property_key: str, source: str
) -> Iterator[dict[str, Any]]:
    """Items of microdata or RDFa; an item within an item is a value of the outer one, too."""
    nodes = nodes[: MAX_THINGS + 1]
    items: dict[int, dict[str, Any]] = {}
    for node in nodes:
        items[node.mem_id] = {"@type": _bare_types(node.attrs.sget(type_key)), "@source": source}
    for node in nodes:
        _fill(node, items, scope, property_key)
    yield from items.values()


def _fill(root: LexborNode, items: dict[int, dict[str, Any]], scope: str, property_key: str) -> None:
    """Read the properties below an item, without those of the items inside it."""
    item = items[root.mem_id]
    stack = [root.first_child]
    while stack and len(item) < _MAX_PROPERTIES:
        node = stack.pop()
        if node is None:
            continue
        stack.append(node.next)
        if not node.is_element_node:
            continue
        attributes = node.attributes
        names = (attributes.get(property_key) or "").split()
        nested = items.get(node.mem_id) if scope in attributes else None
        if names:
            value = nested if nested is not None else _value(node, attributes)
            for name in names[:5]:
                _put(item, name.rsplit(":", 1)[-1].rsplit("/", 1)[-1], value)
        if nested is None:
            stack.append(node.first_child)


def _put(item: dict[str, Any], name: str, value: Any) -> None:
    """Add a property; a second value of the same name makes a list."""
    if name not in item:
        item[name] = value
    elif isinstance(item[name], list):
        if len(item[name]) < _MAX_PROPERTIES:
            item[name].append(value)
    else:
        item[name] = [item[name], value]


def _value(node: LexborNode, attributes: Mapping[str, str | None]) -> str:
    """The value of a property element, by the rules of microdata."""
    for key in ("content", "datetime", "href", "src", "data", "value"):
        if attributes.get(key):
            return make_storable((attributes[key] or "")[:_MAX_VALUE])
    return one_line(node.text(separator=" ")[: _MAX_VALUE * 2])[:_MAX_VALUE]


def _hcards(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    for card in tree.css(".vcard,.h-card")[: MAX_THINGS + 1]:
        thing: dict[str, Any] = {"@source": "hcard"}
        for node in card.css("[class]")[:_MAX_PROPERTIES]:
            _read_hcard_property(thing, node)
        if len(thing) > 1:
            named_org = thing.get("name") and thing.get("name") == thing.get("legalName")
            person = thing.get("jobTitle") or (thing.get("name") and not named_org and "legalName" in thing)
            thing["@type"] = "Person" if person else "Organization"
            address = {key: thing.pop(key) for key in _ADDRESS_KEYS if key in thing}
            if address:
                thing["address"] = {"@type": "PostalAddress", "@source": "hcard", **address}
                yield thing["address"]
            yield thing


def _read_hcard_property(thing: dict[str, Any], node: LexborNode) -> None:
    attributes = node.attributes
    for name in (attributes.get("class") or "").split():
        key = _HCARD.get(name)
        if key is None:
            continue
        href = attributes.get("href") or ""
        by_href = key in ("url", "image") or href.startswith(("mailto:", "tel:"))
        value = href or attributes.get("src") or "" if by_href else ""
        if not value:
            inner = node.css_first(".value") if key == "telephone" else None
            value = one_line((inner or node).text(separator=" ")[: _MAX_VALUE * 2])
        _put(thing, key, make_storable(value[:_MAX_VALUE]))
