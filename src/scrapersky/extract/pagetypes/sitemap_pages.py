"""Classifies the URLs of a sitemap: type, depth and trap, computed once per folder.

Sitemaps list thousands of pages in few folders, and most names of pages say nothing: for these the folder
decides. Every other URL goes the long way, so that both ways give the same answer.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from scrapersky.extract.pagetypes.classifier import HOST_LABELS, PageType, classify_url, section_of
from scrapersky.extract.pagetypes.name_match import match_name, match_whole_name
from scrapersky.extract.pagetypes.topics import LISTS
from scrapersky.extract.pagetypes.url_parts import is_language, is_special_name, split_url
from scrapersky.extract.urls.canonical import (
    MAX_REPEATS,
    MAX_SEGMENTS,
    host_of,
    path_depth,
    path_segments,
    trap_reason,
)

_MAX_FOLDER = 1_024
_FOLDER = re.compile(r"https?+://[^/?#;%\s@\\]++/(?:[^/?#;%\s\\]++/)*+", re.ASCII)
# Hosts that every parser takes as they are.
_LABEL = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_PLAIN_HOST = re.compile(rf"https?://({_LABEL})(?:\.{_LABEL})*\.[a-z]{{2,20}}/", re.ASCII)
# Names of pages: not an index file, a part of WordPress, a number or another kind of file.
_NAME = re.compile(
    r"(?![~_\-]*+(?:index|default|home|start|wp-))(?=[\d~_\-]*+[a-z])([\w~\-]{1,200}+)(?:\.(?:html?|php|aspx?))?/?",
    re.IGNORECASE | re.ASCII,
)
# Shorter numbers may be months and days.
_NUMBER = re.compile(r"(\d{3,18}+)/?", re.ASCII)
_SAYS_NOTHING, _SOME_NUMBER = "qzxv", "77777777"


class ListedURL(NamedTuple):
    """What a URL alone says about a page: its type, how deep it lies, and why it looks like a trap, if so."""

    kind: PageType
    depth: int
    trap: str = ""


class _Folder(NamedTuple):
    """The standings of its usual and its numbered pages, and which names make a page neither."""

    usual: ListedURL
    numbered: ListedURL
    whole_names: bool
    part_names: bool
    languages: bool
    full: frozenset[str]  # One more segment of these and the path repeats itself.


def classify_listed_url(url: str) -> ListedURL:
    """Type, depth and trap of a canonical URL; never raises."""
    cut = url.rfind("/", 0, -1) + 1
    name = _NAME.fullmatch(url, cut)
    number = None if name else _NUMBER.fullmatch(url, cut)
    folder = _met(url[:cut]).folder() if name or number else None
    if folder and name and _is_usual(name[1], folder):
        return folder.usual
    if folder and number and number[1] not in folder.full:
        return folder.numbered
    return _by_path(*_what_decides(url))


def _what_decides(url: str) -> tuple[str, str]:
    """Of a plain host only a first label with a meaning, and the path: sites share many of their paths."""
    plain = _PLAIN_HOST.match(url) if len(url) <= _MAX_FOLDER else None
    if plain is None:
        return url, ""
    return f"https://{plain[1] if plain[1] in HOST_LABELS else 'www'}.com", url[plain.end() - 1 :]


@lru_cache(maxsize=8_192)
def _by_path(start: str, path: str) -> ListedURL:
    url = start + path
    return ListedURL(classify_url(url), path_depth(url), trap_reason(url))


def _is_usual(name: str, folder: _Folder) -> bool:
    """True when a page of this name is what every page of the folder is."""
    lower = name.lower().strip("~_-")
    if is_special_name(lower) or (folder.languages and is_language(lower)) or name.lower() in folder.full:
        return False
    if folder.part_names:
        return match_name(name) is None
    return not (folder.whole_names and match_whole_name(name))


class _Met:
    """A folder that was met; it is worked out when met again, because many hold one page only."""

    __slots__ = ("_folder", "_start", "_times")

    def __init__(self, start: str) -> None:
        self._start, self._times = start, 0
        self._folder: _Folder | None = None

    def folder(self) -> _Folder | None:
        if self._times < 2:
            self._times += 1
            self._folder = _folder(self._start) if self._times == 2 else None
        return self._folder


_met = lru_cache(maxsize=4_096)(_Met)


def _folder(start: str) -> _Folder | None:
    """What holds for all usual pages below `start`; None when each URL has to be taken apart."""
    if len(start) > _MAX_FOLDER or not _FOLDER.fullmatch(start) or not host_of(start) or trap_reason(start):
        return None
    segments = path_segments(start)
    if start.split("/")[3:-1] != segments or len(segments) >= MAX_SEGMENTS:
        return None
    path = split_url(start + _SAYS_NOTHING)
    section = section_of([match_name(name) for name in path.names[:-1]])
    counts = Counter(part.lower() for part in segments)
    return _Folder(
        usual=ListedURL(classify_url(start + _SAYS_NOTHING), len(segments) + 1),
        numbered=ListedURL(classify_url(start + _SOME_NUMBER), len(segments) + 1),
        whole_names=not path.sign and section is not None and section.topic not in LISTS,
        part_names=not path.sign and section is None,
        languages=len(segments) < 2 and len(path.names) == 1,
        full=frozenset(part for part, count in counts.items() if count >= MAX_REPEATS),
    )
