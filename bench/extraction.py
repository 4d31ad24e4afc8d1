"""Extraction: pages a second on one core, ours against the usual parts, on the same pages in turn.

Two comparisons, so that each is of like with like:

- all fields: ours whole against parsel (Scrapy's selectors) with a mail pattern, a pattern for profiles,
  PhoneNumberMatcher, extruct's JSON-LD, pyap for addresses (a plain pattern where it has no rules for the
  country) and patterns for names beside roles;
- few fields: what the pipeline finds without reading text for addresses and people: e-mails, valid phones,
  profiles, links, JSON-LD, title, description, language, icon and generator. Ours is then measured without
  addresses and people, too.

In both, ours also decodes hidden e-mails, judges every address, reads microdata, RDFa and hCards, makes
profiles canonical, keeps the evidence of each finding, and tells WordPress and contact forms; the pipeline
does not. Technologies are read once for a site, not on every page, and are left out on both sides. What we
remember of earlier pages is emptied before each round. What each side found stands beside its row. Most of
the labelled pages are small and full of contacts, so the pages of 50 KB and more, as the web has them, have
rows of their own.

Arguments: a folder of .html files (default: the shared labelled pages when they are there, else our case
pages) and --rounds N. Peers run in environments of their own under .venv/peers, made on the first run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers import peer
from bench.results import ROOT, Row

WORKER = Path(__file__).with_name("extraction_worker.py")
SHARED = ROOT.parent / "shared" / "evaldata" / "pages"
CASES = ROOT / "tests" / "extract" / "pages"
ENVIRONMENTS = {
    "parsel": ("parsel", "extruct", "phonenumbers", "w3lib", "pyap2", "setuptools<81"),
    "crawl4ai": ("crawl4ai",),
}
FEW = ", few fields"
# Each peer with the one of ours that finds the same fields.
PEERS = {"parsel": "ours", f"parsel{FEW}": f"ours{FEW}", "crawl4ai": "ours"}
SIZES = {"all pages": ("small", "large"), "pages of 50 KB and more": ("large",)}
GOAL = 5.0


@dataclass(slots=True)
class Runner:
    """A process that reads all pages once whenever it is told to."""

    who: str
    process: subprocess.Popen[str]

    def round(self, order: str = "go") -> dict[str, Any]:
        if self.process.stdin is None or self.process.stdout is None:
            raise SystemExit("the worker has no pipes")
        self.process.stdin.write(f"{order}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line.strip() else {"error": "the worker ended"}
        return answer


def main(argv: list[str]) -> list[Row]:
    """Measure, print progress and a JSON line, and return the rows."""
    parser = argparse.ArgumentParser(prog="bench extraction")
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED if SHARED.is_dir() else CASES)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    own = Path(sys.executable)
    runners = [Runner(who, _start(own, who, options.folder)) for who in ("ours", f"ours{FEW}")]
    notes: dict[str, str] = {}
    for who in PEERS:
        name = who.removesuffix(FEW)
        python = peer(name, ENVIRONMENTS[name])
        if python is None:
            notes[who] = "could not be installed"
        else:
            runners.append(Runner(who, _start(python, who, options.folder)))
    measured = _measured(runners, options.rounds, notes)
    rows = _rows(measured, notes)
    print(json.dumps({row.what + ", " + row.who: row.value for row in rows}))
    return rows


def _start(python: Path, who: str, folder: Path) -> subprocess.Popen[str]:
    environment = {
        "PYTHONPATH": str(ROOT / "src") if who.startswith("ours") else "",
        "PATH": "/usr/bin:/bin",
        "HOME": str(ROOT / ".venv"),
    }
    return subprocess.Popen(
        [str(python), str(WORKER), who, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip


def _measured(runners: list[Runner], rounds: int, notes: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Every runner once to warm up, then all in turn for each round; the median counts."""
    results: dict[str, dict[str, Any]] = {}
    alive = []
    for runner in runners:
        answer = runner.round()
        if "error" in answer:
            notes[runner.who] = str(answer["error"])[:80]
        else:
            alive.append(runner)
            results[runner.who] = {**answer, "times": []}
    for number in range(rounds):
        for runner in alive:
            results[runner.who]["times"].append(runner.round()["seconds"])
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    results["ours"]["parts"] = runners[0].round("parts")
    for runner in runners:
        runner.process.kill()
    return results


def _rows(results: dict[str, dict[str, Any]], notes: dict[str, str]) -> list[Row]:
    rows = []
    for title, sizes in SIZES.items():
        for who, result in results.items():
            pages, size = (sum(result[one][kind] for one in sizes) for kind in ("pages", "bytes"))
            if not pages:
                continue
            seconds = statistics.median(_seconds(result, sizes))
            found = ", ".join(f"{number} {kind}" for kind, number in result["found"].items())
            note = f"{pages} pages of {size / pages / 1000:.0f} KB"
            note += f"; found {found}" if len(sizes) > 1 else ""
            rows.append(Row(f"extraction, one core, {title}", who, pages / seconds, "pages/s", note))
            rows.append(Row(f"CPU time a page, {title}", who, 1000 * seconds / pages, "ms"))
        rows += _ratios(results, notes, title, sizes)
    pages = sum(results["ours"][one]["pages"] for one in ("small", "large"))
    for name, seconds in results["ours"]["parts"].items():
        rows.append(Row(f"of which {name}", "ours", 1000 * seconds / pages, "ms"))
    return rows


def _seconds(result: dict[str, Any], sizes: tuple[str, ...]) -> list[float]:
    """CPU seconds of each round over the pages of some sizes."""
    return [sum(one[size] for size in sizes) for one in result["times"]]


def _ratios(
    results: dict[str, dict[str, Any]], notes: dict[str, str], title: str, sizes: tuple[str, ...]
) -> list[Row]:
    """How many times as fast ours is: the median of the rounds."""
    rows = []
    for who, own in PEERS.items():
        if who not in results:
            rows.append(Row(f"{own} against, {title}", who, None, "x", notes.get(who, "not measured")))
            continue
        note = "its patterns alone" if who == "crawl4ai" else f"goal at least {GOAL:g}"
        pairs = zip(_seconds(results[who], sizes), _seconds(results[own], sizes), strict=True)
        ratios = [theirs / ours for theirs, ours in pairs if ours]
        ratio = statistics.median(ratios) if ratios else None
        rows.append(Row(f"{own} against, {title}", who, ratio, "x", f"{note}; median of the rounds"))
    return rows
