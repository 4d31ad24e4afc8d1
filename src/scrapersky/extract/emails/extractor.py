"""Mail addresses of a page, plain or hidden, each with its kind, its relation to the site and evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any
from urllib.parse import unquote

from scrapersky.extract.emails.address_pattern import AddressMatch, match_addresses
from scrapersky.extract.emails.classification import (
    OF_OTHERS,
    classify_mailbox,
    classify_relation,
    find_own_domain,
    find_refusal,
)
from scrapersky.extract.emails.obfuscation import find_obfuscated
from scrapersky.extract.emails.spelled_addresses import find_spelled_out
from scrapersky.extract.emails.spelled_words import find_replaced, find_worded
from scrapersky.extract.html import Document
from scrapersky.extract.html.contact_links import CONTACT_LINKS
from scrapersky.extract.html.link_payloads import strip_injection
from scrapersky.extract.results import Email, Evidence, Hints, combine_confidences
from scrapersky.extract.urls.hosts import unicode_host

MAX_EMAILS = 200
_PRIORS = {
    "json-ld": 0.95, "microdata": 0.95, "hcard": 0.92, "rdfa": 0.92, "mailto": 0.95, "cloudflare": 0.95,
    "typo3": 0.95, "joomla": 0.95, "enkoder": 0.92, "rot13": 0.8, "shift": 0.8, "text": 0.92, "spelled": 0.8,
    "spaced": 0.7, "reversed": 0.75, "data attribute": 0.75, "noscript": 0.75, "filler": 0.75, "script": 0.6,
    "meta": 0.5, "link": 0.6,
}  # fmt: skip
_PLAIN = frozenset(("json-ld", "microdata", "hcard", "rdfa", "mailto", "text", "meta", "link"))
_META_NAMES = (
    "og:email", "email", "reply-to", "contact", "business:contact_data:email", "e-mail", "dc.contact",
    "description", "og:description",
)  # fmt: skip
_LABEL_END = re.compile(
    r"(?:e-?mails?|mails?|correo|courriel|posta|pec|contact|kontakt|adresse?|address)\Z", re.I
)
# A link that opens a new message in a mail program of the web.
_COMPOSE = re.compile(
    r"https?://(?:mail\.google\.com/mail|outlook\.(?:live|office)\.com)/[^#]*?[?&](?:amp;)?to=([^&#]+)",
    re.IGNORECASE,
)
_LOCAL_AT_END = re.compile(r"[A-Za-z0-9._%+-]{1,64}\Z")
_OPENED_BEFORE = re.compile(r"<(?!/)[^<>]{1,500}>\s*\Z")


@dataclass(slots=True)
class _Candidate:
    """The evidence for one address."""

    evidence: list[Evidence] = field(default_factory=list)
    priors: list[float] = field(default_factory=list)
    plain: bool = False

    @property
    def is_link_alone(self) -> bool:
        return all(evidence.method == "mailto" for evidence in self.evidence)


@dataclass(frozen=True, slots=True)
class RefusedEmail:
    """An address that was seen and not taken, and why."""

    address: str
    reason: str


def find_emails(doc: Document, hints: Hints) -> tuple[tuple[Email, ...], tuple[RefusedEmail, ...]]:
    """The addresses taken, and those refused with their reasons."""
    site = find_own_domain(doc, hints)
    candidates: dict[str, _Candidate] = {}
    refused: dict[str, RefusedEmail] = {}
    written: dict[str, str] = {}
    for address, evidence, sure in _sightings(doc, site):
        # One name in both its spellings, münchen.de and xn--mnchen-3ya.de, is one address.
        if not address.isascii() or "xn--" in address:
            address = written.setdefault(_display_form(address), address)
        reason = find_refusal(address, doc=doc, evidence=evidence, site=site, sure=sure)
        if reason:
            refused.setdefault(address, RefusedEmail(address, reason))
        elif len(candidates) < MAX_EMAILS or address in candidates:
            _add(candidates.setdefault(address, _Candidate()), evidence, sure)
    for address in refused.keys() & candidates.keys():
        # A link beside words that say whose address it is.
        if refused[address].reason in OF_OTHERS and candidates[address].is_link_alone:
            del candidates[address]
    emails = [_email(address, candidate, site) for address, candidate in candidates.items()]
    emails.sort(key=lambda email: -email.confidence)
    return tuple(emails), tuple(reason for key, reason in refused.items() if key not in candidates)


def _display_form(address: str) -> str:
    local, _, domain = address.rpartition("@")
    return f"{local}@{unicode_host(domain)}"


def _add(candidate: _Candidate, evidence: Evidence, sure: bool) -> None:
    method = evidence.method
    candidate.plain = candidate.plain or method in _PLAIN
    if all(known.method != method for known in candidate.evidence):
        candidate.priors.append(_PRIORS.get(method, 0.5) * (1.0 if sure else 0.6))
        candidate.evidence.append(evidence)


def _email(address: str, candidate: _Candidate, site: str) -> Email:
    local, _, domain = address.partition("@")
    relation = classify_relation(domain, site)
    return Email(
        address=address,
        kind=classify_mailbox(local, domain),
        relation=relation,
        hidden=not candidate.plain,
        confidence=min(0.99, combine_confidences(candidate.priors)),
        evidence=tuple(candidate.evidence),
    )


def _sightings(doc: Document, site: str) -> Iterator[tuple[str, Evidence, bool]]:
    """Every address seen on the page in any layer, with how sure the layer is."""
    yield from _in_things(doc)
    yield from _in_links(doc)
    hidden_emails = tuple(find_obfuscated(doc, site))
    decoys = {hidden.instead_of for hidden in hidden_emails}
    yield from (seen for seen in _in_text(doc, site) if seen[0] not in decoys)
    yield from _in_metas(doc)
    for hidden in hidden_emails:
        start = doc.html.find(hidden.quote[:60]) if hidden.quote else -1
        yield hidden.address, Evidence(hidden.method, hidden.quote, start, "html"), hidden.sure


def _in_things(doc: Document) -> Iterator[tuple[str, Evidence, bool]]:
    for thing in doc.things:
        for key in ("email", "e-mail"):
            for value in _strings(thing.get(key)):
                for seen in match_addresses(_plain(value), is_value=True):
                    start, method = doc.html.find(value), "filler" if seen.filled else str(thing["@source"])
                    yield seen.address, Evidence(method, value[:300], start, "html"), True


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [strip_injection(text) for text in values[:50] if isinstance(text, str)]


def _in_links(doc: Document) -> Iterator[tuple[str, Evidence, bool]]:
    """Recipients of mailto links, and addresses that somebody wrote as a plain link."""
    for link in doc.scan(CONTACT_LINKS):
        raw = link.raw
        start = raw[:30].lower()
        if "mailto:" in start:
            yield from _recipients(doc, raw, raw[start.index("mailto:") + 7 :])
        elif (composed := _COMPOSE.match(raw)) is not None:
            yield from _recipients(doc, raw, composed[1])
        elif "@" in raw and not start.startswith("javascrip"):
            bare = raw.removeprefix("http://").removeprefix("https://")
            seen = next(match_addresses(bare, is_value=True), None)
            if seen is not None and seen.start == 0 and bare[seen.end :].strip("/") == "" and not seen.spaced:
                yield (
                    seen.address,
                    Evidence("link", raw[:300], doc.html.find(raw[:60]), "html"),
                    True,
                )


def _recipients(doc: Document, raw: str, payload: str) -> Iterator[tuple[str, Evidence, bool]]:
    to, _, query = payload.partition("?")
    parts = [to] + [
        field[field.find("=") + 1 :]
        for field in query.split("&")
        if field[:3].lower() in ("cc=", "to=", "bcc")
    ]
    evidence = Evidence("mailto", raw[:300], doc.html.find(raw[:60]), "html")
    for part in map(strip_injection, parts):
        # Entities that were written twice are decoded only now.
        plain = strip_injection(_plain(part))
        matches = list(match_addresses(plain, is_value=True))
        matches = matches or [seen for seen, weak in find_spelled_out(plain) if not weak]
        for seen in matches[:50]:
            yield seen.address, replace(evidence, method="filler") if seen.filled else evidence, True


def _plain(value: str) -> str:
    """A value as it was meant: percent codes and entities read, also where they were written twice."""
    plain = unquote(value) if "%" in value else value
    if "&" in plain and ";" in plain:
        plain = unescape(plain)
    return unquote(plain) if "%" in plain else plain


def _in_text(doc: Document, site: str) -> Iterator[tuple[str, Evidence, bool]]:
    text = doc.text
    plain: list[range] = []
    for seen in match_addresses(text):
        seen = _unglued(doc, seen)
        quote = text[seen.start : seen.end]
        if seen.spaced:
            if _is_meant(text, seen, site):
                yield seen.address, Evidence("spaced", quote, seen.start), True
        else:
            plain.append(range(seen.start, seen.end))
            yield seen.address, Evidence("filler" if seen.filled else "text", quote, seen.start), True
    for spelled, weak in find_spelled_out(text):
        spelled = _unglued(doc, spelled)
        if weak and not _is_meant(text, spelled, site):
            continue
        yield spelled.address, Evidence("spelled", text[spelled.start : spelled.end], spelled.start), True
    for worded in (*find_worded(text), *find_replaced(text)):
        yield worded.address, Evidence("spelled", text[worded.start : worded.end], worded.start), True
    yield from _backwards(doc, plain)


def _unglued(doc: Document, seen: AddressMatch) -> AddressMatch:
    """The address without a label that only the layout, not a blank, kept apart from it."""
    written = doc.text[seen.start : seen.end]
    if (
        len(seen.local) < 5
        or seen.spaced
        or seen.filled
        or written in doc.html
        or written[: len(seen.local)].lower() != seen.local
    ):
        return seen
    place = doc.html.find(written[len(seen.local) :])
    local = _LOCAL_AT_END.search(doc.html[max(0, place - 64) : place]) if place >= 0 else None
    if local is None:
        return seen
    own = local.group()
    cut = seen.local[: -len(own)] if seen.local.endswith(own.lower()) else ""
    before = doc.html[max(0, place - len(own) - 500) : place - len(own)]
    if cut and (_OPENED_BEFORE.search(before) or _LABEL_END.search(cut)):
        return AddressMatch(own.lower(), seen.domain, seen.start + len(cut), seen.end)
    return seen


def _is_meant(text: str, seen: AddressMatch, site: str) -> bool:
    """Whether blanks or weak brackets around the sign can still mean an address."""
    if classify_relation(seen.domain, site) != "other" or classify_mailbox(seen.local, seen.domain) == "role":
        return True
    before = text[max(0, seen.start - 15) : seen.start].rstrip(" :\n\t")
    return bool(_LABEL_END.search(before))


def _backwards(doc: Document, plain: list[range]) -> Iterator[tuple[str, Evidence, bool]]:
    """Addresses written from right to left: only those whose ending makes no sense the other way."""
    text = doc.text
    position = text.find("@")
    for _ in range(200):
        if position < 0:
            return
        start, token = (0, "") if any(position in span for span in plain) else _token(text, position)
        if 6 <= len(token) <= 200 and next(match_addresses(token), None) is None:
            turned = next(match_addresses(token[::-1]), None)
            if turned is not None and (
                classify_mailbox(turned.local, turned.domain) == "role" or "." in turned.local
            ):
                yield turned.address, Evidence("reversed", token, start), True
        position = text.find("@", position + 1)


def _token(text: str, position: int) -> tuple[int, str]:
    """The run of characters without blanks around a sign, within bounds, and where it begins."""
    before = text[max(0, position - 100) : position]
    left = before.split()[-1] if before and not before[-1].isspace() else ""
    return position - len(left), left + text[position : position + 100].split()[0]


def _in_metas(doc: Document) -> Iterator[tuple[str, Evidence, bool]]:
    metas = doc.metas
    for name in _META_NAMES:
        content = metas.get(name, "")
        if "@" in content:
            for seen in match_addresses(content):
                evidence = Evidence("meta", content[:300], doc.html.find(content[:60]), "html")
                yield seen.address, evidence, "description" not in name
