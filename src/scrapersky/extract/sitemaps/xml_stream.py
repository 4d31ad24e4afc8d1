"""Strips comments from a stream of XML text, turns CDATA into plain text, and stops at a DOCTYPE.

Nothing is ever expanded or loaded: a document type is a reason to stop, not something to understand.
"""

from __future__ import annotations

import re

_MARKERS = ("<!--", "<![CDATA[", "<!DOCTYPE", "<!ENTITY")
_LONGEST = max(map(len, _MARKERS))
_MAX_CDATA = (
    8_192  # A URL has at most 2,048 characters; longer sections are article bodies nobody reads here.
)
_HELD_DOCTYPE = 64
_HTML = re.compile(r"<!doctype\s+html", re.IGNORECASE)


class XMLStream:
    """Text in, text out; remembers across pieces whether it is inside a comment or a CDATA section."""

    def __init__(self) -> None:
        self._end = ""
        self._tail = ""
        self._cdata: list[str] = []
        self._cdata_size = 0
        self.stopped_by = ""

    @property
    def is_open(self) -> bool:
        """True while a comment or a CDATA section has no end yet."""
        return bool(self._end)

    def feed(self, text: str, *, final: bool = False) -> str:
        """The text outside comments; nothing after a DOCTYPE (`stopped_by` is then "html" or "doctype")."""
        if self.stopped_by:
            return ""
        text, self._tail = self._tail + text, ""
        out: list[str] = []
        at = 0
        while at >= 0:
            at = self._inside(text, at, out) if self._end else self._outside(text, at, out, final)
        return "".join(out)

    def _inside(self, text: str, at: int, out: list[str]) -> int:
        end = text.find(self._end, at)
        is_cdata = self._end == "]]>"
        stop = end if end >= 0 else max(at, len(text) - 2)
        if is_cdata and self._cdata_size <= _MAX_CDATA:
            self._cdata.append(text[at:stop])
            self._cdata_size += stop - at
        if end < 0:
            self._tail = text[stop:]
            return -1
        if is_cdata:
            out.append(self._plain_cdata())
        self._end = ""
        return end + 3

    def _plain_cdata(self) -> str:
        text = "".join(self._cdata) if self._cdata_size <= _MAX_CDATA else ""
        self._cdata, self._cdata_size = [], 0
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    def _outside(self, text: str, at: int, out: list[str], final: bool) -> int:
        start = text.find("<!", at)
        if start < 0 and not final and text.endswith("<") and at < len(text):
            start = len(text) - 1
        if start < 0:
            out.append(text[at:])
            return -1
        out.append(text[at:start])
        if text.startswith("<!--", start):
            self._end = "-->"
            return start + 4
        if text.startswith("<![CDATA[", start):
            self._end = "]]>"
            return start + 9
        return self._declaration(text, start, out, final)

    def _declaration(self, text: str, start: int, out: list[str], final: bool) -> int:
        head = text[start : start + _LONGEST].upper()
        if not final and len(text) - start < _HELD_DOCTYPE and any(m.startswith(head[:9]) for m in _MARKERS):
            self._tail = text[start:]
            return -1
        if head.startswith(("<!DOCTYPE", "<!ENTITY")):
            self.stopped_by = "html" if _HTML.match(text, start) else "doctype"
            return -1
        out.append(text[start : start + 2])
        return start + 2
