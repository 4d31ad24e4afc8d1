"""Limits a page before it is parsed, because the parser is quadratic in depth and attributes."""

from __future__ import annotations

import re
from itertools import accumulate

MAX_HTML = 5 * 1024 * 1024
MAX_DEPTH = 4_000
MAX_ATTRIBUTES = 2_000
_LONG_TAG = 10_000
_MANY_TAGS = 9_000

_OPEN_OR_CLOSE = re.compile(
    r"<(?!(?:br|img|input|meta|link|hr|area|wbr|source|param|col|p|li|td|tr|th|dd|dt|option)[\s/>])(/?)[a-zA-Z]",
    re.I,
)
_STEP = {"": 1, "/": -1}
_QUOTED = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>?")
_RAW = re.compile(r"<(script|style|template|svg)\b.*?</\1\s*>|<!--.*?-->", re.I | re.S)


def limit_for_parser(html: str) -> tuple[str, bool]:
    """The page within the limits of the parser, and whether anything was dropped."""
    cut = len(html) > MAX_HTML
    if cut:
        html = html[:MAX_HTML]
    if len(html) > _MANY_TAGS * 4 and html.count("<") > _MANY_TAGS and _depth(html) > MAX_DEPTH:
        return _flattened(html), True
    if _has_long_tag(html):
        slim = "<".join(_slim(piece) if len(piece) > _LONG_TAG else piece for piece in html.split("<"))
        if len(slim) < len(html):
            return slim, True
    return html, cut


def _depth(html: str) -> int:
    """How deep the tags nest, elements without or with optional end tags left out."""
    steps = map(_STEP.__getitem__, _OPEN_OR_CLOSE.findall(html))
    return max(accumulate(steps, initial=0))


def _has_long_tag(html: str) -> bool:
    """Whether a stretch without the end of a tag lies in a tag, not in text or a script."""
    step, checked = _LONG_TAG // 2, 0
    for start in range(0, len(html) - step, step):
        if html.find(">", start, start + step) >= 0:
            checked = 0
            continue
        # Of a long script the stretches before were looked at already.
        tag_start = html.rfind("<", checked, start + 1)
        if (
            tag_start >= 0
            and html[tag_start + 1 : tag_start + 2].isalpha()
            and html.find(">", tag_start, start) < 0
        ):
            return True
        checked = start
    return False


def _slim(piece: str) -> str:
    """A tag with too many attributes becomes a bare one."""
    tag, end, rest = piece.partition(">")
    if not tag[:1].isalpha() or len(tag) < _LONG_TAG:
        return piece
    if len(_QUOTED.sub("", tag).split()) <= MAX_ATTRIBUTES and tag.count("=") <= 2 * MAX_ATTRIBUTES:
        return piece
    return re.split(r"[\s/]", tag, maxsplit=1)[0] + end + rest


def _flattened(html: str) -> str:
    """A page that nests too deep as lines of text, so that what it says is not lost."""
    return "<body>" + _TAG.sub("<br>", _RAW.sub("", html))
