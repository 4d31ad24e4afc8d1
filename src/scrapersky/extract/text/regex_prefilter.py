"""A fast RE2 test that rules out texts which a slower regular expression cannot match."""

from __future__ import annotations

import re
from collections.abc import Callable

import re2

_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
# RE2 knows the letters of ASCII alone by these names; the longer ones know those of all scripts.
_LETTERS = {
    r"\w": r"\pL\pM\pN_",
    r"\d": r"\p{Nd}",
    r"\s": r"\s\pZ\x{85}\x{1c}-\x{1f}",
}
_ANY_LETTER = r"[^\W\d_]"
# Ignoring case, Python takes both Turkish letters for an i; RE2 does not.
_TURKISH = {ord("İ"): "i", ord("ı"): "i"}


def prefilter(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    """A test that lets through every text in which the pattern is found, and few others, in a fixed time.

    Look-arounds and word boundaries are left out, so the pattern itself has the last word.
    """
    options = re2.Options()
    options.case_sensitive = not pattern.flags & re.IGNORECASE
    options.log_errors = False
    # A set of one pattern answers yes or no without working out where.
    quick = re2.Set.SearchSet(options)
    quick.Add(to_re2(pattern.pattern))
    quick.Compile()
    if options.case_sensitive:
        return lambda text: bool(quick.Match(text))
    return lambda text: bool(
        quick.Match(text) or (("İ" in text or "ı" in text) and quick.Match(text.translate(_TURKISH)))
    )


def to_re2(pattern: str) -> str:
    """The pattern in the words of RE2, letting through at least what it did."""
    wide, place, in_class = "", 0, False
    while place < len(pattern):
        if not in_class and pattern.startswith(_LOOKS, place):
            place = _group_end(pattern, place)
            continue
        if not in_class and pattern.startswith(_ANY_LETTER, place):
            wide, place = wide + r"[\pL\pM]", place + len(_ANY_LETTER)
            continue
        piece = pattern[place : place + (2 if pattern[place] == "\\" else 1)]
        place += len(piece)
        if piece in "[]":
            in_class = piece == "["
        wide += _widened_piece(piece, in_class=in_class)
    return wide


def _widened_piece(piece: str, *, in_class: bool) -> str:
    if piece == r"\b":
        return ""
    if piece == r"\Z":
        return r"\z"
    letters = _LETTERS.get(piece)
    if letters is None:
        return piece
    return letters if in_class else f"[{letters}]"


def _group_end(pattern: str, start: int) -> int:
    """Where the group that opens at a place is over."""
    depth, place, in_class = 0, start, False
    while place < len(pattern):
        letter = pattern[place]
        if letter == "\\":
            place += 1
        elif letter in "[]":
            in_class = letter == "["
        elif not in_class and letter in "()":
            depth += 1 if letter == "(" else -1
            if not depth:
                return place + 1
        place += 1
    return place
