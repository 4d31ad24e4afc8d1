"""The payload of `mailto:` and `tel:` links, without header injection behind a line break."""

from __future__ import annotations

import re

MAX_PAYLOAD = 10_000
_BREAK = r"\t\n\v\f\r\x85\u2028\u2029"
_RAW_BREAK = re.compile(f"[{_BREAK}]+")
# Percent-encoded, once or more often.
_ENCODED_BREAK = re.compile(r"(?:%(?:25)*(?:0[9a-d]|c2%(?:25)*85|e2%(?:25)*80%(?:25)*a[89]))+", re.IGNORECASE)
_OTHER_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|%(?:25)*(?:0[0-8ef]|1[0-9a-f]|7f)", re.IGNORECASE)
_HEADER = re.compile(r"\s*[a-z][a-z-]{1,40}\s*(?::|%3a)", re.IGNORECASE)
_SIGN = re.compile(r"@|%40")
_OPEN_LIST = re.compile(r"(?:[,;]|%2c|%3b)(?:\s|%20)*\Z", re.IGNORECASE)


def strip_injection(payload: str) -> str:
    """The payload, still percent-encoded, up to a line break that begins something else.

    Browsers drop raw line breaks, so a value broken by the layout is joined again. An encoded one reaches the
    mail program, which may read headers behind it. Other control characters make the whole value worthless.
    """
    payload = payload[:MAX_PAYLOAD].strip()
    if _OTHER_CONTROL.search(payload):
        return ""
    return _joined(_ENCODED_BREAK.split(_joined(_RAW_BREAK.split(payload), is_raw=True)), is_raw=False)


def _joined(pieces: list[str], *, is_raw: bool) -> str:
    value, *more = [piece for piece in pieces if piece.strip()] or [""]
    for piece in more:
        is_list = bool(_OPEN_LIST.search(value[-50:]))
        # The piece first: to search the growing value for every piece would take quadratic time.
        is_second = not is_raw or (_SIGN.search(piece) and _SIGN.search(value))
        if _HEADER.match(piece) or (is_second and not is_list):
            break
        value += piece
    return value
