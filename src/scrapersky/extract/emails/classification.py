"""Classifies a mail address: its kind, its relation to the site, and why it is refused."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import urlsplit

from scrapersky.extract.emails.vocabulary import (
    FILE_END,
    HASH_LIKE,
    NO_REPLY,
    ROLES,
    THIRD_PARTIES,
    TRACKER,
    is_free,
    is_pattern,
    is_placeholder_email,
)
from scrapersky.extract.html import Document
from scrapersky.extract.results import Evidence, Hints
from scrapersky.extract.text.cleanup import line_before
from scrapersky.extract.text.regex_prefilter import prefilter
from scrapersky.extract.text.site_credits import credits_site_maker
from scrapersky.extract.urls.hosts import registrable_domain, unicode_host

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"})
_PARTS = re.compile(r"[._+-]|\d+")
_CREDIT = re.compile(
    r"(?:web ?-?design|webseite|website|site|homepage|design(?:ed)?|developed|d[ée]velopp[ée]|"
    r"r[ée]alis(?:ation|[ée])|realizzat\w*|realizzazione|created|cr[ée]ation|creado|criado|"
    r"desarrollad\w*|desenvolvid\w*|umsetzung|"
    r"gestaltung|programmierung|konzeption|powered|hosted|template|theme|vytvořil\w*|wykonanie|"
    r"projekt i wykonanie|"
    r"készítette|made|built|tasarım)[^\n@]{0,60}\Z",
    re.I,
)
_FOREIGN = re.compile(
    r"kammer\b|aufsichtsbeh|zuständige|beh[öo]rde|landesbeauftragte|bundesbeauftragte|schlichtung|"
    r"streitbeilegung|"
    r"h[ée]berge(?:ur|ment|r)|hosting|hoster\b|hosted|gehostet|provider\b|garante\b|autorit|"
    r"agencia española|"
    r"\bcnil\b|information commissioner|supervisory|ombuds|inspektor|úřad|urząd|versicherung|webmaster|"
    r"bildnachweis|fotograf|photo(?:s|graph)|bilder\b|webdesign|web design|responsable technique|"
    r"auftragsverarbeit",
    re.I,
)
_may_credit, _may_be_foreign = prefilter(_CREDIT), prefilter(_FOREIGN)
_CONTEXT = 220
OF_THE_MAKER, OF_SOMEBODY_ELSE = "address of the page's maker", "address of somebody else"
OF_OTHERS = (OF_THE_MAKER, OF_SOMEBODY_ELSE)


def find_own_domain(doc: Document, hints: Hints) -> str:
    """The registrable domain of the site, from the hint, the address or what the page calls canonical."""
    for candidate in (hints.site_domain, hints.url, doc.url, doc.metas.get("og:url")):
        host = _host(candidate) if candidate else ""
        domain = registrable_domain(unicode_host(host)) if host else ""
        if domain:
            return domain
    return ""


def _host(text: str) -> str:
    try:
        return (urlsplit(text if "//" in text else f"//{text}").hostname or "").lower()
    except ValueError:
        return ""


def classify_relation(domain: str, site: str) -> str:
    """own, free or other."""
    if is_free(domain):
        return "free"
    own = registrable_domain(unicode_host(domain))
    return "own" if site and (own == site or not _names(own).isdisjoint(_names(site))) else "other"


def _name(domain: str) -> str:
    """The first label without hyphens: firma-x.de and firmax.com belong to one owner as a rule."""
    return domain.partition(".")[0].replace("-", "")


@lru_cache(maxsize=4_096)
def _names(domain: str) -> frozenset[str]:
    """The name in the ways one owner spells it: müller-bau.de has mueller-bau.de or muller-bau.de as well."""
    name = _name(domain)
    if name.isascii():
        return frozenset((name,))
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    stripped = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return frozenset((name, name.translate(_SPELLED_OUT), stripped))


def classify_mailbox(local: str, domain: str) -> str:
    """role, person or no-reply."""
    if NO_REPLY.search(local):
        return "no-reply"
    parts = [part for part in _PARTS.split(local) if part]
    if local in ROLES or not ROLES.isdisjoint(parts):
        return "role"
    squeezed = "".join(parts)
    name = _name(registrable_domain(domain)) if not is_free(domain) else ""
    if name and (squeezed == name or (len(squeezed) > 5 and squeezed in name)):
        return "role"
    return "role" if squeezed.startswith(("info", "kontakt", "contact")) else "person"


def find_refusal(address: str, *, doc: Document, evidence: Evidence, site: str, sure: bool) -> str:
    """Why an address is not taken; empty when it is."""
    local, _, domain = address.partition("@")
    relation = classify_relation(domain, site)
    if FILE_END.search(domain) or FILE_END.search(local):
        return "file name"
    if TRACKER.search(domain):
        return "error tracker"
    if HASH_LIKE.match(local):
        return "hash-like local part"
    if is_pattern(local) or (relation != "own" and is_placeholder_email(local, domain)):
        return "placeholder"
    if relation == "other" and registrable_domain(domain) in THIRD_PARTIES:
        return "address of a vendor"
    if not sure and relation == "other":
        return "only in a script, of another domain"
    if not any(map(str.isalnum, local)):
        return "no letters before the sign"
    if evidence.place == "text":
        return _refused_by_context(doc.text, evidence.start, evidence.quote, relation)
    return ""


def _refused_by_context(text: str, start: int, quote: str, relation: str) -> str:
    """What the words before an address say of whose it is."""
    line = line_before(text, start)
    word = line.rpartition(" ")[2]
    if "://" in word or word.startswith("www.") or word.endswith("/@"):
        return "part of a URL"
    if relation != "other":
        return ""
    before = text[max(0, start - 90) : start]
    if credits_site_maker(line) or (_may_credit(before) and _CREDIT.search(before)):
        return OF_THE_MAKER
    before = text[max(0, start - _CONTEXT) : start]
    if _may_be_foreign(before) and _FOREIGN.search(before):
        return OF_SOMEBODY_ELSE
    return ""
