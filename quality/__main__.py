"""`python -m quality`: precision, recall and F1 of every field, with other tools beside ours."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from bench import results

from quality import document, measure, ours, shared, tables
from quality.bands import bands_of, name_of
from quality.measure import Measured
from quality.scores import Score, total


def main(arguments: list[str]) -> None:
    """Print every figure; `--keep` also records them in docs/results.md and docs/quality.md."""
    parser = argparse.ArgumentParser(prog="quality", description=main.__doc__)
    parser.add_argument("--keep", action="store_true", help="record the figures")
    parser.add_argument("--no-peers", action="store_true", help="measure ours alone, which is quick")
    options = parser.parse_args(arguments)
    sets = [measure.own_pages(with_peers=not options.no_peers)]
    if shared.is_there():
        sets.append(measure.shared_pages(with_peers=not options.no_peers))
    if options.keep:
        results.keep("quality", list(_rows(sets)), (), command="make quality ARGS=--keep")
    before = results.PAGE.read_text(encoding="utf-8") if results.PAGE.is_file() else ""
    figures = [document.figures(measured) for measured in reversed(sets)]
    parts = [document.confidence(sets), *figures, document.groups(sets), document.over_time(before)]
    print("\n\n".join(parts))
    if not shared.is_there():
        print("\nThe shared labelled pages are not here; only our own are measured, and no page is written.")
    elif options.keep:
        document.keep(parts)


def _rows(sets: list[Measured]) -> Iterator[results.Row]:
    """The figures as rows of docs/results.md."""
    for measured in sets:
        for name, scores in measured.readers.items():
            who = f"{measured.title}, {name}" if name != ours.ALL_HINTS.name else measured.title
            for field, score in total(scores).items():
                yield _row(field, who, score)
        for name, score in measured.hidden.items():
            if name == ours.ALL_HINTS.name:
                yield _row("hidden emails", measured.title, score)
        for name, (right, of) in measured.shares.items():
            yield results.Row(name, measured.title, round(right / of, 3), note=f"{right} of {of}")
    findings = [finding for measured in sets for finding in measured.findings]
    for field, bands in bands_of(findings).items():
        for band in bands:
            what = f"{field}, precision of confidence {name_of(band)}"
            value = tables.share((band.right, band.total))
            yield results.Row(what, "all labelled pages", value, note=f"{band.right} of {band.total}")


def _row(field: str, who: str, score: Score) -> results.Row:
    note = f"precision {score.precision:.3f}, recall {score.recall:.3f}"
    return results.Row(f"{field}, F1", who, round(score.f1, 3), note=note)


if __name__ == "__main__":
    main(sys.argv[1:])
