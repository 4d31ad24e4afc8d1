"""The labelled pages beside the project, when they are there: run through the command, scored as there."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from click.testing import CliRunner

from scrapersky.cli.extract_pages import pages

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
