"""Numbers in links: tel, callto, sms, fax, Skype, WhatsApp and Viber."""

from __future__ import annotations

import re
from urllib.parse import unquote

from scrapersky.extract.html.link_payloads import strip_injection
from scrapersky.extract.html.links import Link
from scrapersky.extract.phones.labels import find_label
from scrapersky.extract.phones.numbers import Number, read_number, readable_international

_SCHEME = re.compile(
    r"\s*(tel|callto|sms|fax|phone|skype|whatsapp|viber|telephone|mobile)\s*:/{0,2}(.*)", re.I | re.S
)
_WHATSAPP = re.compile(
    r"(?:wa\.me/(?:message/)?|(?:api\.|web\.|www\.)?whatsapp\.com/send/?\?(?:[^#]*&)?phone=|"
    r"whatsapp:/{0,2}send/?\?(?:[^#]*&)?phone=|"
    r"viber:/{0,2}(?:chat|add|pa)\?(?:number|chatURI)=)\+?([\d %+()-]{7,25})",
    re.I,
)


def read_link_number(link: Link, country: str | None) -> tuple[Number, str | None, str] | None:
    """The number a link leads to, the kind if it tells, and the method."""
    raw = link.raw
    lower = raw[:400].lower()
    if "whatsapp" in lower or "wa.me" in lower or "viber:" in lower:
        return _chat(unquote(raw[:400]), country)
    match = _SCHEME.match(raw[:200]) if ":" in raw[:30] else None
    if match is None:
        return None
    scheme, payload = match.group(1).lower(), unquote(strip_injection(match.group(2)))
    payload = re.split(r"[?&;](?!ext=)", payload, maxsplit=1)[0]
    number = read_number(payload, country) or _by_text(payload, link.text, country)
    if number is None:
        return None
    kind = "fax" if scheme == "fax" else None
    if scheme in ("tel", "callto") and find_label(link.text) == "fax":
        kind = "fax"
    return number, kind, "skype" if scheme == "skype" else "tel"


def _chat(raw: str, country: str | None) -> tuple[Number, str | None, str] | None:
    match = _WHATSAPP.search(raw)
    if match is None:
        return None
    digits = re.sub(r"\D", "", match.group(1)).removeprefix("00")
    number = readable_international(digits) or read_number(digits, country)
    return (number, "mobile", "whatsapp") if number else None


def _by_text(payload: str, text: str, country: str | None) -> Number | None:
    """A link whose own number is broken but whose text shows a good one that it was meant to be."""
    digits = re.sub(r"\D", "", payload)
    if len(digits) < 5 or len(text) > 60:
        return None
    number = read_number(text, country)
    return number if number and number.e164[-4:] == digits[-4:] else None
