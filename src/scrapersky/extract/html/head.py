"""The head of a page, read in one pass: title, metas, generators and link relations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapersky.extract.text import clean_text
from scrapersky.extract.text.cleanup import make_storable

_MAX_METAS = 300
_MAX_RELATIONS = 300
_MAX_MAKERS = 10
_NAMING = ("name", "property", "http-equiv", "itemprop")


class Relation(NamedTuple):
    """A link element: how the page relates to an address, in lower case, and the address as written."""

    rel: str
    href: str
    hreflang: str


class Head(NamedTuple):
    """The head of a page; of metas with the same name the first counts, of generators all do."""

    title: str | None
    metas: Mapping[str, str]
    generators: tuple[str, ...]
    relations: tuple[Relation, ...]


def read_head(tree: LexborHTMLParser, strays: list[LexborNode]) -> Head:
    """Read the head; elements of it that stand in the body count where the head has none of them."""
    title, metas, relations = None, [], []
    head = tree.head
    for node in head.iter() if head is not None else ():
        tag = node.tag
        if tag == "meta":
            metas.append(node.attributes)
        elif tag == "link":
            relations.append(node.attributes)
        elif tag == "title" and title is None:
            title = node
    stray_metas = [node.attributes for node in strays if node.tag == "meta"]
    relations += [node.attributes for node in strays if node.tag == "link"]
    title = title or tree.css_first("title")
    return Head(
        title=(clean_text(title.text(), limit=1_000) or None) if title is not None else None,
        metas=_named(metas) or _named(stray_metas),
        generators=_generators([*metas, *stray_metas]),
        relations=tuple(_relations(relations)),
    )


def _named(metas: Iterable[Mapping[str, str | None]]) -> dict[str, str]:
    """Content of the meta elements by lower-case name."""
    named: dict[str, str] = {}
    for attributes in [meta for meta in metas if "content" in meta][:_MAX_METAS]:
        for key in _NAMING:
            name = attributes.get(key)
            if name:
                named.setdefault(name.lower()[:100], _kept(attributes["content"] or ""))
                break
    return named


def _kept(content: str) -> str:
    """A content as it is kept."""
    content = content[:5_000]
    return content if content.isascii() else make_storable(content)


def _generators(metas: Sequence[Mapping[str, str | None]]) -> tuple[str, ...]:
    """What the page names as its makers, in order."""
    named = [attributes for attributes in metas if (attributes.get("name") or "").lower() == "generator"][
        :_MAX_MAKERS
    ]
    texts = (clean_text(attributes.get("content"), limit=500) for attributes in named)
    return tuple(text for text in texts if text)


def _relations(links: Sequence[Mapping[str, str | None]]) -> Iterable[Relation]:
    for attributes in links[:_MAX_RELATIONS]:
        rel, href = attributes.get("rel"), attributes.get("href")
        if rel and href:
            yield Relation(" ".join(rel.lower().split()), href.strip(), attributes.get("hreflang") or "")
