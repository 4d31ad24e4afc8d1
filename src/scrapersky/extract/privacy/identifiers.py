"""E-mail addresses, phone numbers and domains in the one form in which suppressions compare them.

The same mailbox: case, blanks, invisible characters, `+tag`, the Unicode and the ASCII form of the domain,
and at Google Mail also dots and googlemail.com. The same number: E.164. A domain covers its subdomains.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote

import can_ada
import phonenumbers

from scrapersky.extract.phones.numbers import read_number
from scrapersky.extract.text.cleanup import strip_invisible
from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.hosts import is_ip, public_suffix, registrable_domain, unicode_host

EMAIL, PHONE, DOMAIN = "email", "phone", "domain"
# A number without its country; nobody is suppressed by it.
NATIONAL = "national"
MAX_EMAIL = 320
GOOGLE_MAIL = frozenset({"gmail.com", "googlemail.com"})
_BLANK = re.compile(r"\s+")
_IN_BRACKETS = re.compile(r"<([^<>]*@[^<>]*)>\s*\Z")
# As wide as addresses are written; what is not one is found out by reading it.
_ADDRESS = re.compile(r"[^\s@<>\"(),;:\[\]\\/?=&|*]{1,64}@[\w.\-。．]{1,253}")
_NUMBER = re.compile(r"(?:\+|00)[\d(][\d\s().\-/]{5,24}\d")
# Groups of digits that may be one number, and how many digits it then has.
_DIGITS = re.compile(r"(?<![\d.])\d+(?:[\s().\-/\u00a0]{1,3}\d+)*(?!\d)")
_NATIONAL_DIGITS = range(5, 16)
# A country code or a 0 may stand before the number, without a gap.
_MOST_BEFORE = 3
_ESCAPED_AT = re.compile(r"%40|&(?:#|commat)|\\+u00(?=[0-9a-fA-F]{2})", re.I)
_JSON_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")
# Signs that stand around addresses in running text and in links.
_AROUND = ".'`!"


class Identifier(NamedTuple):
    """A value in the form that is hashed; `kind` is email, phone or domain."""

    kind: str
    value: str


def read_identifier(text: str, *, kind: str = "", country: str | None = None) -> Identifier | str:
    """The identifier that a person wrote, or why it is none. Without a `kind` the text tells it."""
    written = _IN_BRACKETS.search(text)
    text = strip_invisible(written[1] if written else text).strip()
    if not text:
        return "empty"
    kind = kind or _guess_kind(text)
    if kind == EMAIL:
        address = canonical_email(text)
        return Identifier(EMAIL, address) if address else "not an e-mail address"
    if kind == PHONE:
        number = canonical_phone(text, country)
        return Identifier(PHONE, number) if number else "not a phone number with its country, such as +49 …"
    if kind != DOMAIN:
        return f"invalid kind {kind[:20]!r}; expected email, phone or domain"
    return _read_domain(text.removeprefix("@"))


def _read_domain(text: str) -> Identifier | str:
    reading = read_host(text)
    if reading.ok:
        return Identifier(DOMAIN, reading.host)
    # A name of an inner network is registered nowhere and may still be somebody's.
    host = ascii_domain(text)
    return Identifier(DOMAIN, host) if host and not public_suffix(host) else reading.reason


def _guess_kind(text: str) -> str:
    if "@" in text[1:] or "＠" in text:
        return EMAIL
    return PHONE if re.fullmatch(r"(?:tel:)?[\d\s()+.\-/]{6,}", text) else DOMAIN


@lru_cache(maxsize=8_192)
def canonical_email(text: str) -> str:
    """The mailbox that an address belongs to, or an empty string."""
    plain = _BLANK.sub("", strip_invisible(unicodedata.normalize("NFKC", text[:MAX_EMAIL])))
    if plain[:7].lower() == "mailto:":
        plain = plain[7:].partition("?")[0]
    local, _, host = plain.strip("<>").rpartition("@")
    local, host = local.casefold().strip('"'), ascii_domain(host)
    if not local or "@" in local or not host:
        return ""
    local = local.partition("+")[0] or local
    if host in GOOGLE_MAIL:
        local, host = local.replace(".", "") or local, "gmail.com"
    return f"{local}@{host}"


@lru_cache(maxsize=8_192)
def ascii_domain(host: str) -> str:
    """The domain in lower case and ASCII, or an empty string when it is none."""
    try:
        name = str(can_ada.parse(f"http://{host.strip('.')}/").hostname).strip(".")
    except (ValueError, TypeError):
        return ""
    return name if "." in name and not is_ip(name) else ""


def canonical_phone(text: str, country: str | None = None) -> str:
    """The number in E.164, or an empty string. Without a country it must name its own."""
    number = read_number(unicodedata.normalize("NFKC", text).removeprefix("tel:"), country)
    return number.e164 if number else ""


def covering_domains(host: str) -> Iterator[Identifier]:
    """The domain and every domain above it that somebody may have registered: each covers it."""
    shortest = registrable_domain(host) or ".".join(host.split(".")[-2:])
    while "." in host and len(host) >= len(shortest):
        yield Identifier(DOMAIN, host)
        host = host.partition(".")[2]


def email_identifiers(text: str) -> list[Identifier]:
    """Everything under which an address may be suppressed: itself and its domains."""
    address = canonical_email(text)
    if not address:
        return []
    return [Identifier(EMAIL, address), *covering_domains(address.rpartition("@")[2])]


def phone_identifiers(text: str, country: str | None = None) -> list[Identifier]:
    number = canonical_phone(text, country)
    return [Identifier(PHONE, number)] if number else []


def written_forms(identifier: Identifier) -> set[str]:
    """The identifier as contacts have it: the domain of an address in ASCII or Unicode, Google Mail by
    either name.
    """
    local, at, host = identifier.value.rpartition("@")
    if not at:
        return {identifier.value}
    hosts = GOOGLE_MAIL if host in GOOGLE_MAIL else {host, unicode_host(host)}
    return {f"{local}@{name}" for name in hosts}


def national_identifier(e164: str) -> Identifier:
    """The number as it is written in its own country, without a leading 0."""
    return Identifier(NATIONAL, phonenumbers.national_significant_number(phonenumbers.parse(e164)))


def find_national(text: str) -> Iterator[Identifier]:
    """Everything in a text that may be a number without its country: any run of groups of digits."""
    for match in _DIGITS.finditer(text):
        groups = re.findall(r"\d+", match.group())
        for start in range(len(groups)):
            digits = ""
            for group in groups[start:]:
                digits += group
                if len(digits) > _NATIONAL_DIGITS.stop + _MOST_BEFORE:
                    break
                for before in range(_MOST_BEFORE + 1):
                    if len(digits) - before in _NATIONAL_DIGITS:
                        yield Identifier(NATIONAL, digits[before:])


def with_country(national: Identifier) -> Iterator[Identifier]:
    """The number under the code of every country."""
    for code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
        yield Identifier(PHONE, f"+{code}{national.value}")


class Finding(NamedTuple):
    """A piece of a text and everything under which it may be suppressed."""

    start: int
    end: int
    identifiers: list[Identifier]


def find_identifiers(text: str) -> Iterator[Finding]:
    """Addresses and international numbers as they stand in a text."""
    if "@" in text or "＠" in text:
        for match in _ADDRESS.finditer(text.replace("＠", "@")):
            written = match.group().lstrip(_AROUND).rstrip(".-")
            start = match.start() + match.group().find(written)
            if identifiers := email_identifiers(unquote(written)):
                yield Finding(start, start + len(written), identifiers)
    if "+" in text or "00" in text:
        for match in _NUMBER.finditer(text):
            if identifiers := phone_identifiers(match.group()):
                yield Finding(match.start(), match.end(), identifiers)


def hidden_forms(text: str) -> list[str]:
    """The text as links, HTML and JSON may hide it; empty where nothing is escaped."""
    if not _ESCAPED_AT.search(text):
        return []
    unescaped = _JSON_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    forms = {unquote(text), unescape(text), unescaped, unquote(unescape(unescaped))}
    return sorted(forms - {text})
