"""Our own labelled pages: a folder each, with the page and what must be found on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quality.scores import FIELDS, LabelledPage, PageScore, Prediction, Score, folded

CASES = Path(__file__).parent.parent / "tests" / "extract" / "pages"
_LANGUAGE = re.compile(rb'<html[^>]*\blang="([a-z]{2})')
_Key = tuple[str, ...]


def pages() -> list[LabelledPage]:
    return [_page(file) for file in sorted(CASES.glob("*/page.html"))]


def _page(file: Path) -> LabelledPage:
    labels = json.loads(file.with_name("expected.json").read_text("utf-8"))
    language = _LANGUAGE.search(file.read_bytes())
    return LabelledPage(
        id=file.parent.name,
        path=file,
        country=labels["country"],
        site_domain=labels["site_domain"],
        url=labels.get("url", ""),
        language=language[1].decode() if language else "",
        labels=labels,
    )


def score(page: LabelledPage, prediction: Prediction) -> PageScore:
    """Every labelled field of a page compared with what was read."""
    fields = {}
    for field in FIELDS:
        if field in page.labels:
            missing, surplus = differences(field, page.labels, prediction)
            fields[field] = Score(len(page.labels[field]) - len(missing), len(surplus), len(missing))
    return PageScore(page, fields)


def differences(field: str, labels: dict[str, Any], prediction: Prediction) -> tuple[list[str], list[str]]:
    """The labels of a field that were not found, and what was found beyond them."""
    wanted = [_key(field, value) for value in labels[field]]
    allowed = [_key(field, value) for value in labels.get(f"{field}_optional", [])]
    got = [_key(field, value) for value in prediction.get(field, [])]
    missing = [key for key in wanted if not any(_same(key, other) for other in got)]
    surplus = [key for key in got if not any(_same(other, key) for other in wanted + allowed)]
    return [" ".join(key) for key in missing], [" ".join(key) for key in surplus]


def judged(page: LabelledPage, prediction: Prediction) -> Iterator[tuple[str, float, bool]]:
    """Every finding in a labelled field with its confidence, and whether it is one of the labels."""
    for field in FIELDS:
        if field not in page.labels:
            continue
        known = [
            _key(field, value) for value in page.labels[field] + page.labels.get(f"{field}_optional", [])
        ]
        for value, finding in zip(prediction[field], prediction["evidence"][field], strict=True):
            key = _key(field, value)
            yield field, finding["confidence"], any(_same(one, key) for one in known)


def _same(wanted: _Key, got: _Key) -> bool:
    return all(part in other for part, other in zip(wanted, got, strict=True))


def _key(field: str, value: Any) -> _Key:
    """What is compared of a label or of a found value."""
    if field == "addresses":
        if isinstance(value, str):
            return folded(value), folded(value)
        return folded(value.get("text") or value["street"]), folded(value["postcode"] or "")
    if field == "people":
        return (folded(value if isinstance(value, str) else value["name"]),)
    return (value,)
