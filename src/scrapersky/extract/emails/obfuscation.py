"""Finds mail addresses that a page hides from scrapers but shows to people."""

from __future__ import annotations

import html as entities
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from scrapersky.extract.emails.address_pattern import is_domain, match_addresses, normalize_address
from scrapersky.extract.emails.ciphers import (
    decode_base64,
    decode_cloudflare,
    decode_enkoder,
    decode_hex,
    decode_numbered,
    decode_pairs,
    decode_shift,
    decode_typo3,
    rot13,
)
from scrapersky.extract.emails.invisible_text import has_broken_address, repair_addresses
from scrapersky.extract.emails.javascript import evaluate_strings, unescape_javascript
from scrapersky.extract.emails.keywords import (
    HANDLERS,
    HIDING,
    IN_SCRIPTS,
    OBFUSCATION,
    REVERSING,
    WORDED_SIGN,
)
from scrapersky.extract.emails.spelled_addresses import find_spelled_out
from scrapersky.extract.emails.vocabulary import ROLES
from scrapersky.extract.html import Document
from scrapersky.extract.html.contact_links import CONTACT_LINKS
from scrapersky.extract.html.document import NOSCRIPT
from scrapersky.extract.text import one_line

# The elements in which each keyword of the source stands.
_HIDING: dict[str, str] = {keyword: f"[{keyword.rstrip('=')}]" for keyword in HIDING} | {
    "data-mailto": "[data-mailto],[data-mailto-token]",
    "data-mail": "[data-mail],[data-mail-to]",
    "data-email": "[data-email],[data-email-user],[data-email-domain],[data-email-encoded]",
    "data-enc": "[data-enc-email],[data-encoded]",
    "data-obf": "[data-obfuscated]",
    # In base64 "mailto" begins as follows.
    "data-href": '[data-href*="mail"],[data-href^="bWFpbHRv"]',
    "data-link": '[data-link*="mail"]',
    "data-before": "[data-before][data-after]",
    "data-tld": "[data-name][data-tld]",
    "joomla-hidden-mail": "joomla-hidden-mail",
}
_LOCAL_KEYS = tuple(
    f"data-{name}"
    for name in ("user", "local", "name", "account", "u", "before", "part1", "first", "email-user")
)
_DOMAIN_KEYS = tuple(
    f"data-{name}"
    for name in ("domain", "host", "website", "d", "after", "part2", "last", "at", "email-domain")
)
# Attributes whose values are in cipher even when they look like an address.
_CIPHERS = ("data-enc", "data-rot", "data-obf", "data-cipher")
# Frequent pairs of letters; ROT13 makes rare ones of most of them.
_PAIRS_TEXT = """
er en in an re es on te de st nt or ar al ti le se is ne ra el it la ro ri li ma ch sc ha he th nd io ng me ve
be ge si ta to ca co di us ic ol ed ec un at as em et il ie ei au ou lo no na mi da do pe ll tr pr il
"""
_PAIRS = frozenset(_PAIRS_TEXT.split())
_CLEAR_MARGIN = 3
_SPELLED_SIGN = re.compile(r"\s?[\[({]\s?(?:at|@)\s?[\])}]\s?", re.I)
_ARGUMENT = re.compile(r"""["']([^"'\s]{10,500})["']""")
# A function for mail that is called with the parts of an address.
_CALL = re.compile(
    r"""mail\w{0,30}\(\s{0,3}["'](?P<local>[\w.+-]{1,64})["']\s{0,3},\s{0,3}["'](?P<domain>[\w.-]{1,180})["']"""
    r"""(?:\s{0,3},\s{0,3}["'](?P<ending>[a-z]{2,24})["'])?\s{0,3}[,)]""",
    re.I,
)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_CLASS = re.compile(r"(?:span)?\.[A-Za-z_][\w-]{0,60}\Z")
# Without one of these no string of a script can become an address.
_SIGN_MAKERS = (
    "@", "&#", "%40", "x40", "u0040", "\\100", "fromCharCode", "atob", "znvygb", "reverse", "at)", "at]",
    "at}",
)  # fmt: skip
_NO_SCRIPT = re.compile(
    rb"""\ssrc\s*=|type\s*=\s*["']?(?!text/javascript|application/javascript|module)[a-z]""", re.I
)
_CODES = re.compile(rb"fromCharCode(?:\(\d|\.apply\()")
_CODES_BEFORE = re.compile(rb"\d\s?\]\.map\([^;{}]{0,40}\Z")
_MAX_NODES = 500
_MAX_RULES = 100
_WHOLE_SCRIPT = 3_000
_MAX_ENKODER = 20_000
_MAX_SCRIPTS = 20
_MAX_NOSCRIPTS = 200
_MAX_LITERALS = 50


@dataclass(frozen=True, slots=True)
class HiddenEmail:
    """An address that was decoded, how, the text that hid it, and what the text seems to show instead."""

    address: str
    method: str
    quote: str
    sure: bool = True
    instead_of: str = ""


def find_obfuscated(doc: Document, own: str) -> Iterator[HiddenEmail]:
    """Every address that some trick of the page hides; `own` is the domain of the site."""
    yield from _in_attributes(doc, own)
    yield from _in_links(doc)
    yield from _in_scripts(doc)
    yield from _in_literals(doc)
    unscripted = [place for keyword in NOSCRIPT for place in doc.keywords.get(keyword, [])[:_MAX_NOSCRIPTS]]
    if unscripted and _has_sign(doc.raw, sorted(unscripted)):
        yield from _in_noscript(doc.tree)
    yield from _by_style(doc)


def _in_attributes(doc: Document, own: str) -> Iterator[HiddenEmail]:
    keywords = doc.scan(OBFUSCATION).keys()
    marked = [_HIDING[keyword] for keyword in keywords if keyword in _HIDING]
    nodes = doc.tree.css(",".join(marked)) if marked else []
    if not keywords.isdisjoint(REVERSING):
        nodes += doc.tree.css('[style*="bidi-override"],bdo[dir]')
    if not keywords.isdisjoint(HANDLERS) and not keywords.isdisjoint(IN_SCRIPTS):
        nodes += doc.tree.css("[onclick],[onmouseover]")
    for node in nodes[:_MAX_NODES]:
        attributes = {name: value or "" for name, value in node.attributes.items()}
        if attributes.get("data-cfemail"):
            yield from _decoded(
                decode_cloudflare(attributes["data-cfemail"]), "cloudflare", attributes["data-cfemail"]
            )
        if attributes.get("data-mailto-token"):
            yield from _decoded(
                decode_typo3(attributes["data-mailto-token"]), "typo3", attributes["data-mailto-token"]
            )
        if node.tag == "joomla-hidden-mail":
            parts = decode_base64(attributes.get("first", "")), decode_base64(attributes.get("last", ""))
            yield from _decoded("@".join(parts), "joomla", attributes.get("first", ""))
        yield from _pair(attributes)
        for name, value in attributes.items():
            if name.startswith("data-") and name not in ("data-cfemail", "data-mailto-token"):
                yield from _in_value(value, "data attribute", own, is_cipher=name.startswith(_CIPHERS))
            elif name.startswith("on") and ("@" in value or any(hint in value for hint in IN_SCRIPTS)):
                yield from _in_code(value, "script")
        if "bidi-override" in attributes.get("style", "") or (
            node.tag == "bdo" and attributes.get("dir") == "rtl"
        ):
            yield from _decoded(one_line(node.text())[::-1], "reversed", one_line(node.text()))


def _pair(attributes: dict[str, str]) -> Iterator[HiddenEmail]:
    """Local part and domain in two attributes, plain, reversed or in base64; maybe a third."""
    local = next((attributes[key] for key in _LOCAL_KEYS if attributes.get(key)), "")
    domain = next((attributes[key] for key in _DOMAIN_KEYS if attributes.get(key)), "")
    if not local or not domain:
        return
    ending = (attributes.get("data-tld") or attributes.get("data-part3") or "").lstrip(".")
    if ending and not domain.endswith("." + ending):
        domain = f"{domain}.{ending}"
    quote = f"{local} {domain}"
    for name, host in (
        (local, domain),
        (local[::-1], domain[::-1]),
        (decode_base64(local), decode_base64(domain)),
    ):
        if name and is_domain(host.lstrip("@")):
            yield from _decoded(f"{name.rstrip('@')}@{host.lstrip('@')}", "data attribute", quote)
            return


def _in_value(value: str, method: str, own: str, *, is_cipher: bool) -> Iterator[HiddenEmail]:
    """An address in an attribute: plain, spelled, percent-coded, reversed, in base64, hexadecimal or ROT13.

    An attribute whose name speaks of a cipher is not plain, though its letters may look like an address.
    """
    if not 6 <= len(value) <= 1_000:
        return
    if "/ng/" in value:
        value = rot13(value)
    if "/at/" in value:
        value = value.replace("/at/", "@").replace("/dot/", ".")
    turned = rot13(_SPELLED_SIGN.sub("@", value)) if "@" in value or _SPELLED_SIGN.search(value) else ""
    address = normalize_address(turned) if turned else ""
    untouched = normalize_address(_SPELLED_SIGN.sub("@", value)) if address else ""
    if address and (is_cipher or not untouched or _is_likelier(address, untouched, own)):
        yield HiddenEmail(address, method, value)
        return
    for plain in (value, *_decodings(value)):
        address = normalize_address(_without_scheme(plain)) if plain else ""
        if address and (plain is value or len(plain) < 100):
            yield HiddenEmail(address, method, value)
            return
    for candidate in (value, rot13(value), value[::-1]):
        spelled = next((seen for seen, weak in find_spelled_out(candidate) if not weak), None)
        address = (
            spelled.address if spelled else (normalize_address(candidate) if candidate is not value else "")
        )
        if address:
            yield HiddenEmail(address, method, value)
            return


def _decodings(value: str) -> Iterator[str]:
    """What a value may stand for in one of the usual codes."""
    yield decode_base64(value)
    yield decode_base64(value[::-1])
    yield decode_cloudflare(value)
    yield decode_hex(value)


def _without_scheme(plain: str) -> str:
    plain = unquote(plain) if "%" in plain else plain
    return plain.removeprefix("mailto:").partition("?")[0]


def _is_likelier(turned: str, plain: str, own: str) -> bool:
    """Whether something speaks for ROT13 where both readings are addresses: it makes .bet of .org.

    It is the site's own domain, a common mailbox, or letters that follow each other as in names and words.
    """
    if own and plain.endswith((f"@{own}", f".{own}")):
        return False
    if own and turned.endswith((f"@{own}", f".{own}")):
        return True
    if plain.partition("@")[0] in ROLES:
        return False
    if turned.partition("@")[0] in ROLES:
        return True
    return _common_pairs(turned) - _common_pairs(plain) >= _CLEAR_MARGIN


def _common_pairs(address: str) -> int:
    """How many pairs of letters before the last dot are frequent in names and words of many languages."""
    letters = address.rpartition(".")[0]
    return sum(1 for place in range(len(letters) - 1) if letters[place : place + 2] in _PAIRS)


def _in_links(doc: Document) -> Iterator[HiddenEmail]:
    for link in doc.scan(CONTACT_LINKS):
        raw = link.raw
        if "email-protection#" in raw:
            yield from _decoded(decode_cloudflare(raw.rpartition("#")[2]), "cloudflare", raw)
        elif raw[:1] in "jJ" and raw[:11].lower() == "javascript:":
            code = entities.unescape(raw[11:])
            yield from _in_code(unquote(code) if "%27" in code or "%22" in code else code, "script")
        elif raw.startswith(("znvygb:", "ZNVYGB:")):
            yield from _decoded(rot13(raw)[7:], "rot13", raw)


def _in_code(code: str, method: str) -> Iterator[HiddenEmail]:
    """An address in a piece of script: an argument in cipher, or strings put together."""
    called = _CALL.search(code[:5_000])
    if called is not None and is_domain(".".join(filter(None, called.group("domain", "ending")))):
        domain = ".".join(filter(None, called.group("domain", "ending")))
        yield from _decoded(f"{called['local']}@{domain}", method, called.group())
    for argument in _ARGUMENT.findall(code[:5_000]):
        argument = argument.replace("\\/", "/")
        plain = decode_typo3(argument)
        if plain:
            yield from _decoded(plain, "typo3", argument)
            return
        plain = decode_shift(argument)
        if plain:
            yield from _decoded(plain, "shift", argument)
            return
        plain = normalize_address(decode_pairs(argument))
        if plain:
            yield from _decoded(plain, "shift", argument)
            return
    yield from _in_strings(code, method)


def _in_strings(code: str, method: str) -> Iterator[HiddenEmail]:
    """Addresses in the strings a script builds; a string that was never in pieces proves less."""
    for value, joined in evaluate_strings(code):
        if "@" not in value and "&#" not in value and "znvygb" not in value and "at" not in value:
            continue
        plain = entities.unescape(value)
        if "znvygb:" in plain:
            plain = rot13(plain)
        if "%40" in plain:
            plain = plain.replace("%40", "@")
        for seen in match_addresses(plain):
            if not seen.spaced:
                yield HiddenEmail(
                    seen.address, method, value[:300], joined or "mailto:" in plain or plain is not value
                )
        for spelled, weak in find_spelled_out(plain):
            if not weak:
                yield HiddenEmail(spelled.address, method, value[:300], joined)


def _in_scripts(doc: Document) -> Iterator[HiddenEmail]:
    """Addresses in the scripts where something hints at one."""
    keywords = doc.scan(OBFUSCATION)
    places = sorted([place for keyword in IN_SCRIPTS for place in keywords.get(keyword, ())])
    raw = doc.raw
    for code in islice(_codes(raw, places), _MAX_SCRIPTS):
        if "kode" in code:
            for seen in match_addresses(entities.unescape(decode_enkoder(code))):
                yield HiddenEmail(seen.address, "enkoder", code[:300])
        if "charAt(mi" in code:
            for seen in match_addresses(decode_numbered(code)):
                yield HiddenEmail(seen.address, "script", code[:300])
        if any(sign in code for sign in _SIGN_MAKERS):
            yield from _in_strings(code, "joomla" if "addy" in code else "script")


def _in_literals(doc: Document) -> Iterator[HiddenEmail]:
    """Whole addresses in the code of scripts; they prove little."""
    raw = doc.raw
    opens, shuts = doc.keywords.get("<script", []), doc.keywords.get("</script", [])
    for place in doc.scan(OBFUSCATION).get(WORDED_SIGN, [])[:_MAX_LITERALS] if opens else ():
        before = bisect_left(opens, place)
        script_start = opens[before - 1]
        if not before or bisect_left(shuts, script_start) != bisect_left(shuts, place):
            continue
        if b"ld+json" in raw[script_start : script_start + 100]:
            continue
        around = unescape_javascript(raw[max(0, place - 64) : place + 100].decode("utf-8", "ignore"))
        for seen in match_addresses(around):
            yield HiddenEmail(seen.address, "script", seen.address, sure=False)


def _codes(raw: bytes, places: list[int]) -> Iterator[str]:
    """The scripts that hold the places; of a long script only the parts around them."""
    done = 0
    for place in places:
        if place < done or (raw.startswith(b"fromCharCode", place) and not _names_codes(raw, place)):
            continue
        script_start = raw.rfind(b"<script", done, place)
        if script_start < 0 or raw.rfind(b"</script", script_start, place) >= 0:
            continue
        start = raw.find(b">", script_start) + 1
        end = raw.find(b"</script", place)
        end = end if end >= 0 else len(raw)
        if _NO_SCRIPT.search(raw[script_start:start]) or b"wpemoji" in raw[start:end]:
            done = end
            continue
        if end - start > (_MAX_ENKODER if raw.startswith(b"kode=", place) else _WHOLE_SCRIPT):
            start, end = max(start, place - 500), min(end, place + 1_000)
        done = end
        yield raw[start:end].decode("utf-8", "ignore")


def _names_codes(raw: bytes, place: int) -> bool:
    """Whether the codes that become letters stand beside: as arguments, or in a list before or behind."""
    return (
        _CODES.match(raw, place) is not None
        or _CODES_BEFORE.search(raw, max(0, place - 60), place) is not None
    )


def _has_sign(raw: bytes, places: list[int]) -> bool:
    """Whether what noscript elements hold can become an address; most show a picture and no more."""
    end = 0
    for place in places:
        if place >= end:
            shut = raw.find(b"</noscript", place)
            end = shut if shut >= 0 else len(raw)
            if any(raw.find(sign, place, end) >= 0 for sign in (b"@", b"at", b"&#")):
                return True
    return False


def _in_noscript(tree: LexborHTMLParser) -> Iterator[HiddenEmail]:
    for node in tree.css("noscript")[:100]:
        text = node.text()
        if "@" not in text and "at" not in text and "&#" not in text:
            continue
        plain = one_line(entities.unescape(_TAG.sub(" ", text[:20_000])))
        for seen in match_addresses(plain):
            yield HiddenEmail(seen.address, "noscript", plain[seen.start : seen.end])
        for spelled, weak in find_spelled_out(plain):
            if not weak:
                yield HiddenEmail(spelled.address, "noscript", plain[spelled.start : spelled.end])


def _by_style(doc: Document) -> Iterator[HiddenEmail]:
    """Text a style sheet of the page reverses, or letters between which filler is out of sight."""
    if "bidi-override" in doc.scan(OBFUSCATION):
        sheets = [sheet.text() for sheet in doc.tree.css("style")]
        reversing = {name for sheet in sheets for name in _classes_with(sheet, "bidi-override")}
        nodes = doc.tree.css(",".join(f".{name}" for name in sorted(reversing)[:20])) if reversing else []
        for node in nodes[:50]:
            text = one_line(node.text())
            yield from _decoded(text[::-1], "reversed", text)
    if has_broken_address(doc.html, doc.text):
        for address, text, seeming in repair_addresses(doc.tree):
            yield HiddenEmail(address, "filler", text, instead_of=seeming)


def _classes_with(sheet: str, word: str) -> Iterator[str]:
    """Classes that alone make up the selector of a rule in which a word occurs."""
    place = sheet.find(word)
    for _ in range(_MAX_RULES):
        if place < 0:
            return
        brace = sheet.rfind("{", max(0, place - 500), place)
        if brace >= 0 and "}" not in sheet[brace:place]:
            selector = re.split(r"[{};]", sheet[max(0, brace - 100) : brace])[-1]
            yield from (
                name.rpartition(".")[2] for name in selector.replace(",", " ").split() if _CLASS.match(name)
            )
        place = sheet.find(word, place + len(word))


def _decoded(text: str, method: str, quote: str) -> Iterator[HiddenEmail]:
    address = normalize_address(text.partition("?")[0]) if text else ""
    if address:
        yield HiddenEmail(address, method, quote[:300])
