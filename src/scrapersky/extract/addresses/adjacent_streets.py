"""The street around a postcode and its city: before or after them, on their line or another."""

import re
from typing import NamedTuple

from scrapersky.extract.addresses.postcodes import CANDIDATE, Postcodes
from scrapersky.extract.addresses.streets import (
    LONGEST_STREET,
    NUMBER,
    StreetLikeness,
    begins_with_street_word,
    has_box,
    is_label,
    is_organisation,
    is_placeholder_address,
    is_unit,
    is_unit_first,
    lower_words,
    rate_street,
    strip_label,
)
from scrapersky.extract.addresses.vocabulary import FAINT_WORDS, STREET_WORDS
from scrapersky.extract.html.line_index import TextLine

_MOST_LINES_ABOVE = 4
_LONGEST_LINE = 120
_STRONG_JOINT = re.compile(
    r"\s*[|·•●▪;\t]\s*|\s{3,}|(?<=[a-zà-ž]{4})\. (?=[A-ZÀ-Ž])|(?<=\d{6})\s+(?=[A-ZÀ-Ž])"
)
_BAR = re.compile(r"\s*[|·•]\s*")
_COMMA = re.compile(r"[,،，、]\s*|\s+[–—-]\s+")
_ONLY_NUMBER = re.compile(
    r"(?:n[°ºo]\.? ?|nr\.? ?|д\. ?|№ ?)?\d{1,5}(?: ?(?:bis|ter)\b| ?[a-zA-Zа-яА-Я]?\b)(?! ?[^\W\d_]{2})",
    re.IGNORECASE,
)
TRIM = " ,;:.-–—|·•(\t"
_PARTICLES_TEXT = """
der die das den dem am an im in zum zur de la le les du des del della di van von het ter ten los las el à
au aux da do dos od do na u i och og y of the for al bin
"""
_PARTICLES = frozenset(_PARTICLES_TEXT.split())


class Span(NamedTuple):
    """A piece of the page's text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def find_street_before(line: TextLine, end: int, rules: Postcodes) -> tuple[Span, float] | None:
    """The street that ends where the postcode or the city begins, on the same line."""
    begin = max(0, end - LONGEST_STREET)
    left = line.text[begin:end].rstrip(TRIM)
    joints = [m.end() for m in _STRONG_JOINT.finditer(left)]
    cut = joints[-1] if joints else 0
    cut += strip_label(left[cut:])[1]
    piece = left[cut:]
    if not piece:
        return None
    start = line.start + begin + cut
    return _last_street(piece, start, rules) or _worded(piece, start, rules) or _beyond_bar(line, begin, end)


def _last_street(piece: str, begin: int, rules: Postcodes) -> tuple[Span, float] | None:
    """The shortest end of a piece that is a street, with the pieces before that belong to it."""
    starts = [0, *(m.end() for m in _COMMA.finditer(piece))]
    for position in reversed(range(len(starts))):
        tail = piece[starts[position] :]
        street, *units = _COMMA.split(tail)
        if not units or not all(map(is_unit, units)):
            street = tail
        likeness = max(rate_street(tail), rate_street(street))
        if likeness < StreetLikeness.SHAPE or is_unit(street) or is_placeholder_address(tail):
            continue
        position = _with_name(piece, starts, position)
        if has_box(tail):
            position = _beside_box(piece, starts, position)
        start = starts[_widened(piece, starts, position)] if rules.order == "after" else starts[position]
        start += _sentence_offset(piece[start:])
        street = piece[start:]
        return Span(street, begin + start), 0.9 if likeness is StreetLikeness.FULL else 0.75
    return None


def _with_name(piece: str, starts: list[int], position: int) -> int:
    """Where the street begins whose house number, block or flat stands behind a comma."""
    if not position or not (
        _ONLY_NUMBER.match(piece, starts[position]) or is_unit_first(piece[starts[position] :])
    ):
        return position
    for earlier in range(position - 1, max(-1, position - 4), -1):
        before = piece[starts[earlier] : starts[earlier + 1]].rstrip(", -–—")
        if begins_with_street_word(before) or rate_street(before) >= StreetLikeness.WORD:
            return earlier
        if not (_ONLY_NUMBER.match(before) or is_unit_first(before)):
            break
    return position - 1 if _ONLY_NUMBER.match(piece, starts[position]) else position


def _beside_box(piece: str, starts: list[int], position: int) -> int:
    """Where the street begins that stands before a post-office box: mail goes to one, people to the other."""
    for earlier in range(position - 1, max(-1, position - 3), -1):
        before = piece[starts[earlier] : starts[earlier + 1]].rstrip(", -–—")
        if rate_street(before) is StreetLikeness.FULL and not is_placeholder_address(before):
            return earlier
    return position


def _beyond_bar(line: TextLine, begin: int, end: int) -> tuple[Span, float] | None:
    """The street of a footer such as "Street 5, Quarter | City | Code", one bar before the city."""
    left = line.text[begin:end]
    bars = list(_BAR.finditer(left))
    if not bars or NUMBER.search(left, bars[-1].end()):
        return None
    first = bars[-2].end() if len(bars) > 1 else 0
    first += strip_label(left[first : bars[-1].start()])[1]
    street = left[first : bars[-1].start()].strip(" ,")
    if rate_street(street.partition(",")[0]) < StreetLikeness.SHAPE or is_placeholder_address(street):
        return None
    return Span(street, line.start + begin + first), 0.75


def _worded(piece: str, start: int, rules: Postcodes) -> tuple[Span, float] | None:
    """A street without a number: where numbers are often left out, or when its word comes first."""
    last = [0, *(m.end() for m in _COMMA.finditer(piece))][-1] if rules.order != "after" else 0
    street = piece[last:]
    words = lower_words(street)
    if not 1 < len(words) <= 8 or is_placeholder_address(street) or is_organisation(street):
        return None
    if not begins_with_street_word(street) and (
        rules.order != "after" or rate_street(street) is not StreetLikeness.WORD
    ):
        return None
    offset = _sentence_offset(street)
    return Span(street[offset:], start + last + offset), 0.6


def _widened(piece: str, starts: list[int], position: int) -> int:
    """Take in the pieces before a street that belong to it: the building, the plot, the floor."""
    first = position
    for earlier in range(position - 1, max(-1, position - 5), -1):
        before = piece[starts[earlier] : starts[earlier + 1]].rstrip(", -–—")
        if is_organisation(before) or len(before) > 40:
            break
        if NUMBER.search(before) or is_unit(before) or rate_street(before):
            first = earlier
    return first


def _sentence_offset(piece: str) -> int:
    """Where the street begins in a piece of a sentence; 0 when the piece is not a sentence."""
    words = [(m.start(), m.group()) for m in re.finditer(r"\S+", piece)]
    foreign = [i for i, (_, word) in enumerate(words) if word[0].islower() and not _belongs(word)]
    if not foreign:
        return 0
    first = foreign[-1] + 1
    while first < len(words) - 1 and words[first][1].casefold() in _PARTICLES:
        first += 1
    if first < len(words) and rate_street(piece[words[first][0] :]) >= StreetLikeness.SHAPE:
        return words[first][0]
    return 0


def _belongs(word: str) -> bool:
    folded = word.casefold().strip(",.;:()")
    return (
        folded in _PARTICLES
        or folded in STREET_WORDS
        or any(c.isdigit() for c in word)
        or len(folded) <= 1
        or rate_street(word + " 1") == 3
    )


def find_street_after(line: TextLine, start: int) -> tuple[Span, float] | None:
    """The street that follows the city on the same line."""
    right = line.text[start : start + LONGEST_STREET]
    joint = _STRONG_JOINT.search(right.lstrip(TRIM + ")"))
    begin = len(right) - len(right.lstrip(TRIM + ")"))
    piece = right[begin : begin + joint.start() if joint else None].rstrip(" ,;-–")
    ends = [m.start() for m in _COMMA.finditer(piece)] + [len(piece)]
    for end in ends[:3]:
        if rate_street(piece[:end]) is StreetLikeness.FULL and lower_words(piece[:end]):
            return Span(piece[:end], line.start + start + begin), 0.85
    return None


def find_street_above(lines: list[TextLine], number: int, rules: Postcodes) -> tuple[Span, float] | None:
    """The street on the lines above a postcode and its city."""
    nearest = range(number - 1, max(-1, number - 1 - _MOST_LINES_ABOVE), -1)
    for skipped, above in enumerate(nearest):
        line = lines[above]
        if not is_near(lines, above, above + 1) or _ends_block(line.text):
            break
        text, cut = strip_label(line.text)
        text = text.rstrip(TRIM.replace(".", ""))
        likeness = _likeness(text)
        if is_placeholder_address(text):
            return None
        is_street = likeness >= StreetLikeness.SHAPE or (
            likeness is StreetLikeness.WORD and (rules.order == "after" or skipped == 0)
        )
        if likeness is StreetLikeness.WORD and rules.country in ("GB", "IE"):
            is_street = not STREET_WORDS.isdisjoint(lower_words(text))
        if rules.country in ("GB", "IE") and not is_street:
            is_street = above + 1 != number and _is_lane(text) and line.block == lines[number].block
        if is_street and not (
            is_unit(text) and above > 0 and rate_street(lines[above - 1].text) >= StreetLikeness.SHAPE
        ):
            first = _first_line(lines, above, rules)
            if has_box(text) and first == above and _is_street_line(lines, above - 1):
                first = above - 1
            return _span(lines, first, above, text, cut), 0.9 if likeness is StreetLikeness.FULL else 0.8
        if is_organisation(text) or skipped > 1:
            break
    return _hamlet(lines, number, rules)


def _is_street_line(lines: list[TextLine], number: int) -> bool:
    """Whether a line is a street right above the line of a post-office box."""
    if number < 0 or not is_near(lines, number, number + 1):
        return False
    text = strip_label(lines[number].text)[0]
    return _likeness(text) is StreetLikeness.FULL and not has_box(text) and not is_organisation(text)


def _is_lane(text: str) -> bool:
    """Whether a short line is a lane without house numbers, as "North Walk" and "Mill Close" are."""
    words = lower_words(text)
    is_name = 1 < len(words) <= 3 and len(text) <= 30 and text.replace(" ", "").isalpha()
    return is_name and text.istitle() and words[-1] in FAINT_WORDS and len(words[-1]) > 2


def _likeness(text: str) -> StreetLikeness:
    """How much a line or the last part of it looks like a street: "Somerset Wing, 140 Strand"."""
    whole = rate_street(text)
    if whole >= StreetLikeness.SHAPE or "," not in text:
        return whole
    last = text.rpartition(",")[2].strip()
    return max(whole, rate_street(last)) if last[:1].isdigit() else whole


def _first_line(lines: list[TextLine], above: int, rules: Postcodes) -> int:
    """The first of the lines that belong to the street."""
    first = above
    while rules.order == "after" and first > 0 and above - first < 3:
        text = strip_label(lines[first - 1].text)[0]
        if not is_near(lines, first - 1, first) or _ends_block(text) or is_organisation(text):
            break
        if rate_street(text.rstrip(", ")) < StreetLikeness.SHAPE and not (
            text.endswith(",") and NUMBER.search(text)
        ):
            break
        first -= 1
    return first


def _span(lines: list[TextLine], first: int, last: int, text: str, cut: int) -> Span:
    if first == last:
        return Span(text, lines[last].start + cut)
    head, head_cut = strip_label(lines[first].text)
    between = [lines[i].text for i in range(first + 1, last)]
    joined = ", ".join(part.strip(" ,") for part in (head, *between, text))
    return Span(joined, lines[first].start + head_cut)


def _hamlet(lines: list[TextLine], number: int, rules: Postcodes) -> tuple[Span, float] | None:
    """A place without streets: its bare name stands where the street would be."""
    if number < 2 or rules.order != "before" or lines[number - 1].block != lines[number].block:
        return None
    line = lines[number - 1]
    words = line.text.split()
    if lines[number - 2].block != line.block or not 1 <= len(words) <= 3 or len(line.text) > 40:
        return None
    if not all(word[0].isupper() and word.strip(".-").isalpha() for word in words):
        return None
    if is_organisation(line.text) or is_label(line.text) or line.text.isupper():
        return None
    return Span(line.text, line.start), 0.5


def find_street_below(lines: list[TextLine], number: int, rules: Postcodes) -> tuple[Span, float] | None:
    """The street on the line below, where the city is written first."""
    if number + 1 >= len(lines) or not is_near(lines, number, number + 1):
        return None
    line = lines[number + 1]
    if rate_street(line.text) is not StreetLikeness.FULL:
        return None
    if any(code.lastgroup in rules.shapes for code in CANDIDATE.finditer(line.text)):
        return None
    if number + 2 < len(lines) and CANDIDATE.match(lines[number + 2].text):
        return None
    return Span(line.text, line.start), 0.7


def is_near(lines: list[TextLine], first: int, second: int) -> bool:
    """Whether two neighbouring lines may belong together."""
    return lines[second].block - lines[first].block <= 1 and len(lines[first].text) <= _LONGEST_LINE


def _ends_block(text: str) -> bool:
    """Whether a line closes the address above it: a label, a number to call, a mail address."""
    return (
        "@" in text
        or text.endswith(":")
        or is_label(text)
        or bool(re.search(r"\d{3}[ ./-]?\d{3}[ .-]?\d{2}|https?:|www\.", text))
    )
