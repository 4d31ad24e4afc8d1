"""Decodes the ciphers that content management systems hide mail addresses with."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from urllib.parse import unquote

from scrapersky.extract.emails.javascript import unescape_javascript

_TYPO3_RANGES = ((0x2B, 0x3A), (0x40, 0x5A), (0x61, 0x7A))
_MAX_CIPHER = 2_000
_HEX = re.compile(r"[0-9a-fA-F]{6,1000}\Z")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{3,1000}={0,2}\Z")
_KODE = re.compile(r"kode\s*=\s*\\*\"", re.I)
# A long text is wrapped: its pieces are joined by plus signs.
_CONTINUED = re.compile(r'"\s*\+\s*"')
_SHIFT = re.compile(r"charCodeAt\(\w\)\s*([-+])\s*(\d{1,2})")
_MAX_LAYERS = 30
_NUMBERED = re.compile(
    r"""var ml=["']((?:[^"'\\]|\\.){1,500})["'],\s?mi=["']((?:[^"'\\]|\\.){1,3000})["'],\s?o="""
)


def decode_cloudflare(cipher: str) -> str:
    """The first byte is the key, the rest is combined with it; empty when it is not such a cipher."""
    if not _HEX.match(cipher) or len(cipher) % 2:
        return ""
    key, *codes = bytes.fromhex(cipher)
    return bytes(code ^ key for code in codes).decode("utf-8", "ignore")


def decode_typo3(cipher: str) -> str:
    """A shift of letters within three ranges; the distance is address by the word it must begin with."""
    cipher = cipher[:_MAX_CIPHER]
    for distance in (*range(1, 27), *range(-26, 0)):
        if _shifted(cipher[:7], distance) == "mailto:":
            return _shifted(cipher, distance)[7:]
    return ""


def _shifted(text: str, distance: int) -> str:
    return "".join(_shifted_character(ord(character), distance) for character in text)


def _shifted_character(code: int, distance: int) -> str:
    for first, last in _TYPO3_RANGES:
        if first <= code <= last:
            return chr(first + (code - first + distance) % (last - first + 1))
    return chr(code)


def decode_shift(cipher: str) -> str:
    """Every character moved by the same number of places, again address by the word it must begin with."""
    if len(cipher) < 12:
        return ""
    distance = ord("m") - ord(cipher[0])
    if not distance:
        return ""
    codes = [ord(character) + distance for character in cipher[:_MAX_CIPHER]]
    if min(codes) <= 0 or max(codes) >= 0x3000:
        return ""
    plain = "".join(map(chr, codes))
    return plain[7:] if plain.startswith("mailto:") else ""


def decode_pairs(cipher: str) -> str:
    """Every character with the distance it was moved by before it, as a digit; empty when it is not so."""
    if len(cipher) < 12 or len(cipher) % 2 or not (cipher[::2].isdigit() and cipher[::2].isascii()):
        return ""
    codes = [ord(moved) - int(by) for by, moved in zip(cipher[::2], cipher[1::2], strict=True)]
    plain = "".join(map(chr, codes[:_MAX_CIPHER])) if min(codes) > 0 else ""
    return plain.removeprefix("mailto:") if plain.isascii() and plain.isprintable() else ""


def decode_numbered(script: str) -> str:
    """The text of a script that holds an alphabet and, as characters from "0" on, the places in it."""
    match = _NUMBERED.search(script)
    if match is None:
        return ""
    alphabet, places = map(unescape_javascript, match.groups())
    numbers = [ord(character) - ord("0") for character in places]
    if not numbers or min(numbers) < 0 or max(numbers) >= len(alphabet):
        return ""
    return unquote("".join([alphabet[number] for number in numbers]))


def decode_hex(cipher: str) -> str:
    """The text behind pairs of hexadecimal digits, if there is readable text behind them."""
    if not _HEX.match(cipher) or len(cipher) % 2:
        return ""
    plain = bytes.fromhex(cipher).decode("ascii", "replace")
    return plain if plain.isprintable() else ""


def rot13(text: str) -> str:
    """Letters moved by half the alphabet."""
    return codecs.encode(text, "rot13")


def decode_base64(text: str) -> str:
    """The text behind base64, if there is readable text behind it."""
    text = text.strip()
    if not _BASE64.match(text):
        return ""
    try:
        plain = base64.b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_" if "-" in text or "_" in text else None
        )
        decoded = plain.decode("ascii")
    except (binascii.Error, ValueError):
        return ""
    return decoded if decoded.isprintable() else ""


def decode_enkoder(script: str) -> str:
    """What an enkoder script writes in the end: strings within strings, each with its own small change."""
    start = _KODE.search(script)
    if start is None:
        return ""
    layer = script[start.start() : start.start() + 20_000]
    for _ in range(_MAX_LAYERS):
        literal, rest = _kode_literal(layer)
        if not literal:
            return layer
        layer = _unlayered(literal, rest)
        if "document.write" in layer and not _KODE.match(layer):
            return unescape_javascript(layer)
    return ""


def _kode_literal(layer: str) -> tuple[str, str]:
    """The quoted text that is assigned to the variable, and the code after it."""
    start = _KODE.search(layer)
    if start is None:
        return "", ""
    literal, place = "", start.end()
    while True:
        begin = place
        while place < len(layer) and layer[place] != '"':
            place += 2 if layer[place] == "\\" else 1
        literal += layer[begin:place]
        more = _CONTINUED.match(layer, place)
        if more is None:
            return unescape_javascript(literal), layer[place + 1 :]
        place = more.end()


def _unlayered(text: str, code: str) -> str:
    """Undo one layer as the code after it would."""
    code = code[:400]
    if "reverse()" in code:
        return text[::-1]
    shift = _SHIFT.search(code)
    if shift:
        distance = int(shift.group(2)) * (1 if shift.group(1) == "+" else -1)
        return "".join(chr((ord(character) + distance) % 128) for character in text)
    if "charAt(i+1)" in code.replace(" ", ""):
        swapped = "".join([text[at + 1] + text[at] for at in range(0, len(text) - 1, 2)])
        return swapped + (text[-1] if len(text) % 2 else "")
    return text
