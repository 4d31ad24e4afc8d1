"""One set of labelled pages, read by us with more or less known beforehand, and by the peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quality import cases, formats, ours, peers, shared
from quality.scores import LabelledPage, PageScore, Prediction, Score, total, total_shares

Finding = tuple[str, float, bool]
Share = tuple[int, int]


@dataclass(slots=True)
class Measured:
    """The scores of every reader of one set, ours first."""

    title: str
    readers: dict[str, list[PageScore]]
    findings: list[Finding]
    shares: dict[str, Share]
    # For a field the pages without a value that got one at 0.9 or more, and all pages without one.
    without: dict[str, Share]
    hidden: dict[str, Score]

    @property
    def ours(self) -> list[PageScore]:
        return self.readers[ours.ALL_HINTS.name]

    @property
    def peers(self) -> dict[str, list[PageScore]]:
        return {peer.name: self.readers[peer.name] for peer in peers.PEERS if peer.name in self.readers}


def own_pages(*, with_peers: bool) -> Measured:
    pages = cases.pages()
    readings = ours.predictions(pages)
    readers = _readers(pages, readings, cases.score, with_peers=with_peers)
    findings = [one for page in pages for one in cases.judged(page, readings[page.id])]
    return Measured("own labelled pages", readers, findings, {}, {}, {})


def shared_pages(*, with_peers: bool) -> Measured:
    pages = shared.pages()
    readings = ours.predictions(pages)
    readers = _readers(pages, readings, shared.score, with_peers=with_peers)
    shares = total_shares(readers[ours.ALL_HINTS.name])
    shares |= {"type of URL": shared.url_types(), "address formats": formats.found()}
    return Measured(
        "shared labelled pages",
        readers,
        [one for page in pages for one in shared.judged(page, readings[page.id])],
        shares,
        {field: _sure_of_nothing(pages, readings, field) for field in ("people", "addresses")},
        dict(_hidden(readers)),
    )


def _readers(
    pages: list[LabelledPage],
    readings: dict[str, Prediction],
    score: Callable[[LabelledPage, Prediction], PageScore],
    *,
    with_peers: bool,
) -> dict[str, list[PageScore]]:
    everyone = {ours.ALL_HINTS.name: readings}
    everyone |= {known.name: ours.predictions(pages, known) for known in (ours.DOMAIN_ONLY, ours.NO_HINTS)}
    scores = {name: [score(page, read[page.id]) for page in pages] for name, read in everyone.items()}
    for peer in peers.PEERS if with_peers else ():
        read = peers.predictions(peer, pages)
        if read is not None:
            scores[peer.name] = [_only(score(page, read[page.id]), peer.fields) for page in pages]
    return scores


def _only(score: PageScore, fields: tuple[str, ...]) -> PageScore:
    """The fields that a peer is made for."""
    return PageScore(score.page, {name: part for name, part in score.fields.items() if name in fields})


def _hidden(readers: dict[str, list[PageScore]]) -> Iterator[tuple[str, Score]]:
    """How every reader does on pages that hide their addresses from programs."""
    for name, scores in readers.items():
        sums = total(score for score in scores if shared.hides_emails(score.page))
        if "emails" in sums:
            yield name, sums["emails"]


def _sure_of_nothing(pages: list[LabelledPage], readings: dict[str, Prediction], field: str) -> Share:
    """On how many pages without a value in a field one is found at 0.9 or more, of how many such pages."""
    empty = [readings[page.id]["evidence"][field] for page in pages if shared.lacks(page, field)]
    return sum(any(one["confidence"] >= 0.9 for one in found) for found in empty), len(empty)
