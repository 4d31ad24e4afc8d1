"""Finds dates, times, years and their ranges among digits that may be phone numbers."""

from __future__ import annotations

import re

_D, _M, _Y = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])", r"(?:19|20)\d\d"
_TIME = r"(?:[01]?\d|2[0-4])(?::[0-5]\d(?::[0-5]\d)?|\.[0-5]\d)"
_DASH = r"\s?(?:[-–—/+&]|bis|to|till|until|au|al|do|t/m|til|till|a|–|und|and|et|e|y)\s?"
_WHOLE = (
    rf"{_D}\. ?{_M}\. ?(?:{_Y}|\d\d)|{_D}/{_M}/(?:{_Y}|\d\d)|{_D}-{_M}-(?:{_Y}|\d\d)|{_M}/{_D}/(?:{_Y}|\d\d)|"
    rf"{_M}-{_D}-{_Y}|{_Y}\.{_M}\.{_D}|{_Y}-{_M}-{_D}|{_Y}/{_M}/{_D}|{_D} {_M} {_Y}"
)
_SHORT = rf"{_D}\. ?{_M}\."
# A number begins neither behind a digit nor behind a digit and a joint, and ends the same way.
_BEFORE = r"(?<![\d+])(?<!\d[./-])"
_AFTER = rf"(?!\d)(?![./-]\d)(?! \d\d \d\d(?!\d))(?! (?!{_TIME}(?![.\d]))\d\d\.\d\d(?!\d))"
_RANGE = (
    rf"(?:{_WHOLE}|{_SHORT}|{_D}\.?(?={_DASH}{_D}\.)){_DASH}(?:{_WHOLE}){_AFTER}|(?:{_WHOLE}|{_SHORT}){_DASH}{_SHORT}(?!\d)|"
    rf"(?:{_WHOLE}){_AFTER}"
)
_CLOCK = rf"\s?(?:[-–,|·/T@]|um|at|kl\.?|à|alle|ore|o)?\s?{_TIME}(?:\s?[-–/]\s?{_TIME})?(?!\d)"
_SURE = re.compile(
    rf"{_BEFORE}(?:(?:{_RANGE})(?:{_CLOCK})?|{_TIME}\s?[-–]\s?{_TIME}(?!\d)(?![./-]\d)|"
    rf"(?:[01]?\d|2[0-4]):[0-5]\d(?!\d))",
    re.I,
)
_MONTH_YEAR = rf"{_M}[./-]{_Y}|{_Y}[./]{_M}"
# These are dates unless a word says that a phone number follows.
_LIKELY = re.compile(
    rf"{_BEFORE}(?:(?:{_MONTH_YEAR})(?:{_DASH}(?:{_MONTH_YEAR}))?(?!\d)(?![./-]\d)|"
    rf"{_Y}(?: ?[-–/] ?(?:{_Y}|\d\d)| {_Y})+(?!\d)(?![./-]\d)|"
    rf"(?:[01]\d|2[0-4])[0-5]\d ?[-–] ?(?:[01]\d|2[0-4])[0-5]\d(?!\d)(?![./ -]\d))",
    re.I,
)
_JOINTS = ("/", "-", "–", ".", ":", " ")
_REACH = 12


def date_spans(text: str, start: int, end: int, *, is_labelled: bool) -> list[tuple[int, int]]:
    """The dates and times within a stretch of digits and a little behind it, in their order."""
    if text[start] == "+":
        return []
    stretch = text[start : end + _REACH].partition("\n")[0]
    if not any(joint in stretch for joint in _JOINTS):
        return []
    limit = min(len(text), start + len(stretch))
    spans = [match.span() for match in _SURE.finditer(text, start, limit) if match.start() < end]
    if not is_labelled:
        likely = [match.span() for match in _LIKELY.finditer(text, start, limit) if match.start() < end]
        spans += [span for span in likely if not any(a < span[1] and span[0] < b for a, b in spans)]
    return sorted(spans)
