"""A streaming reader for sitemaps and feeds: pieces of bytes in, listings out, bounded memory, never raising.

Reads sitemap indexes, urlsets, RSS, RDF, Atom and plain text, compressed or not, well-formed or not. It keeps
what it could read and says in `problems` where and why it stopped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from scrapersky.extract.sitemaps.dates import parse_date, priority
from scrapersky.extract.sitemaps.decoder import Decompressor, SitemapDecoder, SitemapProblem
from scrapersky.extract.sitemaps.records import Record, find_feed_records, records
from scrapersky.extract.sitemaps.xml_stream import XMLStream
from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import host_of, is_canonical, site_of

MAX_BYTES = 50 * 2**20  # The sitemap protocol's own limit, after decompression.
MAX_URLS = 50_000  # The sitemap protocol's own limit.
_WINDOW = 64 * 1024  # The first element must come within this many characters.
_MAX_RECORD = 256 * 1024  # A longer stretch without the end of a record is cut.
_MAX_PROBLEMS = 100
_REMEMBERED = 100_000  # URLs remembered to find repeats; more than one file may lawfully hold.

_ROOT = re.compile(
    r"<(?:[\w.\-]{1,40}:)?(urlset|sitemapindex|rss|feed|rdf|html|head|body|script)(?=[\s>/])", re.IGNORECASE
)
_ROOTLESS = re.compile(r"<(?:[\w.\-]{1,40}:)?(loc|sitemap|url)\s*+>", re.IGNORECASE)
_END = re.compile(r"</(?:[\w.\-]{1,40}:)?(?:url|sitemap|item|entry)\s*+>", re.IGNORECASE)
_KINDS = {"urlset": "urlset", "sitemapindex": "index", "rss": "rss", "rdf": "rss", "feed": "atom"}
_CLOSINGS = {
    kind: re.compile(rf"</(?:[\w.\-]{{1,40}}:)?(?:{names})[\s>]", re.IGNORECASE)
    for kind, names in {"urlset": "urlset", "index": "sitemapindex", "rss": "rss|rdf", "atom": "feed"}.items()
}


class SitemapEntry(NamedTuple):
    """One page or child sitemap that a sitemap lists, in canonical form."""

    url: str
    is_sitemap: bool = False
    lastmod: datetime | None = None
    priority: float | None = None
    changefreq: str = ""
    alternates: tuple[tuple[str, str], ...] = ()
    extensions: tuple[str, ...] = ()
    is_external: bool = False


class SitemapReader:
    """Feed it pieces as they arrive; each call gives the listings that became complete."""

    def __init__(self, url: str = "", *, max_bytes: int = MAX_BYTES, max_urls: int = MAX_URLS) -> None:
        self.url = url
        self.kind = ""
        self.refused = ""
        self.problems: list[SitemapProblem] = []
        self._noted: set[str] = set()
        self.dropped: Counter[str] = Counter()
        self.n_urls = 0
        self.n_sitemaps = 0
        self.is_done = False
        self._max_bytes, self._max_urls = max_bytes, max_urls
        self._unpacked = Decompressor(self.problems)
        self._decoded = SitemapDecoder(self.problems)
        self._markup = XMLStream()
        self._bytes = self._characters = 0
        self._text = ""
        self._searched = 0
        self._last_text = ""
        self._is_full = self._is_too_large = False
        self._seen: set[int] = set()
        self._variants: set[int] = set()
        self._only_variants: set[int] = set()
        self._origin = url[: url.find("/", 8) + 1]
        self._site: str | None = None  # Found when first asked for, because it needs the whole suffix list.

    @property
    def is_partial(self) -> bool:
        """True when the file held, or may have held, more than was read."""
        return any(problem.kind in _LOSSES for problem in self.problems)

    def feed(self, piece: bytes) -> list[SitemapEntry]:
        """Listings completed by these bytes; nothing more once `is_done`."""
        return [] if self.is_done else self._taken(self._unpacked.feed(piece))

    def _taken(self, parts: Iterator[bytes]) -> list[SitemapEntry]:
        entries: list[SitemapEntry] = []
        for part in parts:
            entries += self._part(part)
            if self.is_done:
                break
        return entries

    def close(self) -> list[SitemapEntry]:
        """The listings that were still held back; afterwards `problems` is complete."""
        entries = [] if self.is_done else self._taken(self._unpacked.close())
        if not self.is_done or self._is_too_large:
            text = self._markup.feed(self._decoded.feed(b"", final=True), final=True)
            entries += self._read(text, final=True)
            self._closing_problems()
        self.is_done = True
        return entries

    def _part(self, part: bytes) -> list[SitemapEntry]:
        room = self._max_bytes - self._bytes
        self._bytes += len(part)
        if len(part) > room:
            part = part[: max(0, room)]
            self._note("too_large", f"only the first {self._max_bytes:,} bytes were read")
            self.is_done = self._is_too_large = True
        text = self._markup.feed(self._decoded.feed(part))
        return self._read(text, final=False)

    def _note(self, kind: str, detail: str = "") -> None:
        if kind not in self._noted and len(self.problems) < _MAX_PROBLEMS:
            self._noted.add(kind)
            self.problems.append(SitemapProblem(kind, self._characters, detail))

    def _read(self, text: str, *, final: bool) -> list[SitemapEntry]:
        if self.refused:
            return []
        self._characters += len(text)
        self._text += text
        self._last_text = (self._last_text + text)[-200:]
        if not self.kind and not self._sniffed(final):
            return []
        entries = list(self._listings(self._segment(final), final))
        self._forget()
        if self._markup.stopped_by:
            self._stop_at_doctype()
        return entries

    def _sniffed(self, final: bool) -> bool:
        """Decide what this is by its first element or lines; True once decided and readable."""
        stopped = self._markup.stopped_by
        self.kind, why = sitemap_kind(self._text, final=final or bool(stopped) or len(self._text) >= _WINDOW)
        if stopped == "doctype":
            self._refuse("xml_forbidden", "a DOCTYPE or ENTITY declaration")
        elif stopped == "html" and not self.kind:
            self._refuse("not_a_sitemap", "an HTML page")
        elif why:
            self._refuse("not_a_sitemap", why)
        return bool(self.kind) and not self.refused

    def _refuse(self, refused: str, why: str) -> None:
        self.refused, self.kind, self.is_done, self._text = refused, "", True, ""
        self._note(refused, why)

    def _stop_at_doctype(self) -> None:
        if self._markup.stopped_by == "html":
            self._note("trailing_html", "an HTML page follows the sitemap")
        else:
            self.refused = "xml_forbidden"
            self._note("xml_forbidden", "a DOCTYPE or ENTITY declaration")
        self.is_done = True

    def _segment(self, final: bool) -> str:
        """The buffered text up to the end of the last whole record; the rest stays for the next piece."""
        text = self._text
        if final:
            self._text = ""
            return text
        cut = text.rfind("\n") + 1 if self.kind == "text" else self._last_end(text)
        if cut <= 0 and len(text) > _MAX_RECORD:
            cut = self._forced_cut(text)
        self._searched = max(0, len(text) - max(cut, 0) - 64)
        self._text = text[max(cut, 0) :]
        return text[: max(cut, 0)]

    def _last_end(self, text: str) -> int:
        at = text.rfind("</url>", self._searched)
        if at >= 0:
            return at + 6
        ends = [match.end() for match in _END.finditer(text, self._searched)]
        return ends[-1] if ends else 0

    def _forced_cut(self, text: str) -> int:
        """Without any end of a record, cut before the last loc or, failing that, let the text go."""
        lower = text.lower()
        at = max(lower.rfind("<loc"), lower.rfind("<item"), lower.rfind("<entry"))
        if at > 0:
            return at
        self._note("record_too_long", f"more than {_MAX_RECORD:,} characters without the end of a record")
        return len(text)

    def _listings(self, text: str, final: bool) -> Iterator[SitemapEntry]:
        for record in self._records(text, final):
            if self._is_full:
                self.dropped["over the limit"] += 1
            elif listing := self._listing(record):
                yield listing
                if self.n_urls + self.n_sitemaps >= self._max_urls:
                    self._is_full = True

    def _records(self, text: str, final: bool) -> Iterator[Record]:
        if self.kind == "text":
            return self._lines(text)
        if self.kind in ("rss", "atom"):
            return find_feed_records(text, is_cut=final)
        return records(text, is_index=self.kind == "index", is_cut=final)

    def _lines(self, text: str) -> Iterator[Record]:
        for line in text.splitlines():
            word = line.strip("\ufeff \t,;\"'").partition(" ")[0].partition("\t")[0]
            if word[:8].lower().startswith(("http://", "https://")):
                yield Record(word)
            elif word and not word.startswith("#"):
                self.dropped["not a URL"] += 1

    def _listing(self, record: Record) -> SitemapEntry | None:
        loc, lastmod, changefreq, weight, is_sitemap, alternates, extensions = record
        url = loc
        if not is_canonical(loc):
            url, reason = read_url(loc, base=self.url)
            if not url:
                self.dropped[reason] += 1
                return None
        if not self._is_new(loc, url, is_sitemap):
            return None
        return SitemapEntry(
            url,
            is_sitemap,
            parse_date(lastmod) if lastmod else None,
            priority(weight) if weight else None,
            _often(changefreq) if changefreq else "",
            alternates,
            extensions,
            not url.startswith(self._origin) and self._is_elsewhere(url),
        )

    def _is_new(self, written: str, url: str, is_sitemap: bool) -> bool:
        """Count the entry as written, and say whether its canonical form is seen for the first time."""
        key = hash(url)
        is_known = key in self._seen
        if written == url:
            is_repeated = is_known and key not in self._only_variants
            self._only_variants.discard(key)
        else:
            variant = hash(written)
            is_repeated = variant in self._variants
            self._variants.add(variant)
            if not is_known:
                self._only_variants.add(key)
        self._seen.add(key)
        if is_repeated:
            self.dropped["repeated"] += 1
        elif is_sitemap:
            self.n_sitemaps += 1
        else:
            self.n_urls += 1
        return not is_known

    def _forget(self) -> None:
        """Keeps the memory for repeats bounded on files far beyond the protocol's limit."""
        if len(self._seen) + len(self._variants) >= _REMEMBERED:
            for known in (self._seen, self._variants, self._only_variants):
                known.clear()

    def _is_elsewhere(self, url: str) -> bool:
        if self._site is None:
            self._site = site_of(host_of(self.url))
        return bool(self._site) and site_of(host_of(url)) != self._site

    def _closing_problems(self) -> None:
        if self._is_full and self.dropped["over the limit"]:
            self._note(
                "too_many_urls", f"{self.dropped['over the limit']:,} more than {self._max_urls:,} not read"
            )
        if self._markup.is_open:
            self._note("unclosed", "a comment or CDATA section without end")
        closing = _CLOSINGS.get(self.kind)
        if closing and not closing.search(self._last_text) and not self._markup.stopped_by:
            self._note("truncated", "the closing tag is missing")
        if self.refused == "" and not self.kind:
            self._refuse("not_a_sitemap", "empty")


_LOSSES = frozenset(
    {
        "too_large",
        "too_many_urls",
        "truncated",
        "gzip_truncated",
        "gzip_damaged",
        "gzip_length",
        "record_too_long",
        "unclosed",
        "trailing_html",
    }
)


@lru_cache(maxsize=256)
def _often(changefreq: str) -> str:
    return changefreq.strip().lower()[:20]


def sitemap_kind(text: str, *, final: bool) -> tuple[str, str]:
    """The kind (urlset, index, rss, atom, text) or why it is none; two empty strings while undecided."""
    root = _ROOT.search(text, 0, _WINDOW)
    if root:
        name = root[1].lower()
        return (_KINDS[name], "") if name in _KINDS else ("", "an HTML page")
    start = text[:_WINDOW].lstrip("\ufeff \t\r\n")
    if not final and (not start or start[0] == "<" or len(start) < 512):
        return "", ""
    if not start:
        return "", "empty"
    if match := _ROOTLESS.search(start):
        return ("index" if match[1].lower() == "sitemap" else "urlset"), ""
    if start[0] in "{[":
        return "", "JSON"
    if start[0] == "<":
        return ("", "XML of another kind") if final else ("", "")
    lines = [line.strip() for line in start.splitlines() if line.strip()]
    addresses = sum(line[:8].lower().startswith(("http://", "https://")) for line in lines)
    return ("text", "") if addresses * 2 >= len(lines) else ("", "text without addresses")


class SitemapReading(NamedTuple):
    """A whole sitemap at once, for callers who have all its bytes."""

    kind: str
    listings: tuple[SitemapEntry, ...]
    problems: tuple[SitemapProblem, ...]
    refused: str
    n_urls: int
    n_sitemaps: int
    dropped: dict[str, int]


def read_entries(pieces: Iterable[bytes], reader: SitemapReader) -> Iterator[SitemapEntry]:
    """Listings as the pieces arrive; stops asking for pieces once the reader needs no more."""
    for piece in pieces:
        yield from reader.feed(piece)
        if reader.is_done:
            break
    yield from reader.close()


def read_sitemap(
    body: bytes, *, url: str = "", max_bytes: int = MAX_BYTES, max_urls: int = MAX_URLS
) -> SitemapReading:
    """Read a sitemap that is already in memory; nothing is listed when it was refused."""
    reader = SitemapReader(url, max_bytes=max_bytes, max_urls=max_urls)
    entries = tuple(read_entries([body], reader))
    listings = () if reader.refused else entries
    return SitemapReading(
        reader.kind,
        listings,
        tuple(reader.problems),
        reader.refused,
        0 if reader.refused else reader.n_urls,
        0 if reader.refused else reader.n_sitemaps,
        dict(reader.dropped),
    )
