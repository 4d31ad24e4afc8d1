"""Reads one written number: variants with (0), 00 and extensions; made-up numbers are refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import phonenumbers

_EXTENSION = re.compile(
    r"[\s,;(]*(?:ext(?:ension|n)?|x|durchwahl|dw|int(?:erno)?|poste|ramal|anexo|wew|linka|mellék|klapka|"
    r"вн|доб)"
    r"\.?\s*:?\s*(\d{1,6})\)?\s*\Z|;ext=(\d{1,6})\Z",
    re.I,
)
_NO_DIGIT = re.compile(r"[^\d+]")
_LETTER = re.compile(r"[^\W\d_]")
_TRUNK = re.compile(r"[(\[]\s*0\s*[)\]]")
_MADE_UP = re.compile(
    r"(\d)\1{6,}|0{6,}|12340{2,}|0?123456789?0?|1234567|2345678|9876543|(\d\d)\2{3,}|(\d{3})\3{2,}"
)
_FULL_WIDTH = str.maketrans(
    "０１２３４５６７８９＋（）－．／　٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "0123456789+()-./ 01234567890123456789"
)
_OTHER_DIGITS = "０１２３４５６７８９＋（٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹"
_LONGEST = 16  # E.164: fifteen digits after the plus sign; some national plans would allow more.
_KEEPS_ZERO = ("+39", "0039")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that exists in its country's plan; `type` is libphonenumber's."""

    e164: str
    country: str | None
    type: int
    extension: str | None = None


def ascii_digits(text: str) -> str:
    """The text with full-width and Arabic digits as plain ones; its length stays."""
    if text.isascii() or not any(map(text.__contains__, _OTHER_DIGITS)):
        return text
    return text.translate(_FULL_WIDTH)


def read_number(written: str, country: str | None) -> Number | None:
    """The number somebody wrote, read in the country's way; None when there is no such number."""
    written = ascii_digits(written).strip()[:80]
    extension = None
    ending = _EXTENSION.search(written) if _LETTER.search(written) else None
    if ending:
        extension = ending.group(1) or ending.group(2)
        written = written[: ending.start()]
    prefixed = written.lstrip("( ").startswith(("+", "00"))
    if prefixed and _TRUNK.search(written):
        written = _TRUNK.sub("0" if written.lstrip("( ").startswith(_KEEPS_ZERO) else " ", written, count=1)
    number = _number(_NO_DIGIT.sub("", written), country)
    return Number(number.e164, number.country, number.type, extension) if number and extension else number


@lru_cache(maxsize=8_192)
def _number(digits: str, country: str | None) -> Number | None:
    """Try it as it stands, with 00 as a plus sign, and as the country writes it."""
    digits = digits[:1] + digits[1:].replace("+", "")
    if not 6 <= len(digits) <= 17:
        return None
    if digits.startswith("+0"):
        return (
            _number(digits.lstrip("+").removeprefix("0"), country)
            if digits[:3] != "+00"
            else _number("+" + digits[3:], country)
        )
    if digits.startswith("+"):
        return _valid(digits, None)
    if digits.startswith("00"):
        number = _valid("+" + digits[2:], None)
        if number:
            return number
    number = _valid(digits, country) if country else None
    if number is None and country and len(digits) >= 10 and not digits.startswith("0"):
        code = str(phonenumbers.country_code_for_region(country))
        number = _valid("+" + digits, None) if digits.startswith(code) and code != "0" else None
    return number


def _valid(digits: str, country: str | None) -> Number | None:
    try:
        parsed = phonenumbers.parse(digits, country)
    except phonenumbers.NumberParseException:
        return None
    # A number is valid exactly when its type is known; asking once spares half of the work.
    kind = phonenumbers.number_type(parsed)
    if kind == phonenumbers.PhoneNumberType.UNKNOWN or is_made_up(str(parsed.national_number)):
        return None
    e164 = f"+{parsed.country_code}{phonenumbers.national_significant_number(parsed)}"
    if len(e164) > _LONGEST:
        return None
    return Number(e164, phonenumbers.region_code_for_number(parsed), kind)


def is_made_up(national: str) -> bool:
    """Whether the digits are a row, one digit repeated or a number kept for films."""
    if _MADE_UP.search(national):
        return True
    return len(national) == 10 and national[3:8] == "55501"


def readable_international(digits: str) -> Number | None:
    """A number written with its country code but without a plus sign, as chat links have it."""
    return _valid("+" + digits, None) if 8 <= len(digits) <= 15 else None
