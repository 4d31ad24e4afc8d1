"""Numbers in the text of a page: candidates by one pattern, then judged by shape and by the words"
" around."""

from __future__ import annotations

import re
from collections.abc import Iterator

import phonenumbers

from scrapersky.extract.html.line_index import DigitIndex
from scrapersky.extract.phones.date_spans import date_spans
from scrapersky.extract.phones.labels import (
    belongs_to_other,
    find_label,
    find_labels,
    is_amount,
    is_vague_label,
    names_other,
)
from scrapersky.extract.phones.numbers import Number, ascii_digits, is_made_up, read_number
from scrapersky.extract.results import Evidence
from scrapersky.extract.text.cleanup import line_before

MAX_CANDIDATES = 3_000
_CANDIDATE = re.compile(r"\d(?:[ ().\-/–‐‑·•\[\]]{0,4}\d){5,32}\)?")
_EXTENSION_AFTER = re.compile(
    r"[\s,;(]{0,3}(?:ext(?:ension|n)?|x|durchwahl|dw|interno|int|poste|ramal|anexo|wew|linka|"
    r"mellék)\.?\s?:?\s?(\d{1,6})\b",
    re.I,
)
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}\Z")
# Decimals and coordinates, taxpayers and firms of Brazil, ISBN, versions, years one after another.
_OTHER_SHAPE = re.compile(
    r"\(?-?\d{1,3}\.\d{4,}(?:[ /-]{1,3}\d{1,3}\.\d{4,})*\)?\Z|"
    r"\d{2}\.?\d{3}\.?\d{3}/\d{4}-\d{2}|\d{3}\.\d{3}\.\d{3}-\d{2}\Z|"
    r"97[89][- ]?\d[\d -]{8,13}\Z|[1-9]\d?\.\d{1,2}\.\d{1,5}\.\d{3,6}\Z"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[. ]\d{3}){2,}\Z")
_NORTH_AMERICAN = re.compile(r"(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\Z")
_WITH_AREA = re.compile(r"\(\d{2,5}\) ?\d{1,5}[-. ]\d{2,4}")
_LIST = re.compile(r"\s?[/|•·]\s?|\s[-–]\s")
_NO_TRUNK = frozenset((
    "ES", "PT", "IT", "PL", "CZ", "GR", "NO", "DK", "LU", "EE", "LV", "MT", "CY", "SG", "HK", "SN",
    "UY", "CR", "PA", "GT", "HN", "SV", "NI", "PY", "BO", "EC", "SK", "IS", "TN", "CI", "CM",
))  # fmt: skip
_GROUPED = re.compile(r"\d{2,4}(?:[ .-]\d{2,4}){2,4}\Z")
_LABEL_AFTER = re.compile(r"\s?\(([^()\n]{2,12})\)")
_NOT_DIGIT = re.compile(r"\D")
_WINDOW = 45
_MAX_GROUPS = 14
_SHORT_NUMBERS = frozenset(("IS", "LU", "MT", "DK", "NO", "BN", "MV", "AD", "SM"))
_SHARED_LABEL = re.compile(r"[/&+]|\b(?:und|and|et|e|y|i)\b", re.I)
_CONTINUED = re.compile(r"[\s,;/|&+()–-]*(?:(?:or|oder|ou|o|e|und|and|et|y|i|och|lub|nebo|és|a)\s*)?", re.I)


def find_text_numbers(
    text: str, digits: DigitIndex, country: str | None
) -> Iterator[tuple[Number, str | None, Evidence]]:
    """Every number of the text, with the kind its label names."""
    places = digits.places
    plain = ascii_digits(text) if places and _may_be_foreign(text, places) else text
    end_before = 0
    label_before: str | None = None
    for count, match in enumerate(_candidates(plain, digits.runs)):
        if count >= MAX_CANDIDATES:
            return
        start, end = _opened(plain, match.start()), match.end()
        if not _is_worth_reading(plain[start:end], country):
            continue
        before = plain[max(end_before, start - _WINDOW) : start]
        label = _label(plain, start, end, before, label_before if end_before else None)
        for begin, stop in _stretches(plain, start, end, label, before):
            for number, first, last in _judged(plain, begin, stop, label, country):
                method = "text" if label or plain[first] == "+" else "unlabelled"
                yield number, label, Evidence(method, text[first:last], first)
                label_before, end_before = label, end
        if end_before != end:
            label_before = None if "\n" in before else label_before


def _stretches(text: str, start: int, end: int, label: str | None, before: str) -> Iterator[tuple[int, int]]:
    """What a candidate holds beside dates and times."""
    is_labelled = label is not None and not is_vague_label(before)
    spans = date_spans(text, start, end, is_labelled=is_labelled)
    if not spans:
        yield start, end
        return
    for first, last in zip([start, *(span[1] for span in spans)], [*(s[0] for s in spans), end], strict=True):
        for match in _CANDIDATE.finditer(text, first, max(first, last)):
            yield _opened(text, match.start()), match.end()


def _may_be_foreign(text: str, digits: list[int]) -> bool:
    """Whether digits, or the signs before a number, may be of another script."""
    return "＋" in text or "（" in text or max(map(text.__getitem__, digits)) > "9"


def _candidates(text: str, runs: list[int]) -> Iterator[re.Match[str]]:
    """What is shaped like a number; it begins with a run of digits, or where the one before broke it off."""
    end = -1
    for place in runs:
        match = _CANDIDATE.match(text, place) if place >= end else None
        while match is not None:
            yield match
            end = match.end()
            match = _CANDIDATE.match(text, end) if text[end : end + 1].isdecimal() else None


def _opened(text: str, start: int) -> int:
    """Where a number begins whose first digit is known: a plus sign or a bracket may stand before it."""
    if text[start - 1 : start] == "+":
        start -= 1
    return start - 1 if start and text[start - 1] in "([" else start


def _is_worth_reading(written: str, country: str | None) -> bool:
    """A cheap test before the words around are looked at: can it be a number, or a list of some."""
    if len(written) < 7 and country not in _SHORT_NUMBERS:
        return False
    if _LIST.search(written) or written.count(" ") > 3 or len(written) > 17:
        return True
    return read_number(written, country) is not None


def _label(text: str, start: int, end: int, before: str, label_before: str | None) -> str | None:
    """The kind that words name before a number on its line, behind it, or on the line above."""
    line = before.rpartition("\n")[2]
    own = find_label(line)
    after = _LABEL_AFTER.match(text, end, end + 16) if "(" in text[end : end + 2] else None
    if after and find_label(after.group(1)):
        return find_label(after.group(1))
    if own:
        is_shared = _SHARED_LABEL.search(line) and {"fax", "phone"} == set(find_labels(line)[-2:])
        return "phone" if is_shared else own
    if label_before and _CONTINUED.fullmatch(line):
        return label_before
    above = before.rpartition("\n")[0] if "\n" in before else ""
    if above and not line.strip(" :.\t-–|("):
        last = above.rstrip().rpartition("\n")[2]
        if len(last) <= 30 and not any(character.isdigit() for character in last):
            return find_label(last)
    return None


def _judged(
    text: str, start: int, end: int, label: str | None, country: str | None
) -> Iterator[tuple[Number, int, int]]:
    """The numbers within a candidate: it as a whole, or the parts of a list."""
    written = text[start:end]
    if _is_other(text, start, end, written, label):
        return
    extension = _EXTENSION_AFTER.match(text, end, end + 25)
    whole = read_number(written + (f" x{extension.group(1)}" if extension else ""), country)
    if whole is not None:
        if label or _looks_like_phone(whole, written, country, text, start, end):
            yield whole, start, end
        return
    # Of a number that was made up no part is one either.
    if not is_made_up(_NOT_DIGIT.sub("", written)[-10:]):
        yield from _parts(written, start, label, country)


def _parts(
    written: str, start: int, label: str | None, country: str | None
) -> Iterator[tuple[Number, int, int]]:
    """Numbers of a list such as `044 123 45 67 / 68` or two numbers with only a blank between."""
    place = 0
    last: Number | None = None
    is_taken = False
    for piece in _LIST.split(written):
        offset = written.index(piece, place)
        place = offset + len(piece)
        number = read_number(piece, country)
        digits = _NOT_DIGIT.sub("", piece)
        continued = number is None and last is not None and is_taken and 1 <= len(digits) <= 4
        if continued and last is not None:
            number = read_number(last.e164[: -len(digits)] + digits, country)
        if number is not None:
            last = number
            is_taken = bool(label) or continued or piece.lstrip("(").startswith(("+", "0"))
            if is_taken:
                yield number, start + offset, start + place
    if last is None:
        yield from _runs(written, start, label, country)


def _runs(
    written: str, start: int, label: str | None, country: str | None
) -> Iterator[tuple[Number, int, int]]:
    """The longest good numbers among groups of digits that run into each other."""
    groups = list(re.finditer(r"[+(]{0,2}\d[\d()./-]*", written))
    if len(groups) > _MAX_GROUPS:
        return
    at = 0
    while at < len(groups):
        for upto in range(min(len(groups), at + 7), at, -1):
            first, last = groups[at].start(), groups[upto - 1].end()
            piece = written[first:last]
            number = read_number(piece, country) if upto - at < len(groups) else None
            if number is not None and (
                label or piece.startswith("+") or (piece.startswith("0") and " " in piece)
            ):
                yield number, start + first, start + last
                at = upto - 1
                break
        at += 1


def _is_other(text: str, start: int, end: int, written: str, label: str | None) -> bool:
    """Whether the shape or the words around say that this is not a phone number."""
    left = text[start - 1 : start]
    if (left and (left.isalpha() or left in "_#=&@")) and not written.startswith("+") and not label:
        return True
    if text[end : end + 1].isalpha() and not label and text[end : end + 1].isascii():
        return True
    before, after = text[max(0, start - 40) : start].rpartition("\n")[2], text[end : end + 12]
    if names_other(before) and not written.startswith("+"):
        return True
    if not label and not written.startswith("+") and _is_named_afar(text, start, before):
        return True
    if is_amount(before, after) and not written.startswith(("+", "00")) and label is None:
        return True
    if left and left in ",.:-/" and text[start - 2 : start - 1].isdigit() and not label:
        return True
    if written.startswith("+"):
        return False
    if _IP.match(written) and not label:
        return True
    return not label and _OTHER_SHAPE.match(written) is not None


def _is_named_afar(text: str, start: int, before: str) -> bool:
    """Whether a word some way before the number, or the line above it, says that it is something else."""
    if belongs_to_other(before):
        return True
    if before.strip(" \t:") or not start:
        return False
    above = line_before(text, start - len(before) - 1) if start > len(before) else ""
    return len(above) <= 40 and names_other(above.rstrip())


def _looks_like_phone(
    number: Number, written: str, country: str | None, text: str, start: int, end: int
) -> bool:
    """Whether a number without a label is written as only phone numbers are."""
    if written.startswith(("+", "(+", "00")):
        return True
    digits = _NOT_DIGIT.sub("", written)
    if country in ("US", "CA"):
        return bool(_NORTH_AMERICAN.match(written))
    if digits == written:
        return len(digits) >= 10 and digits.startswith("0") and _alone(text, start, end)
    if written.startswith("(0") or _WITH_AREA.match(written) or (digits.startswith("0") and len(digits) >= 9):
        return True
    if not _GROUPED.match(written):
        return False
    if country in _NO_TRUNK and len(digits) >= 9 and not _THOUSANDS.match(written):
        return True
    is_usual = country in _NO_TRUNK or number.type == phonenumbers.PhoneNumberType.MOBILE
    return is_usual and _alone(text, start, end)


def _alone(text: str, start: int, end: int) -> bool:
    """Whether the number has its line or cell to itself."""
    before = text[max(0, start - 20) : start].replace("\t", "\n").rpartition("\n")[2]
    after = text[end : end + 20].replace("\t", "\n").partition("\n")[0]
    return len(before.strip(" :.-–|(")) == 0 and len(after.strip(" .,-–|)")) == 0
