"""Finds mail addresses in a text, in linear time."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from scrapersky.extract.emails.anti_spam_filler import (
    end_before_brackets,
    is_filler,
    may_hold_filler,
    plain_domain,
    plain_local,
    strip_brackets,
)
from scrapersky.extract.emails.vocabulary import ROLES
from scrapersky.extract.urls.hosts import registrable_domain

MAX_LOCAL = 64
MAX_DOMAIN = 253
MAX_SIGNS = 5_000
_AT_SIGNS = str.maketrans({"＠": "@", "﹫": "@"})
_APOSTROPHES = "'’‘ʼ´"
_STRAIGHT = str.maketrans(dict.fromkeys("’‘ʼ´", "'"))
_PLAIN_SIGNS = string.ascii_letters + string.digits + "._+-"
# What a local part may hold in running text, where the other signs of the standard separate things ...
_TEXT_SIGNS = _PLAIN_SIGNS + "%&=~/!" + _APOSTROPHES
# ... and where the whole of a value is an address.
_VALUE_SIGNS = _TEXT_SIGNS + "#$*?^`{|}"
_SHUTTING = tuple(")]}>*-_|~")
_AT_EDGES = ".-&=%+~/!#$*?^`{|}" + _APOSTROPHES
_DOMAIN = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_NAME = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.?")
_SPACED_DOMAIN = re.compile(r"[\w-]{2,63}(?: ?\. ?[\w-]{2,63}){1,3}")
_FULL_WIDTH_DOT = str.maketrans({"．": ".", "。": "."})
_GLUED = re.compile(r"([a-z]{2,24})(?=[A-Z0-9_]|[^\x00-\x7f])")
_LABEL = re.compile(r"[^\W_](?:[\w-]*[^\W_])?\Z")
_ESCAPE_LEFT = re.compile(r"(?:u00([0-9a-f]{2})|x([0-9a-f]{2}))+", re.I)
_ENTITY_LEFT = re.compile(
    r"&(?:#0*39|#x0*27|apos|rsquo|lsquo|#8217|#x2019|amp|#0*38|#0*47|sol|#43|plus);\Z", re.I
)
_BREAK = re.compile(r"[\s<>\"(),;:\[\]\\]")
# A word that announces an address and stuck to it.
_ANNOUNCES = re.compile(
    r"(?:e-?mails?|mails?|mailto|correo|courriel|posta|pec|contact|kontakt|contatto|adresse?|address|tele?fon\w*|"
    r"phone|tel|fax|faks|mobil\w*|handy|web|www|internet|to|cc|bcc|from|user|recipient|login|value|href|content)\.?\Z",
    re.I,
)
# What French, Italian and Catalan shorten before a vowel; O' is none of them.
_ELIDED_TEXT = "d l qu n s j c m t jusqu lorsqu puisqu quelqu all dell nell dall sull coll un quest"
# A name written with blanks between its letters: "a n n a @ firma.de".
_LETTER_BY_LETTER = re.compile(r"(?<!\S)(?:[A-Za-z0-9._-] ){3,40}\Z")
_ELIDED = frozenset(_ELIDED_TEXT.split())
_LETTERED = 0x250  # Latin letters with marks end here.


@dataclass(frozen=True, slots=True)
class AddressMatch:
    """An address seen in a text, from `start` to `end`.

    `spaced` when blanks stood around the sign, `filled` when filler was taken out.
    """

    local: str
    domain: str
    start: int
    end: int
    spaced: bool = False
    filled: bool = False

    @property
    def address(self) -> str:
        return f"{self.local}@{self.domain}"


def match_addresses(text: str, *, is_value: bool = False) -> Iterator[AddressMatch]:
    """Every address in a text: look for the sign, then read to both sides of it.

    `is_value` says that the text is made of addresses, as in a link: all that may belong to one does.
    """
    if "＠" in text or "﹫" in text:
        text = text.translate(_AT_SIGNS)
    position, floor = text.find("@"), 0
    for _ in range(MAX_SIGNS):
        if position < 0:
            return
        address = _around(text, position, floor, is_value=is_value)
        if address is not None:
            yield address
            floor = address.end
        position = text.find("@", position + 1)


def _around(text: str, at: int, floor: int, *, is_value: bool) -> AddressMatch | None:
    end = at
    if text[at - 1 : at] in (" ", "\n"):
        end = len(text[max(0, at - 2) : at].rstrip(" \n")) + max(0, at - 2)
    right = at + 1
    while right < len(text) and text[right] in " \n" and right - at < 3:
        right += 1
    spaced = end != at or right != at + 1
    domain, stop = read_domain_at(text, right)
    if not domain:
        domain, stop = _spaced_domain(text, right)
        spaced = True
    if not domain:
        return None
    left = read_local_before(text, end, floor, stop, is_value=is_value)
    if left is None:
        return None
    local, start = left
    if is_filler(local) and text[max(0, start - 3) : start].rstrip()[-1:] == "@":
        # The filler stands between two signs: `anna@REMOVETHIS@firma.de`.
        return _around_filler(text, start, floor, domain, stop)
    is_filled = stop - right > len(domain) or text[end - 1] in _SHUTTING
    return strip_filler(AddressMatch(local, domain, start, stop, spaced, is_filled))


def _around_filler(text: str, start: int, floor: int, domain: str, stop: int) -> AddressMatch | None:
    end = text.rindex("@", 0, start)
    blanks = len(text[max(0, end - 2) : end]) - len(text[max(0, end - 2) : end].rstrip())
    left = read_local_before(text, end - blanks, floor)
    return strip_filler(AddressMatch(left[0], domain, left[1], stop, filled=True)) if left else None


def strip_filler(seen: AddressMatch) -> AddressMatch | None:
    """An address as it is used, from how it was written; None when it cannot be separated from its filler."""
    local, domain = seen.local, seen.domain
    if not may_hold_filler(local + domain):
        return AddressMatch(local.lower(), domain.lower(), seen.start, seen.end, seen.spaced, seen.filled)
    plain, host = plain_local(local), plain_domain(domain)
    if not plain or (host != domain and not is_domain(host)):
        return None
    is_filled = seen.filled or plain != local or host != domain
    return AddressMatch(plain.lower(), host.lower(), seen.start, seen.end, seen.spaced, is_filled)


def _spaced_domain(text: str, position: int) -> tuple[str, int]:
    """A domain with blanks before its dots: `firma . de`."""
    match = _SPACED_DOMAIN.match(text, position, position + MAX_DOMAIN)
    if match is None or " ." not in match.group():
        return "", position
    domain = match.group().replace(" ", "").lower()
    return (domain, match.end()) if is_domain(domain) else ("", position)


def read_local_before(
    text: str, end: int, floor: int = 0, after: int = 0, *, is_value: bool = False
) -> tuple[str, int] | None:
    """The local part that ends at a position, and where it begins; None when it is ambiguous.

    A part of a local part is somebody else's address: better none. `after` is where the domain ends.
    """
    begin = max(floor, end - MAX_LOCAL - 2)
    window = text[begin:end]
    if window[-1:] in _SHUTTING and may_hold_filler(window):
        window = window[: end_before_brackets(window)]
    head = window.rstrip(_VALUE_SIGNS if is_value else _TEXT_SIGNS)
    token = window[len(head) :]
    if not token or (head and not _may_end_before(head, token)):
        return None
    local = token
    if not is_value or "%" in token:
        local = _decoded(token)
    if len(token) == 1 and not is_value and head[-1:] == " ":
        letters = _LETTER_BY_LETTER.search(head)
        local = (letters.group().replace(" ", "") if letters else "") + local
    if head.endswith("\\"):
        local = _ESCAPE_LEFT.sub("", local, count=1) if _ESCAPE_LEFT.match(local) else local
    local = local.lstrip(_AT_EDGES).rstrip("." + "'&=").translate(_STRAIGHT)
    if not is_value:
        shuts = text[after : after + 1] if after else ""
        was_quoted = shuts != "" and shuts in _APOSTROPHES and token[0] not in _APOSTROPHES
        local = _in_running_text(local, is_path=token[0] == "/", was_quoted=was_quoted)
    if not 0 < len(local) <= MAX_LOCAL or ".." in local or not local.isascii():
        return None
    written = token.translate(_STRAIGHT).rfind(local)
    return local, begin + len(head) + max(0, written)


def _may_end_before(head: str, token: str) -> bool:
    """Whether a local part may begin behind a text: not behind a letter or sign that belongs to it."""
    last = head[-1]
    if last.isalpha() and ord(last) < _LETTERED:
        return False
    if last == ";" and _ENTITY_LEFT.search(head):
        return False
    if last == "\\":
        escape = _ESCAPE_LEFT.match(token)
        code = (escape[1] or escape[2]) if escape else ""
        return not code or chr(int(code, 16)) not in _TEXT_SIGNS
    return True


def _decoded(token: str) -> str:
    """The token with percent codes read, from the last thing on that ends a word."""
    return _BREAK.split(unquote(token))[-1] if "%" in token else token


def _in_running_text(local: str, *, is_path: bool, was_quoted: bool) -> str:
    """What is the local part where quotes, slashes and the signs of queries may as well stand around it."""
    if "!" in local or "%" in local:
        return ""
    if "=" in local:
        key, _, local = local.rpartition("=")
        if not _ANNOUNCES.search(key):
            return ""
    if "'" in local:
        local = _without_quote(local, was_quoted=was_quoted)
    if "/" in local:
        local = _without_path(local, is_path=is_path)
    key, ampersand, rest = local.rpartition("&")
    # What was cut off may have stood before a quote: `data-mail='info@`.
    return (rest if ampersand and _ANNOUNCES.search(key) else local).lstrip(_AT_EDGES)


def _without_quote(local: str, *, was_quoted: bool) -> str:
    before, _, rest = local.rpartition("'")
    if was_quoted or _ANNOUNCES.search(before):
        return rest
    if "'" in before:
        return ""
    word = before.lower()
    if word in _ELIDED:
        return rest if re.split(r"[._+-]", rest.lower())[0] in ROLES else ""
    return local


def _without_path(local: str, *, is_path: bool) -> str:
    before, _, rest = local.rpartition("/")
    last = before.rpartition("/")[2]
    if _ANNOUNCES.search(last) or last[-1:].isdigit():
        return rest
    if is_path or "/" in before or "." in before.strip("."):
        # `first.last/dept@` is as rare as `firma.de/info@` is common.
        return ""
    return "" if last.lower() in ROLES and rest.lower() in ROLES else local


def read_domain_at(text: str, position: int) -> tuple[str, int]:
    """The domain that begins at a position, and where it ends; empty when none does."""
    window = text[position : position + MAX_DOMAIN + 1]
    if "．" in window or "。" in window:
        window = window.translate(_FULL_WIDTH_DOT)
    cut = 0
    if window[:1] in "([{<*|~_-" or _has_bracket_before_dot(window):
        plain = strip_brackets(window[:100])
        cut, window = min(len(window), 100) - len(plain), plain
    match = _DOMAIN.match(window)
    if match is None:
        return "", position
    written = match.group().rstrip(".-_")
    domain = real_domain(written)
    return (domain, position + len(domain) + cut) if domain else ("", position)


def _has_bracket_before_dot(window: str) -> bool:
    """Whether a bracket or a mark stands within what may be a domain."""
    name = _NAME.match(window)
    return name is not None and window[name.end() : name.end() + 1] in ("(", "[", "{", "<", "*", "|", "~")


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


def normalize_address(text: str) -> str:
    """The one address a string holds, or an empty string."""
    sighting = next(match_addresses(text.strip(), is_value=True), None)
    return sighting.address if sighting else ""
