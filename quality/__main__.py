"""`python -m quality`: precision, recall and F1 of every field, with other tools' figures beside them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bench import results

from quality import cases, diagram, shared
from quality.bands import Band, bands_of, name_of

# F1 of other tools on a larger set of the same kind, from the notes beside the labelled pages.
PEERS = {
    "earlier system": {"emails": 0.76, "phones": 0.16, "socials": 0.88},
    "regex on HTML": {"emails": 0.78, "phones": 0.24, "socials": 0.93},
    "links only": {"emails": 0.59, "phones": 0.37, "socials": 0.98},
    "extract-emails": {"emails": 0.92},
    "crawl4ai": {"emails": 0.76, "phones": 0.09, "socials": 0.94},
    "phone matcher": {"phones": 0.93},
    "extruct": {"emails": 0.01, "phones": 0.05, "addresses": 0.08, "socials": 0.07},
    "pyap": {"addresses": 0.17},
    "all combined": {"emails": 0.94, "phones": 0.93, "addresses": 0.08, "socials": 0.99},
}
PEERS_HIDDEN = {"regex on HTML": 0.29, "extract-emails": 0.76, "all combined": 0.79}
PEER_WITHOUT_COUNTRY = 0.51
_SETS = {
    "own": "own labelled pages",
    "shared": "shared labelled pages",
    "shared_without_country": "shared labelled pages, country unknown",
}
Figures = dict[str, tuple[float, float, float]]


def own_figures(*, with_country: bool = True, verbose: bool = False) -> Figures:
    """Figures on our own labelled pages."""
    counts = {field: [0, 0, 0] for field in cases.FIELDS}
    for name in cases.case_names():
        page = cases.reading(name, with_country=with_country)
        for field, outcome in cases.outcomes(cases.expected(name), page).items():
            for place, number in enumerate((outcome.found, len(outcome.surplus), len(outcome.missing))):
                counts[field][place] += number
            if verbose and (outcome.surplus or outcome.missing):
                print(f"  {name}: {field}: missing {outcome.missing}, too much {outcome.surplus}")
    return {field: _figures(*numbers) for field, numbers in counts.items()}


def _figures(found: int, surplus: int, missing: int) -> tuple[float, float, float]:
    precision = found / (found + surplus) if found + surplus else 0.0
    recall = found / (found + missing) if found + missing else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def shared_figures(predictions: dict[str, Any], tag: str | None = None) -> Figures:
    """Figures on the pages beside the project."""
    result = shared.scorer().evaluate(shared.gold(), predictions, "all", tag)
    return {field: (row["p"], row["r"], row["f1"]) for field, row in result["fields"].items()}


def shared_shares(predictions: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """How many roles and bound addresses of people, and types of URLs, are right, of how many."""
    extra = shared.scorer().evaluate(shared.gold(), predictions)["extra"]
    shares = {name: (extra[name]["ok"], extra[name]["of"]) for name in ("role", "bound")}
    return {**shares, "type of URL": shared.url_types()}


def _show(title: str, figures: Figures, *, peers: bool = False) -> None:
    print(f"\n{title}")
    print(f"  {'field':<11}{'precision':>10}{'recall':>8}{'F1':>7}" + ("   F1 of others" if peers else ""))
    for field, (precision, recall, both) in figures.items():
        others = {tool: row[field] for tool, row in PEERS.items() if field in row} if peers else {}
        beside = ", ".join(
            f"{tool} {value:.2f}" for tool, value in sorted(others.items(), key=lambda one: -one[1])
        )
        print(f"  {field:<11}{precision:>10.3f}{recall:>8.3f}{both:>7.3f}   {beside}".rstrip())


def band_findings() -> Iterator[tuple[str, float, bool]]:
    """Every finding on all labelled pages with its confidence, and whether it is right."""
    for name in cases.case_names():
        yield from cases.judged(cases.expected(name), cases.reading(name))
    if shared.is_there():
        yield from shared.judged()


def _show_bands(bands: dict[str, list[Band]]) -> None:
    print("\nPrecision by confidence, all labelled pages (right of all)")
    for field, of_field in bands.items():
        cells = [f"{name_of(band)}: {_share(band)}" for band in of_field]
        print(f"  {field:<11}" + "   ".join(cells))


def _share(band: Band) -> str:
    return f"{band.precision:.3f} ({band.right} of {band.total})" if band.precision is not None else "none"


def _keep(report: dict[str, Any], bands: dict[str, list[Band]]) -> None:
    """Record the figures in docs/results.md."""
    rows = [
        results.Row(f"{field}, {figure}", _SETS[part], round(value, 3))
        for part, figures in report.items()
        if part in _SETS
        for field, values in figures.items()
        for figure, value in zip(("precision", "recall", "F1"), values, strict=True)
    ]
    rows += [
        results.Row(name, "shared labelled pages", round(right / of, 3), note=f"{right} of {of}")
        for name, (right, of) in report.get("shares", {}).items()
    ]
    rows += [
        results.Row(
            f"{field}, precision of confidence {name_of(band)}",
            "all labelled pages",
            round(band.precision, 3) if band.precision is not None else None,
            note=f"{band.right} of {band.total}",
        )
        for field, of_field in bands.items()
        for band in of_field
    ]
    results.keep("quality", rows, (), command="make quality ARGS=--keep")


def main(arguments: list[str]) -> None:
    """Print the figures; `--json` prints them as one object, `-v` names every fault on our own pages.

    `--keep` also records them in docs/results.md and draws docs/quality.md.
    """
    own = own_figures(verbose="-v" in arguments)
    report: dict[str, Any] = {"own": own, "own_without_country": own_figures(with_country=False)}
    if shared.is_there():
        predictions = shared.predictions(with_country=True)
        report["shared"] = shared_figures(predictions)
        report["shared_hidden"] = {"emails": shared_figures(predictions, "obf_")["emails"]}
        report["shares"] = shared_shares(predictions)
        report["shared_without_country"] = shared_figures(shared.predictions(with_country=False))
    findings = list(band_findings())
    bands = bands_of(findings)
    if "--keep" in arguments:
        _keep(report, bands)
        if shared.is_there():
            without = {field: shared.sure_of_nothing(field) for field in ("people", "addresses")}
            diagram.keep(diagram.render(findings, without))
    if "--json" in arguments:
        listed = {field: [asdict(band) for band in of_field] for field, of_field in bands.items()}
        print(json.dumps({**report, "bands": listed}, indent=1))
        return
    _show(f"Our {len(cases.case_names())} labelled pages", own)
    _show("The same without the country as a hint", {"phones": report["own_without_country"]["phones"]})
    _show_bands(bands)
    if "shared" not in report:
        print("\nThe shared labelled pages are not here; nothing more to measure.")
        return
    _show("Shared labelled pages, country and domain as hints", report["shared"], peers=True)
    _show(f"Hidden addresses alone (others: {PEERS_HIDDEN})", report["shared_hidden"])
    for name, (right, of) in report["shares"].items():
        print(f"  {name:<11}{right / of:>10.3f} ({right} of {of})")
    without = {"phones": report["shared_without_country"]["phones"]}
    _show(f"Without the country (phone matcher {PEER_WITHOUT_COUNTRY})", without)


main(sys.argv[1:])
