"""The figures as tables that read well on a terminal and in a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from quality.bands import bands_of, threshold_of
from quality.diagram import STEPS
from quality.measure import Finding, Measured, Share
from quality.scores import FIELDS, PageScore, Score, grouped, total

NOTHING = "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """A table in Markdown, its columns as wide as needed; the first `words` columns are not numbers."""
    rows = list(rows)
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    rule = ["-" * width if place < words else "-" * (width - 1) + ":" for place, width in enumerate(widths)]
    return "\n".join(
        "| "
        + " | ".join(
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in [heads, rule, *rows]
    )


def by_field(measured: Measured) -> str:
    """For every field ours with more or less known beforehand, then the peers."""
    totals = {name: total(scores) for name, scores in measured.readers.items()}
    peers = measured.peers
    rows = [
        (field, name if name in peers else f"ours, {name}", *_figures(fields[field]))
        for field in FIELDS
        for name, fields in totals.items()
        if field in fields
    ]
    return table(("Field", "Who", "Precision", "Recall", "F1"), rows, words=2)


def hidden(measured: Measured) -> str:
    rows = [
        (name if name in measured.peers else f"ours, {name}", *_figures(score))
        for name, score in measured.hidden.items()
    ]
    return table(("Who", "Precision", "Recall", "F1"), rows)


def shares(measured: Measured) -> str:
    rows = [(name, share(value), str(value[0]), str(value[1])) for name, value in measured.shares.items()]
    return table(("What", "Share", "Right", "Of"), rows)


def by_group(sets: list[Measured], key: str) -> str:
    """F1 of ours by language or country, and of the best peer after the slash."""
    ours = _grouped((measured.ours for measured in sets), key)
    names = dict.fromkeys(name for measured in sets for name in measured.peers)
    peers = [_grouped((measured.peers.get(name, []) for measured in sets), key) for name in names]
    rows = [
        (name, str(len(scores)), *_beside(scores, [groups.get(name, []) for groups in peers]))
        for name, scores in ours.items()
    ]
    return table((key.capitalize(), "Pages", *(field.capitalize() for field in FIELDS)), rows)


def _grouped(scores: Iterable[list[PageScore]], key: str) -> dict[str, list[PageScore]]:
    return grouped(chain.from_iterable(scores), lambda page: getattr(page, key))


def _beside(ours: list[PageScore], peers: list[list[PageScore]]) -> list[str]:
    own, others = total(ours), [total(scores) for scores in peers]
    cells = []
    for field in FIELDS:
        best = max((fields[field].f1 for fields in others if field in fields), default=None)
        score = own.get(field, Score())
        if not score.labels:
            cells.append(f"{score.surplus} wrong" if score.surplus else NOTHING)
        else:
            cells.append(f"{score.f1:.2f}" + ("" if best is None else f" / {best:.2f}"))
    return cells


def thresholds(findings: list[Finding]) -> str:
    """From which confidence up each field can be delivered unseen, and how often that was right."""
    rows = []
    for field, bands in bands_of(findings, floors=STEPS).items():
        floor = threshold_of(bands)
        sure = [band for band in bands if floor is not None and band.floor >= floor]
        right, of = sum(band.right for band in sure), sum(band.total for band in sure)
        rows.append(
            (field, NOTHING if floor is None else f"{floor:g}", share((right, of)), str(right), str(of))
        )
    return table(("Field", "Threshold", "Precision", "Right", "Of"), rows)


def share(value: Share) -> str:
    right, of = value
    return f"{right / of:.3f}" if of else NOTHING


def _figures(score: Score) -> tuple[str, str, str]:
    return f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}"
