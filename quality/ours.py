"""What the command reads from labelled pages, with more or less known beforehand."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from quality.scores import LabelledPage, Prediction
from scrapersky.cli.data.extract.pages import pages as command


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page before it is read."""

    name: str
    country: bool = True
    domain: bool = True


ALL_HINTS = Known("all hints")
DOMAIN_ONLY = Known("domain only", country=False)
NO_HINTS = Known("no hints", country=False, domain=False)


def predictions(pages: Sequence[LabelledPage], known: Known = ALL_HINTS) -> dict[str, Prediction]:
    """The line of every page by its id."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        source.write_text("".join(json.dumps(_line(page, known)) + "\n" for page in pages), "utf-8")
        outcome = CliRunner().invoke(command, ["--in", str(source), "--out", str(target)])
        if outcome.exit_code:
            raise SystemExit(outcome.output)
        read = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    return {line["id"]: line for line in read}


def _line(page: LabelledPage, known: Known) -> dict[str, Any]:
    line: dict[str, Any] = {"id": page.id, "path": str(page.path)}
    if known.country:
        line["country"] = page.country
    if known.domain:
        line |= {"site_domain": page.site_domain, "url": page.url}
    return line
