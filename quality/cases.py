"""Our own labelled pages: a folder each, with the page and what must be found on it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.results import Hints

CASES = Path(__file__).parent.parent / "tests" / "extract" / "pages"
FIELDS = ("emails", "phones", "addresses", "socials", "people")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one field of one page came to: found, missing and too much."""

    found: int
    missing: tuple[str, ...]
    surplus: tuple[str, ...]


def case_names() -> list[str]:
    return sorted(folder.name for folder in CASES.iterdir() if (folder / "page.html").is_file())


def expected(name: str) -> dict[str, Any]:
    labels: dict[str, Any] = json.loads((CASES / name / "expected.json").read_text("utf-8"))
    return labels


def reading(name: str, *, with_country: bool = True) -> PageReading:
    labels = expected(name)
    country = labels["country"] if with_country else None
    hints = Hints(country, labels["site_domain"], labels.get("url", ""))
    return read_page((CASES / name / "page.html").read_bytes(), hints)


def outcomes(labels: dict[str, Any], page: PageReading) -> dict[str, Outcome]:
    """Every labelled field of a page compared with what was read."""
    return {field: _outcome(field, labels, page) for field in FIELDS if field in labels}


def judged(labels: dict[str, Any], page: PageReading) -> Iterator[tuple[str, float, bool]]:
    """Every finding in a labelled field with its confidence, and whether it is one of the labels."""
    for field in FIELDS:
        if field not in labels:
            continue
        known = [_label_key(field, value) for value in labels[field] + labels.get(f"{field}_optional", [])]
        for finding in getattr(page, field):
            key = _found_key(field, finding)
            yield field, finding.confidence, any(_same(one, key) for one in known)


def _outcome(field: str, labels: dict[str, Any], page: PageReading) -> Outcome:
    wanted = [_label_key(field, value) for value in labels[field]]
    allowed = [_label_key(field, value) for value in labels.get(f"{field}_optional", [])]
    got = [_found_key(field, finding) for finding in getattr(page, field)]
    found = [key for key in wanted if any(_same(key, other) for other in got)]
    surplus = [key for key in got if not any(_same(other, key) for other in wanted + allowed)]
    missing = [key for key in wanted if key not in found]
    return Outcome(len(found), tuple(map(" ".join, missing)), tuple(map(" ".join, surplus)))


def _same(wanted: tuple[str, ...], got: tuple[str, ...]) -> bool:
    return all(part in other for part, other in zip(wanted, got, strict=True))


def _label_key(field: str, value: Any) -> tuple[str, ...]:
    if field == "addresses":
        return _folded(value["street"]), _folded(value["postcode"])
    return (_folded(value) if field == "people" else value,)


def _found_key(field: str, finding: Any) -> tuple[str, ...]:
    if field == "addresses":
        return _folded(finding.text or finding.street), _folded(finding.postcode or "")
    names = {"emails": "address", "phones": "e164", "socials": "url", "people": "name"}
    value = str(getattr(finding, names[field]))
    return (_folded(value) if field == "people" else value,)


def _folded(text: str) -> str:
    """Letters and digits only, in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.lower())
    return "".join(character for character in plain if character.isalnum())
