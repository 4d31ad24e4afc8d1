"""Cleans text from web pages, so that it can be stored and compared."""

from __future__ import annotations

import re

_NONCHARACTERS = "".join(
    f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17)
)
_UNSTORABLE = re.compile(f"[\ud800-\udfff\ufdd0-\ufdef{_NONCHARACTERS}]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
# It begins with a single mark, so that the search looks at nothing else.
_COMBINING_RUN = re.compile(f"({_MARK}{_MARK}{{7}}){_MARK}+")


def make_storable(text: str) -> str:
    """The text without NUL; lone surrogates and noncharacters become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii() or text.isprintable():
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def strip_invisible(text: str) -> str:
    """The text as a reader sees it: without control, zero-width and direction characters."""
    if text.isprintable():
        return text
    return _UNSTORABLE.sub("\ufffd", _INVISIBLE.sub("", text))


def line_before(text: str, start: int) -> str:
    """What stands on the line before a place in it, at most 200 letters."""
    return text[max(0, start - 200) : start].rpartition("\n")[2]


def lower_letters(text: str) -> str:
    """The text in lower case, letter for letter: one capital alone would become two signs.

    A long list of words is found in it far sooner than by a pattern that ignores the case.
    """
    return (text.replace("İ", "i") if "İ" in text else text).lower()


def one_line(text: str) -> str:
    """The visible text with every run of white space made one blank."""
    line = " ".join(text.split())
    return line if line.isprintable() else " ".join(strip_invisible(line).split())


def clean_text(text: str | None, *, limit: int = 300) -> str:
    """A value ready to be stored: one line, cleaned, of at most `limit` characters."""
    if not text:
        return ""
    line = one_line(text[: limit * 8])
    return (line if line.isascii() else _COMBINING_RUN.sub(r"\1", line))[:limit].rstrip()
