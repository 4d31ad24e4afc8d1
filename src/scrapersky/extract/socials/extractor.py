"""Profiles of the organisation in social networks: from links, structured data and metas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from scrapersky.extract.html import Document
from scrapersky.extract.html.document import Link
from scrapersky.extract.html.keyword_scan import LinkKeywords
from scrapersky.extract.html.structured_data import types_of
from scrapersky.extract.results import QUOTE_LIMIT, Evidence, Hints, Social, combine_confidences
from scrapersky.extract.socials.networks import NETWORKS, find_network
from scrapersky.extract.socials.profiles import Profile, read_profile
from scrapersky.extract.socials.third_party_profiles import is_example_handle, is_vendor_handle
from scrapersky.extract.text.site_credits import introduces_credit
from scrapersky.extract.urls.hosts import unicode_host

# A sign leads to profiles on instances of the Fediverse, and Google to those it redirects to.
PROFILE_LINKS = LinkKeywords(
    ("@", "www.google.com", *(host for network in NETWORKS for host in network.hosts))
)
_MAX_PROFILES = 100
_MAX_BEFORE = 120
# More profiles than this of one network in the body of a page are a list of other people.
_CROWD = 3
_PERSONAL_CROWD = 1  # Two personal profiles are already a team.
_TRUST = {
    "header": 0.95,
    "footer": 0.95,
    "nav": 0.9,
    "main": 0.8,
    "json-ld": 0.95,
    "meta": 0.9,
    "rel-me": 0.95,
    "plugin": 0.85,
}
_OWNED = frozenset(_TRUST) - {"main"}
_X_HANDLE = re.compile(r"@?(\w{2,15})")
_BARE = re.compile(
    r"(?:https?:?/?|(?:\.\./)+|/)?((?:www\.)?([a-zA-Z0-9-]+\.[a-zA-Z.]{2,12})/.*?)(?:/index\.html|\.html)?$"
)
_FEDIVERSE = re.compile(r"https?://[^/?#]+/@\w[\w.-]*/?")
_INLINE = frozenset({"a", "span", "b", "i", "em", "strong", "small", "u", "font"})
_NOT_THE_OWNER = frozenset(
    {"Person", "Article", "NewsArticle", "BlogPosting", "Review", "Product", "Event", "Offer", "Comment"}
)


@dataclass(slots=True)
class _Candidate:
    profile: Profile
    signs: set[str] = field(default_factory=set)
    evidence: list[Evidence] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def is_owned(self) -> bool:
        return bool(self.signs & _OWNED)


def find_socials(doc: Document, hints: Hints) -> tuple[Social, ...]:
    """The organisation's own profiles, in the order they were met, each once."""
    candidates = _candidates(doc)
    if not candidates:
        return ()
    brand = _brand(doc, hints)
    _drop_credits(doc, candidates, brand)
    kept = [candidate for candidate in candidates.values() if not _is_third_party(candidate, brand)]
    kept = [candidate for candidate in kept if not _is_outranked(candidate, kept, brand)]
    return tuple(_social(candidate) for candidate in kept)


def _candidates(doc: Document) -> dict[tuple[str, str], _Candidate]:
    candidates: dict[tuple[str, str], _Candidate] = {}
    for profile, sign, quote, link in _sightings(doc):
        if len(candidates) >= _MAX_PROFILES and profile.key not in candidates:
            break
        candidate = candidates.setdefault(profile.key, _Candidate(profile))
        if len(candidate.evidence) < 3 and sign not in candidate.signs:
            candidate.evidence.append(_evidence(doc, sign, quote))
        candidate.signs.add(sign)
        if link is not None:
            candidate.links.append(link)
    return candidates


def _sightings(doc: Document) -> Iterator[tuple[Profile, str, str, Link | None]]:
    for link in doc.scan(PROFILE_LINKS):
        address = link.href if "//" in link.raw[:8] else _without_scheme(link.raw)
        profile = (read_profile(address) or _fediverse_profile(link)) if address else None
        if profile is not None:
            yield profile, link.zone, link.raw, link
    for thing in doc.things:
        for url in _same_as(thing):
            profile = read_profile(url)
            if profile is not None:
                yield profile, "json-ld", url, None
    for quote, url in _meta_urls(doc):
        profile = read_profile(url)
        if profile is not None:
            yield profile, "meta", quote, None
    for sign, url in (*_head_links(doc), *_plugin_urls(doc)):
        profile = read_profile(url)
        if profile is not None:
            yield profile, sign, url, None


def _without_scheme(raw: str) -> str:
    """An address that was written without https://, or whose copy was saved beside the page; else empty."""
    match = _BARE.match(raw)
    return match[1] if match and find_network(match[2].lower()) else ""


def _fediverse_profile(link: Link) -> Profile | None:
    """A profile on an instance we do not know by name: the link says that it is the owner's."""
    if "/@" not in link.href:
        return None
    if "me" not in link.rel.split() and "mastodon" not in f"{link.text} {link.title} {link.href}".lower():
        return None
    if not _FEDIVERSE.fullmatch(link.href):
        return None
    url = link.href.rstrip("/")
    return Profile("mastodon", url, url.rpartition("@")[2])


def _same_as(thing: Mapping[str, Any]) -> list[str]:
    types = types_of(thing)
    if types and _NOT_THE_OWNER.issuperset(types):
        return []
    urls = thing.get("sameAs")
    listed = urls if isinstance(urls, list) else [urls]
    return [url for url in listed[:50] if isinstance(url, str)]


def _meta_urls(doc: Document) -> Iterator[tuple[str, str]]:
    site = doc.metas.get("twitter:site", "").strip()
    if match := _X_HANDLE.fullmatch(site):
        yield site, f"https://x.com/{match[1]}"
    elif site.startswith("http"):
        yield site, site
    for name in ("article:publisher", "og:see_also"):
        if url := doc.metas.get(name, "").strip():
            yield url, url


def _head_links(doc: Document) -> Iterator[tuple[str, str]]:
    for rel, href, _ in doc.head.relations:
        if rel in ("me", "publisher") or "me" in rel.split():
            yield "rel-me", href


def _plugin_urls(doc: Document) -> Iterator[tuple[str, str]]:
    """The page that a Facebook page plugin shows: sites put their own there."""
    if "fb-page" in doc.keywords:
        for node in doc.tree.css(".fb-page[data-href]")[:5]:
            yield "plugin", node.attrs.sget("data-href") or ""
    if "plugins/page.php" in doc.keywords:
        for node in doc.tree.css('iframe[src*="plugins/page.php"]')[:5]:
            yield "plugin", unquote((node.attrs.sget("src") or "").partition("href=")[2].partition("&")[0])


def _evidence(doc: Document, sign: str, quote: str) -> Evidence:
    start = doc.html.find(quote)
    if start < 0 and "&" in quote:
        start = doc.html.find(quote.replace("&", "&amp;"))
    method = sign if sign in ("json-ld", "meta", "rel-me", "plugin") else "link"
    return Evidence(method, quote[:QUOTE_LIMIT], start, "html")


def _drop_credits(
    doc: Document, candidates: dict[tuple[str, str], _Candidate], brand: frozenset[str]
) -> None:
    """Remove the profiles of those whom the page thanks for making it."""
    for key, candidate in list(candidates.items()):
        if _is_branded(candidate.profile, brand):
            continue
        for link in candidate.links[:1]:
            texts = (_words_before(link.node), link.node.text()[:_MAX_BEFORE])
            if any(map(introduces_credit, texts)):
                candidates.pop(key, None)


def _words_before(node: LexborNode) -> str:
    """The text that leads to a link inside its block, at most a line of it."""
    text = ""
    here: LexborNode | None = node
    for _ in range(6):
        before = here.prev if here is not None else None
        while before is None and here is not None and here.parent is not None and here.tag in _INLINE:
            here = here.parent
            before = here.prev
        if before is None or (before.is_element_node and before.tag not in _INLINE):
            break
        text = before.text()[-_MAX_BEFORE:] + text
        if len(text.strip()) >= _MAX_BEFORE:
            break
        here = before
    return " ".join(text[-_MAX_BEFORE:].split())


def _brand(doc: Document, hints: Hints) -> frozenset[str]:
    """Words the organisation goes by: of its domain, of its name and of the page's title."""
    names = [
        unicode_host(hints.site_domain or "").removeprefix("www.").partition(".")[0],
        doc.metas.get("og:site_name", ""),
    ]
    names.append(doc.title or "")
    text = " ".join(names).lower()
    words = {word for word in re.split(r"[^\w]+|_", text) if len(word) > 3}
    return frozenset(words | {"".join(filter(str.isalnum, name.lower())) for name in names[:2] if name})


def _is_branded(profile: Profile, brand: frozenset[str]) -> bool:
    handle = "".join(filter(str.isalnum, profile.handle.lower()))
    return any(word in handle or (len(handle) > 3 and handle in word) for word in brand if word)


def _is_third_party(candidate: _Candidate, brand: frozenset[str]) -> bool:
    handle = candidate.profile.handle
    if is_example_handle(handle):
        return True
    return is_vendor_handle(handle) and handle.lower() not in brand


def _is_outranked(candidate: _Candidate, kept: list[_Candidate], brand: frozenset[str]) -> bool:
    """Whether a profile of the body gives way to one in the page's frame, or is one of a crowd."""
    if candidate.is_owned() or _is_branded(candidate.profile, brand):
        return False
    rivals = [
        other
        for other in kept
        if other.profile.network == candidate.profile.network and other is not candidate
    ]
    crowd = _PERSONAL_CROWD if candidate.profile.is_personal else _CROWD
    return len(rivals) >= crowd or any(other.is_owned() for other in rivals)


def _social(candidate: _Candidate) -> Social:
    profile = candidate.profile
    confidence = combine_confidences([_TRUST[sign] for sign in sorted(candidate.signs)])
    return Social(
        profile.network, profile.url, profile.handle, min(confidence, 0.99), tuple(candidate.evidence)
    )
