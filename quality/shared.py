"""The labelled pages beside the project, when they are there: scored by the script beside them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from quality.scores import LabelledPage, PageScore, Prediction, Score
from scrapersky.extract.pagetypes import classify_url

FOLDER = Path(__file__).parent.parent.parent / "shared" / "evaldata"
_SHARES = ("role", "bound")
_HIDDEN = "obf_"


def is_there() -> bool:
    return (FOLDER / "gold.json").is_file() and (FOLDER / "score.py").is_file()


def pages() -> list[LabelledPage]:
    gold: list[dict[str, Any]] = json.loads((FOLDER / "gold.json").read_text("utf-8"))["pages"]
    return [
        LabelledPage(
            id=labels["id"],
            path=(FOLDER / "pages" / f"{labels['id']}.html").resolve(),
            country=labels["country"],
            site_domain=labels["site_domain"],
            url="",
            language=labels["language"],
            labels=labels,
        )
        for labels in gold
    ]


def score(page: LabelledPage, prediction: Prediction) -> PageScore:
    """Every field of a page compared with what was read."""
    parts, extra = _scorer().score_page(page.labels, prediction)
    fields = {field: Score(*numbers[:3]) for field, numbers in parts.items()}
    return PageScore(page, fields, {name: extra[name] for name in _SHARES})


def hides_emails(page: LabelledPage) -> bool:
    return any(tag.startswith(_HIDDEN) for tag in page.labels["tags"])


def url_types() -> tuple[int, int]:
    """How many of the labelled URLs get their type, of how many."""
    lines = (FOLDER / "url_types.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return sum(1 for _, kinds, url in rows if classify_url(url).kind in kinds.split("|")), len(rows)


def judged(page: LabelledPage, prediction: Prediction) -> Iterator[tuple[str, float, bool]]:
    """Every finding on a page with its confidence, and whether it is one of the labels."""
    rules = _rules(_scorer(), page.country or "")
    for field, (value_of, is_same) in rules.items():
        labels = page.labels[field] + page.labels[f"{field}_optional"]
        for finding in prediction["evidence"][field]:
            is_right = any(is_same(value_of(finding), label) for label in labels)
            if is_right or field not in page.labels["open_fields"]:
                yield field, finding["confidence"], is_right


def lacks(page: LabelledPage, field: str) -> bool:
    """Whether a page has no value of a field, not even one that may be found."""
    return not (page.labels[field] or page.labels[f"{field}_optional"] or field in page.labels["open_fields"])


def _rules(
    rules: ModuleType, country: str
) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]]:
    """For each field what is compared of a finding, and how it is compared with a label."""
    return {
        "emails": (lambda one: one["address"], lambda value, label: value == rules.norm_email(label)),
        "phones": (lambda one: one["e164"], lambda value, label: value == rules.norm_phone(label, country)),
        "addresses": (lambda one: f"{one['street']} {one['text']}", rules.addr_match),
        "socials": (
            lambda one: rules.norm_social(one["url"]),
            lambda value, label: value == rules.norm_social(label),
        ),
        "people": (
            lambda one: one["name"],
            lambda value, label: rules.name_match(value, label["name"] if isinstance(label, dict) else label),
        ),
    }


@cache
def _scorer() -> ModuleType:
    """The scoring script that lies beside the labels."""
    spec = importlib.util.spec_from_file_location("evaldata_score", FOLDER / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit("the scoring script cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
