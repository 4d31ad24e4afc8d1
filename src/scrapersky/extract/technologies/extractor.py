"""Technologies of a page: content management, shop, booking, chat, analytics, consent, hosting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scrapersky.extract.html import Document
from scrapersky.extract.results import Evidence, Hints, Technology
from scrapersky.extract.technologies.fingerprints import Fingerprints, fingerprints
from scrapersky.extract.technologies.own_assets import OwnAssets
from scrapersky.extract.technologies.tech_rules import RuleMatch, match_rules
from scrapersky.extract.technologies.wordpress import detect_wordpress, generators_of

_MAX_EVIDENCE = 3
# What a whole site is built on: one stray mention must not decide it.
_FOUNDATIONS = frozenset({"CMS", "Ecommerce", "Blogs", "Message boards", "Wikis", "LMS"})
# Numbers without a dot are as often a year, a column or a hash as a version.
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,6}){1,4}[-.]?[a-z]{0,6}\d{0,3}")
_MAJOR = re.compile(r"\d{1,3}")


@dataclass(slots=True)
class _Candidate:
    name: str
    confidence: int = 0
    version: str = ""
    is_strong: bool = False
    weak_quotes: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)

    def add(self, sign: RuleMatch) -> None:
        """Count a sign in; confidence adds up to 100."""
        self.confidence = min(100, self.confidence + sign.rule.confidence)
        self.is_strong = self.is_strong or sign.is_strong
        if not sign.is_strong and not _says_the_same(self.weak_quotes, sign.evidence.quote):
            self.weak_quotes.append(sign.evidence.quote)
        if not self.version and _is_version(sign):
            self.version = sign.version
        if len(self.evidence) < _MAX_EVIDENCE:
            self.evidence.append(sign.evidence)


def _says_the_same(quotes: Iterable[str], quote: str) -> bool:
    return any(quote in other or other in quote for other in quotes)


def _is_version(sign: RuleMatch) -> bool:
    """A dotted number, or the bare one that a product's own meta or header gives."""
    if _VERSION.fullmatch(sign.version):
        return True
    return sign.rule.place in ("meta", "headers") and _MAJOR.fullmatch(sign.version) is not None


def find_technologies(
    doc: Document, hints: Hints, *, headers: Mapping[str, str] | None = None, cookies: Iterable[str] = ()
) -> tuple[Technology, ...]:
    """The technologies of a page, surest first; the first call of a process reads the fingerprints."""
    facts = fingerprints()
    assets = OwnAssets(doc, hints)
    candidates = _wordpress(doc, assets)
    for sign in match_rules(doc, assets, facts, headers=headers or {}, cookies=cookies):
        name = sign.rule.technology
        candidates.setdefault(name, _Candidate(name)).add(sign)
    _drop_unproven(candidates, facts)
    _drop_unfounded(candidates, facts)
    _drop_excluded(candidates, facts)
    _add_implied(candidates, facts)
    listed = sorted(
        candidates.values(), key=lambda candidate: (-candidate.confidence, candidate.name.lower())
    )
    return tuple(_technology(candidate, facts) for candidate in listed)


def _wordpress(doc: Document, assets: OwnAssets) -> dict[str, _Candidate]:
    """WordPress by the same proof as in the metadata, so that both always agree."""
    own = detect_wordpress(doc, assets, generators_of(doc))
    if not own.is_present:
        return {}
    proof = [Evidence("wordpress", seen.quote, seen.start, seen.place) for seen in own.evidence]
    return {"WordPress": _Candidate("WordPress", 100, own.version or "", is_strong=True, evidence=proof)}


def _drop_unproven(candidates: dict[str, _Candidate], facts: Fingerprints) -> None:
    """A foundation needs one strong sign or two weak ones."""
    for name, candidate in list(candidates.items()):
        is_foundation = not _FOUNDATIONS.isdisjoint(facts.known[name].categories)
        if is_foundation and not candidate.is_strong and len(candidate.weak_quotes) < 2:
            del candidates[name]


def _drop_unfounded(candidates: dict[str, _Candidate], facts: Fingerprints) -> None:
    """A plugin or theme without the system it needs is not there; dropping one may unfound the next."""
    while lost := [name for name in candidates if not _has_ground(name, candidates, facts)]:
        for name in lost:
            del candidates[name]


def _has_ground(name: str, candidates: Mapping[str, _Candidate], facts: Fingerprints) -> bool:
    own = facts.known[name]
    if own.requires and not any(_is_implied(needed, candidates, facts) for needed in own.requires):
        return False
    if not own.requires_categories:
        return True
    present = {
        category for other in candidates if other != name for category in facts.known[other].categories
    }
    return not present.isdisjoint(own.requires_categories)


def _is_implied(needed: str, candidates: Mapping[str, _Candidate], facts: Fingerprints) -> bool:
    """Whether something is found, or implied by something found that does not itself need it."""
    if needed in candidates:
        return True
    return any(
        needed in (implied for implied, _, _ in facts.known[name].implies)
        and needed not in facts.known[name].requires
        for name in candidates
    )


def _drop_excluded(candidates: dict[str, _Candidate], facts: Fingerprints) -> None:
    """Of two that exclude each other the surer stays."""
    for name in sorted(candidates, key=lambda name: (-candidates[name].confidence, name)):
        if name in candidates:
            for excluded in facts.known[name].excludes:
                candidates.pop(excluded, None)


def _add_implied(candidates: dict[str, _Candidate], facts: Fingerprints) -> None:
    waiting = list(candidates)
    while waiting:
        source = candidates[waiting.pop()]
        for name, confidence, version in facts.known[source.name].implies:
            if name in candidates or name not in facts.known:
                continue
            quote = Evidence("implied", source.name, -1, "html")
            sure = min(source.confidence, confidence)
            candidates[name] = _Candidate(name, confidence=sure, version=version, evidence=[quote])
            waiting.append(name)


def _technology(candidate: _Candidate, facts: Fingerprints) -> Technology:
    categories = facts.known[candidate.name].categories
    return Technology(
        candidate.name, categories, candidate.version or None, candidate.confidence, tuple(candidate.evidence)
    )
