"""Finds the records of a sitemap or feed in a text: tolerant of bad markup, in linear time.

A whole XML parser is not used: broken files are common, and what a record needs (a few named elements) can be
read from text that no parser accepts. Comments, CDATA and document types were dealt with before, in
sitemap_markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple


class Record(NamedTuple):
    """One entry as written, entities decoded, nothing checked yet."""

    loc: str
    lastmod: str = ""
    changefreq: str = ""
    priority: str = ""
    is_sitemap: bool = False
    alternates: tuple[tuple[str, str], ...] = ()
    extensions: tuple[str, ...] = ()


MAX_ALTERNATES = 200
_MAX_NESTED = 2_560  # A little more than the longest URL.
_NAME = r"(?:([\w.\-]{1,40}):)?"
# The form nearly all generators write; everything else takes the slower way below.
_PLAIN = re.compile(
    r"<url>\s*+<loc>([^<]*+)</loc>\s*+(?:<lastmod>([^<]*+)</lastmod>\s*+)?"
    r"(?:<changefreq>([^<]*+)</changefreq>\s*+)?(?:<priority>([^<]*+)</priority>\s*+)?</url>\s*+"
)
_OPENER = re.compile(rf"<{_NAME}(url|sitemap)(?=[\s>/])[^<>]*+>", re.IGNORECASE)
_FEED_OPENER = re.compile(rf"<{_NAME}(item|entry)(?=[\s>/])([^<>]*+)>", re.IGNORECASE)
_FIELD = re.compile(rf"<{_NAME}(loc|lastmod|priority|changefreq)(?:\s[^<>]*+)?>([^<]*+)", re.IGNORECASE)
_FEED_FIELD = re.compile(
    rf"<{_NAME}(link|guid|origlink|pubdate|date|updated|published|modified|issued)([^<>]*+)>([^<]*+)",
    re.IGNORECASE,
)
_LOC_END = re.compile(rf"</{_NAME}loc", re.IGNORECASE)
_FEED_END = re.compile(rf"</{_NAME}(?:item|entry)", re.IGNORECASE)
_LINK = re.compile(rf"<{_NAME}link\s([^<>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.\-])([\w:.\-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_ENTITY = re.compile(r"&#?\w{1,31};")
_TAG = re.compile(r"<[^<>]*+>")
_CONTAINER = re.compile(r"<(image|video|news)(?=[\s>])", re.IGNORECASE)
_EXTENSIONS = ("image", "video", "news", "mobile", "pagemap", "PageMap")
_FOREIGN = frozenset({"image", "video", "news", "xhtml", "mobile", "media", "atom", "pagemap"})


def unescape_xml(text: str) -> str:
    """Text with its character references decoded once; a raw & stays what it is."""
    text = text.strip()
    return _ENTITY.sub(_reference, text) if "&" in text else text


def _reference(match: re.Match[str]) -> str:
    text = html.unescape(match[0])
    return "" if text == "\ufffd" else text


def records(text: str, *, is_index: bool, is_cut: bool = False) -> Iterator[Record]:
    """Records of a urlset or index; `is_cut` says that the text may end in the middle of one."""
    plain = _PLAIN.findall(text)
    if plain and _is_all(text, len(plain)):
        return (Record(unescape_xml(loc), lastmod, often, weight) for loc, lastmod, often, weight in plain)
    return _any_records(text, is_index, is_cut)


def _is_all(text: str, count: int) -> bool:
    """True when the plain form accounts for every record in the text."""
    lower = text.lower()
    return (
        lower.count("<loc") == lower.count("<url>") == count
        and ":loc" not in lower
        and "<sitemap" not in lower
    )


def _any_records(text: str, is_index: bool, is_cut: bool) -> Iterator[Record]:
    opener = _OPENER.search(text)
    # Some files have no url elements at all, or begin in the middle of one.
    yield from _loose(text[: opener.start() if opener else len(text)], is_index, is_cut and not opener)
    while opener:
        following = _OPENER.search(text, opener.end())
        chunk = text[opener.end() : following.start() if following else len(text)]
        if (opener[1] or "").lower() not in _FOREIGN:
            is_sitemap = opener[2].lower() == "sitemap"
            yield from _chunk(chunk, is_sitemap, is_cut and not following, prefix=opener[1])
        opener = following


def _loose(text: str, is_index: bool, is_cut: bool) -> Iterator[Record]:
    if "<" in text:
        for record in _chunk(text, is_index, is_cut, prefix=None):
            if record.loc:
                yield record


def _chunk(text: str, is_sitemap: bool, is_cut: bool, *, prefix: str | None) -> Iterator[Record]:
    """The records between one opening tag and the next: one, unless tags were left unclosed."""
    extensions = tuple(name for name in _EXTENSIONS if "<" + name in text)
    if extensions and _CONTAINER.search(text):
        text = _without_containers(text)
    alternates = _alternates(text) if "hreflang" in text else ()
    fields: dict[str, str] = {}
    for match in _own_fields(text, prefix):
        name, value = match[2].lower(), match[3]
        if name != "loc":
            fields.setdefault(name, value.strip())
            continue
        if is_cut and match.end() == len(text):
            continue
        if "loc" in fields:
            yield _record(fields, is_sitemap, alternates, extensions)
            fields = {}
        fields["loc"] = unescape_xml(value) or _nested_text(text, match.end())
    if "loc" not in fields and (bare := unescape_xml(text.partition("<")[0])).startswith(
        ("http://", "https://")
    ):
        fields["loc"] = bare
    if fields.get("loc"):
        yield _record(fields, is_sitemap, alternates, extensions)


def _own_fields(text: str, prefix: str | None) -> list[re.Match[str]]:
    """The fields under the record's own prefix; files that mix prefixes give those of no known extension."""
    fields = list(_FIELD.finditer(text))
    own = [match for match in fields if match[1] == prefix]
    if any(match[2].lower() == "loc" for match in own):
        return own
    return [match for match in fields if (match[1] or "").lower() not in _FOREIGN]


def _record(
    fields: dict[str, str],
    is_sitemap: bool,
    alternates: tuple[tuple[str, str], ...],
    extensions: tuple[str, ...],
) -> Record:
    lastmod, changefreq, priority = (fields.get(name, "") for name in ("lastmod", "changefreq", "priority"))
    return Record(fields["loc"], lastmod, changefreq, priority, is_sitemap, alternates, extensions)


def _nested_text(text: str, start: int) -> str:
    """What stands inside a loc that holds other elements."""
    inside = text[start : start + _MAX_NESTED]
    end = _LOC_END.search(inside)
    return unescape_xml(_TAG.sub("", inside[: end.start()])) if end else ""


def _without_containers(text: str) -> str:
    """Leaves out image, video and news elements written without a prefix, because their loc is not a page."""
    out: list[str] = []
    at, lower = 0, text.lower()
    while match := _CONTAINER.search(text, at):
        closing = f"</{match[1].lower()}>"
        end = lower.find(closing, match.end())
        if end < 0:
            break
        out.append(text[at : match.start()])
        at = end + len(closing)
    return "".join((*out, text[at:]))


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): unescape_xml(double or single) for name, double, single in _ATTRIBUTE.findall(text)}


def _alternates(text: str) -> tuple[tuple[str, str], ...]:
    alternates: list[tuple[str, str]] = []
    for match in _LINK.finditer(text):
        values = _attributes(match[2])
        if values.get("hreflang") and values.get("href") and len(alternates) < MAX_ALTERNATES:
            alternates.append((values["hreflang"][:35], values["href"]))
    return tuple(alternates)


def find_feed_records(text: str, *, is_cut: bool = False) -> Iterator[Record]:
    """Records of RSS, RDF or Atom: the page each item links to, with its latest date."""
    opener = _FEED_OPENER.search(text)
    while opener:
        following = _FEED_OPENER.search(text, opener.end())
        chunk = text[opener.end() : following.start() if following else len(text)]
        if following or not is_cut or _FEED_END.search(chunk):
            about = _attributes(opener[3]).get("rdf:about", "")
            if loc := _feed_link(chunk, opener[1]) or about:
                yield Record(loc, _feed_date(chunk))
        opener = following


def _feed_link(chunk: str, prefix: str | None) -> str:
    """The best of an item's links: original, alternate or plain, then a guid that is a URL."""
    best: dict[int, str] = {}
    for match in _FEED_FIELD.finditer(chunk):
        name, attributes, value = match[2].lower(), _attributes(match[3]), unescape_xml(match[4])
        if name == "origlink":
            best.setdefault(0, value)
        elif name == "link" and attributes.get("href"):
            rank = {"alternate": 1, "": 3}.get(attributes.get("rel", "").lower())
            if rank is not None:
                best.setdefault(rank, attributes["href"])
        elif name == "link" and match[1] in (None, prefix) and value:
            best.setdefault(2, value)
        elif name == "guid" and value.startswith("http") and attributes.get("ispermalink", "true") != "false":
            best.setdefault(4, value)
    return best[min(best)] if best else ""


def _feed_date(chunk: str) -> str:
    dates = {match[2].lower(): match[4].strip() for match in _FEED_FIELD.finditer(chunk) if match[4].strip()}
    return next(
        (dates[n] for n in ("updated", "modified", "pubdate", "date", "published", "issued") if n in dates),
        "",
    )
