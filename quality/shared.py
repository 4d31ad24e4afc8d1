"""The labelled pages beside the project, when they are there: run through the command, scored as there."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from click.testing import CliRunner

from scrapersky.cli.data.extract.pages import pages
from scrapersky.extract.page import PageReading, read_page
from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.results import Hints

FOLDER = Path(__file__).parent.parent.parent / "shared" / "evaldata"


def is_there() -> bool:
    return (FOLDER / "gold.json").is_file() and (FOLDER / "score.py").is_file()


def gold() -> list[dict[str, Any]]:
    labelled: list[dict[str, Any]] = json.loads((FOLDER / "gold.json").read_text("utf-8"))["pages"]
    return labelled


def predictions(*, with_country: bool) -> dict[str, dict[str, Any]]:
    """What the command reads from every page, with the site's domain and perhaps the country as hints."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        lines = [_line(page, with_country=with_country) for page in gold()]
        source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        outcome = CliRunner().invoke(pages, ["--in", str(source), "--out", str(target)])
        if outcome.exit_code:
            raise SystemExit(outcome.output)
        read = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    return {line["id"]: line for line in read}


def url_types() -> tuple[int, int]:
    """How many of the labelled URLs get their type, of how many."""
    lines = (FOLDER / "url_types.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return sum(1 for _, kinds, url in rows if classify_url(url).kind in kinds.split("|")), len(rows)


def sure_of_nothing(field: str) -> tuple[int, int]:
    """On how many pages without a value in a field one is found at 0.9 or more, of how many such pages."""
    pages = [
        page
        for page in gold()
        if not page[field] and not page[f"{field}_optional"] and field not in page["open_fields"]
    ]
    return sum(1 for page in pages if any(one.confidence >= 0.9 for one in getattr(_read(page), field))), len(
        pages
    )


def _read(page: dict[str, Any]) -> PageReading:
    body = (FOLDER / "pages" / f"{page['id']}.html").read_bytes()
    return read_page(body, Hints(page["country"], page["site_domain"], ""))


def judged() -> Iterator[tuple[str, float, bool]]:
    """Every finding on the pages with its confidence, and whether it is one of the labels."""
    rules = scorer()
    for page in gold():
        reading = _read(page)
        for field, (value_of, is_same) in _rules(rules, page["country"]).items():
            labels = page[field] + page[f"{field}_optional"]
            for finding in getattr(reading, field):
                is_right = any(is_same(value_of(finding), label) for label in labels)
                if is_right or field not in page["open_fields"]:
                    yield field, finding.confidence, is_right


def _rules(
    rules: ModuleType, country: str
) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]]:
    """For each field what is compared of a finding, and how it is compared with a label."""
    return {
        "emails": (lambda one: one.address, lambda value, label: value == rules.norm_email(label)),
        "phones": (lambda one: one.e164, lambda value, label: value == rules.norm_phone(label, country)),
        "addresses": (lambda one: f"{one.street} {one.text}", rules.addr_match),
        "socials": (
            lambda one: rules.norm_social(one.url),
            lambda value, label: value == rules.norm_social(label),
        ),
        "people": (
            lambda one: one.name,
            lambda value, label: rules.name_match(value, label["name"] if isinstance(label, dict) else label),
        ),
    }


def _line(page: dict[str, Any], *, with_country: bool) -> dict[str, Any]:
    path = (FOLDER / "pages" / f"{page['id']}.html").resolve()
    country = page["country"] if with_country else None
    return {"id": page["id"], "path": str(path), "country": country, "site_domain": page["site_domain"]}


def scorer() -> ModuleType:
    """The scoring script that lies beside the labels."""
    spec = importlib.util.spec_from_file_location("evaldata_score", FOLDER / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit("the scoring script cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
