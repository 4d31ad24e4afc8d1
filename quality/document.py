"""The parts of the report: printed one after the other, and kept as docs/quality.md."""

from __future__ import annotations

from pathlib import Path

from quality import diagram, history, tables
from quality.bands import GOAL, LEAST_FINDINGS
from quality.measure import Finding, Measured

PAGE = Path(__file__).parent.parent / "docs" / "quality.md"
_HEADER = """# Quality of extraction

Written by `make quality ARGS=--keep` from all labelled pages; never edited by hand."""
_CONFIDENCE = """## How far confidence can be trusted

Every finding has a confidence from 0 to 1. The tables show how many findings of each confidence are right: a
bar that reaches the mark of its step is honest; below 0.7 a person should look.

The threshold of a field is the lowest step from which up every step with at least {least} findings is right
in {goal:.0%}: what reaches it can be delivered unseen. `AUTO_DELIVERY_MIN_CONFIDENCE` follows that of
e-mails."""
_FIELDS = """All hints are the country and the domain of the site. Peers get the country, and are shown in the
fields that they are made for; one that could not run is left out."""
_GROUPS = """## By language and country

All labelled pages: F1 with all hints; after the slash, F1 of the best peer in that field."""


def figures(measured: Measured) -> str:
    """Every figure of one set of pages."""
    title = measured.title.capitalize()
    parts = [f"## {title}: {len(measured.ours)}", _FIELDS, tables.by_field(measured)]
    if measured.hidden:
        parts += ["### E-mails that pages hide from programs", tables.hidden(measured)]
    if measured.shares:
        parts += ["### Roles, bound e-mails, types of URLs, formats", tables.shares(measured)]
    return "\n\n".join(parts)


def groups(sets: list[Measured]) -> str:
    """The figures by language and by country, of all pages together."""
    parts = [
        part for key in ("language", "country") for part in (f"### By {key}", tables.by_group(sets, key))
    ]
    return "\n\n".join([_GROUPS, *parts])


def confidence(sets: list[Measured]) -> str:
    findings: list[Finding] = [finding for measured in sets for finding in measured.findings]
    without = {field: share for measured in sets for field, share in measured.without.items()}
    said = _CONFIDENCE.format(least=LEAST_FINDINGS, goal=GOAL)
    return "\n\n".join([said, tables.thresholds(findings), diagram.render(findings, without)])


def over_time(results: str) -> str:
    return f"## Over time\n\nThe shared labelled pages.\n\n{history.render(results)}"


def keep(parts: list[str]) -> None:
    PAGE.write_text("\n\n".join([_HEADER, *parts]) + "\n", encoding="utf-8")
