"""Type and priority of a page by its URL, link text and title; each decision with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from scrapersky.extract.pagetypes.name_match import NameMatch, match_name, match_whole_name
from scrapersky.extract.pagetypes.topics import CONTAINERS, KEPT, LISTS, TOPICS
from scrapersky.extract.pagetypes.url_parts import Path, split_url, without_language
from scrapersky.extract.pagetypes.vocabulary import split_words

_TITLE_PARTS = re.compile(r"\s[|\-–—·•:»›~/]+\s|[|»›•·]|\s::\s")
_MAX_TITLE = 300
_DOMAIN = re.compile(r"[\w-]+\.[A-Za-z]{2,10}")
_TEXTS = frozenset({"blog", "news"})
HOST_LABELS = {
    **dict.fromkeys(("blog", "magazin", "magazine"), "blog"),
    "news": "news",
    **dict.fromkeys(("shop", "store", "webshop", "boutique", "tienda", "loja", "eshop"), "product"),
    **dict.fromkeys(("jobs", "careers", "career", "karriere", "recruit"), "career"),
    **dict.fromkeys(("help", "support", "faq"), "faq"),
    **dict.fromkeys(("press", "presse", "newsroom"), "press"),
    **dict.fromkeys(("cdn", "static", "media", "img", "images", "assets"), "media"),
}


@dataclass(frozen=True, slots=True)
class PageType:
    """A decision: `page_type` as stored, `kind` in plain words, 1 (read first) to 3, and why."""

    page_type: str
    kind: str
    topic: str
    priority: int
    confidence: float
    reason: str
    is_excluded: bool = False
    depth: int = 0


def classify_url(url: str, *, anchor: str = "", title: str = "") -> PageType:
    """What kind of page a URL leads to; never raises, in time linear in the input."""
    path = split_url(url)
    decision = _by_url(path)
    if decision.is_excluded or decision.topic in ("home", "wp_part"):
        return decision
    if anchor and (name := match_name(anchor.strip())):
        decision = _joined(decision, name, "link text", path)
    if title and (name := _title_name(title)):
        decision = _joined(decision, name, "title", path)
    return decision


def _decide(topic: str, confidence: float, reason: str, path: Path, *, is_below: bool = False) -> PageType:
    known = TOPICS[topic]
    return PageType(
        page_type=known.page_type,
        kind=known.kind,
        topic=topic,
        priority=known.below if is_below else known.priority,
        confidence=round(confidence, 2),
        reason=reason,
        is_excluded=known.is_excluded,
        depth=path.depth,
    )


def _by_url(path: Path) -> PageType:
    if path.sign in ("media", "feed", "sitemap_file", "wp_part", "search", "account"):
        return _decide(path.sign, 0.95, path.why, path)
    if not path.names and not path.sign:
        return _by_fragment(path) or _decide(
            "home", 0.95 if path.depth == 0 else 0.85, "no name in the path", path
        )
    matches = [_match(name) for name in path.names]
    if path.sign:
        return _decide(path.sign, 0.9, path.why, path)
    return (
        _by_section(path, matches) or _by_name(path, matches) or _by_parent(path, matches) or _by_host(path)
    )


def _match(name: str) -> NameMatch | None:
    """What a name means, perhaps without the language at its end; the name of a domain means nothing."""
    if _DOMAIN.fullmatch(name):
        return None
    return match_name(name) or (match_name(rest) if (rest := without_language(name)) else None)


def _by_fragment(path: Path) -> PageType | None:
    """A part of a site of one page, such as "/#contact"."""
    part = match_whole_name(path.fragment) if path.fragment else None
    reason = f'part "{path.fragment[:40]}" of the home page'
    return _decide(part.topic, 0.75, reason, path) if part is not None and part.topic in KEPT else None


def _by_section(path: Path, matches: list[NameMatch | None]) -> PageType | None:
    """Pages below a blog, a shop, a category and so on are what their section is."""
    section = section_of(matches[:-1])
    if section is None:
        return None
    last = matches[-1]
    if last and last.is_whole:
        is_bare = last.matched == "".join(split_words(path.names[-1]))
        if is_bare and last.topic in KEPT and section.topic not in LISTS and len(matches) == 2:
            return None
        if last.topic in CONTAINERS and section.topic not in LISTS:
            return None
    reason = f'below "{section.matched}" ({section.topic}, {section.language})'
    return _decide(section.topic, 0.85, reason, path, is_below=True)


def section_of(parents: list[NameMatch | None]) -> NameMatch | None:
    """Which of the names above a page is its section: the lowest list of things, else the highest."""
    sections = [name for name in parents if name and name.is_whole and name.topic in CONTAINERS]
    if not sections:
        return None
    lowest = next((name for name in reversed(sections) if name.topic in LISTS), sections[0])
    if lowest.topic not in _TEXTS:
        return lowest
    return next(name for name in reversed(sections) if name.topic in _TEXTS)


def _by_name(path: Path, matches: list[NameMatch | None]) -> PageType | None:
    """The page's own name; contact pages of a career section are a type of their own."""
    last = matches[-1]
    if last is None:
        return None
    depth_loss = 0.05 * min(4, max(0, len(matches) - 1))
    reason = f'path "{last.matched}" ({last.topic}, {last.language})'
    if last.topic == "contact" and _is_about_careers(path, matches):
        return _decide("career_contact", 0.85 - depth_loss, reason + " in a career section", path)
    if last.topic == "career" and _mentions_contact(path.names[-1]):
        return _decide("career_contact", 0.7 - depth_loss, reason + " with a contact", path)
    parent = _best_parent(matches)
    if not last.is_whole and parent and parent.is_whole and last.confidence < 0.7:
        return None
    is_partial_below = not last.is_whole and len(matches) > 2
    return _decide(last.topic, last.confidence - depth_loss, reason, path, is_below=is_partial_below)


def _is_about_careers(path: Path, matches: list[NameMatch | None]) -> bool:
    if any(name and name.topic == "career" for name in matches[:-1]):
        return True
    words = re.split(r"[\W_]+", path.names[-1])
    return len(words) > 1 and any(
        (name := match_name(word)) and name.topic == "career" for word in words[:8] if word
    )


def _mentions_contact(name: str) -> bool:
    words = [word for word in re.split(r"[\W_]+", name) if word][:8]
    return len(words) > 1 and any((match := match_name(word)) and match.topic == "contact" for word in words)


def _best_parent(matches: list[NameMatch | None]) -> NameMatch | None:
    parents = [name for name in reversed(matches[:-1]) if name and name.topic != "home"]
    return next((name for name in parents if name.is_whole), parents[0] if parents else None)


def _by_parent(path: Path, matches: list[NameMatch | None]) -> PageType | None:
    parent = _best_parent(matches)
    if parent is None:
        return None
    reason = f'below "{parent.matched}" ({parent.topic}, {parent.language})'
    confidence = 0.6 if parent.is_whole else 0.4
    return _decide(parent.topic, confidence, reason, path, is_below=True)


def _by_host(path: Path) -> PageType:
    topic = HOST_LABELS.get(path.host_label)
    if topic and topic != "media":
        return _decide(topic, 0.5, f"host {path.host_label}", path, is_below=True)
    if path.is_project:
        return _decide("home", 0.6, "first folder of a host of projects", path)
    return _decide("unknown", 0.2, "no known word", path, is_below=len(path.names) > 2)


def _title_name(title: str) -> NameMatch | None:
    """The meaning of a title: of the first of its parts that is a whole name, else of the first with any."""
    parts = [part.strip() for part in _TITLE_PARTS.split(title[:_MAX_TITLE]) if part.strip()][:6]
    names = [name for part in parts if (name := match_name(part)) and name.topic != "home"]
    return next((name for name in names if name.is_whole), names[0] if names else None)


def _joined(decision: PageType, name: NameMatch, source: str, path: Path) -> PageType:
    """Put a second witness beside the URL: agreement makes surer, doubt gives way to the surer one."""
    reason = f'{source} "{name.matched}" ({name.topic}, {name.language})'
    if TOPICS[name.topic].page_type == decision.page_type:
        surer = 1 - (1 - decision.confidence) * (1 - 0.6 * name.confidence)
        return replace(decision, confidence=round(min(0.99, surer), 2), reason=f"{decision.reason}; {reason}")
    # A name below a section or a mere part of a name is weaker than what people call the page.
    weight = name.confidence - (0.12 if source == "link text" else 0.2)
    is_open = decision.topic == "wp_page"  # A number says that it is a page, not which.
    if (is_open or weight > decision.confidence) and not (
        decision.topic in CONTAINERS and decision.confidence >= 0.8
    ):
        return _decide(name.topic, weight, f"{reason}; {decision.reason}", path)
    return decision
