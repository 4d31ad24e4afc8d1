"""What a mail address looks like: where one stands in a text, found in linear time."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scrapersky.extract.hosts import registrable_domain

MAX_LOCAL = 64
MAX_DOMAIN = 253
MAX_SIGNS = 5_000
_AT_SIGNS = str.maketrans({"＠": "@", "﹫": "@"})
_LOCAL_SIGNS = string.ascii_letters + string.digits + "._%+'&=~-"
_LOCAL_SPACED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._+-]{0,63})[ \n]{1,2}\Z")
_DOMAIN = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_SPACED_DOMAIN = re.compile(r"[\w-]{2,63}(?: ?\. ?[\w-]{2,63}){1,3}")
_FULL_WIDTH_DOT = str.maketrans({"．": ".", "。": "."})
_GLUED = re.compile(r"([a-z]{2,24})(?=[A-Z0-9_]|[^\x00-\x7f])")
_LABEL = re.compile(r"[^\W_](?:[\w-]*[^\W_])?\Z")
_ESCAPE_LEFT = re.compile(r"^(?:u00[0-9a-f]{2}|x[0-9a-f]{2}|%[0-9a-f]{2})+", re.I)


@dataclass(frozen=True, slots=True)
class Sighting:
    """An address seen in a text, from `start` to `end`; `spaced` when blanks stood around the sign."""

    local: str
    domain: str
    start: int
    end: int
    spaced: bool = False

    @property
    def address(self) -> str:
        return f"{self.local}@{self.domain}"


def addresses_in(text: str) -> Iterator[Sighting]:
    """Every address in a text: look for the sign, then read to both sides of it."""
    if "＠" in text or "﹫" in text:
        text = text.translate(_AT_SIGNS)
    position = text.find("@")
    for _ in range(MAX_SIGNS):
        if position < 0:
            return
        found = _around(text, position)
        if found is not None:
            yield found
        position = text.find("@", position + 1)


def _around(text: str, at: int) -> Sighting | None:
    spaced = False
    before = text[max(0, at - MAX_LOCAL - 1) : at]
    start = at - len(before) + len(before.rstrip(_LOCAL_SIGNS))
    if start == at:
        apart = _LOCAL_SPACED.search(text[max(0, at - MAX_LOCAL - 2) : at])
        if apart is None:
            return None
        start = max(0, at - MAX_LOCAL - 2) + apart.start()
        spaced = True
    local = text[start:at].strip()
    right = at + 1
    while right < len(text) and text[right] in " \n" and right - at < 3:
        right += 1
        spaced = True
    domain, end = domain_at(text, right)
    if not domain:
        domain, end = _spaced_domain(text, right)
        spaced = True
    if not domain:
        return None
    trimmed = clean_local(local)
    if not trimmed:
        return None
    return Sighting(trimmed.lower(), domain, start + local.rfind(trimmed), end, spaced)


def _spaced_domain(text: str, position: int) -> tuple[str, int]:
    """A domain with blanks before its dots: `firma . de`."""
    found = _SPACED_DOMAIN.match(text, position, position + MAX_DOMAIN)
    if found is None or " ." not in found.group():
        return "", position
    domain = found.group().replace(" ", "").lower()
    return (domain, found.end()) if is_domain(domain) else ("", position)


def clean_local(local: str) -> str:
    """A local part without what stuck to it; empty when nothing good is left."""
    local = _ESCAPE_LEFT.sub("", local)
    local = local.lstrip(".-'&=%+~").rstrip(".'&=")
    if "'" in local or "=" in local or "&" in local:
        local = re.split(r"['=&]", local)[-1]
    return local if 0 < len(local) <= MAX_LOCAL and ".." not in local else ""


def domain_at(text: str, position: int) -> tuple[str, int]:
    """The domain that begins at a position, and where it ends; empty when none does."""
    window = text[position : position + MAX_DOMAIN + 1]
    if "．" in window or "。" in window:
        window = window.translate(_FULL_WIDTH_DOT)
    found = _DOMAIN.match(window)
    if found is None:
        return "", position
    written = found.group().rstrip(".-_")
    domain = real_domain(written)
    return (domain.lower(), position + len(domain)) if domain else ("", position)


@lru_cache(maxsize=4_096)
def real_domain(written: str) -> str:
    """The longest leading part that could be registered: `firma.deTel` and `firma.de.Wir` give firma.de."""
    labels = written.split(".")
    while len(labels) >= 2:
        candidate = ".".join(labels)
        if is_domain(candidate):
            return candidate
        glued = _GLUED.match(labels[-1])
        if glued and is_domain(".".join([*labels[:-1], glued.group(1)])):
            return ".".join([*labels[:-1], glued.group(1)])
        labels.pop()
    return ""


def is_domain(name: str) -> bool:
    """Whether a name is well formed and ends in a top level that exists."""
    if len(name) > MAX_DOMAIN or not all(_LABEL.match(label) for label in name.split(".")):
        return False
    last = name.rsplit(".", 1)[-1]
    return len(last) >= 2 and not last.isdigit() and bool(registrable_domain(name.lower()))


def as_address(text: str) -> str:
    """The one address a string holds, or an empty string."""
    sighting = next(addresses_in(text.strip()), None)
    return sighting.address if sighting else ""
