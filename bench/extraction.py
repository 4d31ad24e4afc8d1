"""Extraction: pages a second on one core, ours against the usual parts, on the same pages in turn.

Both sides read e-mails, phones, socials, links, JSON-LD and the title, description, language, icon and
generator; ours also hidden e-mails, and addresses and people in text. Technologies are read once for a site,
not on every page, and are left out on both sides. What we remember of earlier pages is emptied before each
round.

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

from bench.results import ROOT, Row

WORKER = Path(__file__).with_name("extraction_worker.py")
SHARED = ROOT.parent / "shared" / "evaldata" / "pages"
CASES = ROOT / "tests" / "extract" / "pages"
PEERS = {
    "parsel": ("parsel", "extruct", "phonenumbers", "w3lib", "setuptools<81"),
    "crawl4ai": ("crawl4ai",),
}
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
    runners = [Runner("ours", _start(Path(sys.executable), "ours", options.folder))]
    notes: dict[str, str] = {}
    for who, packages in PEERS.items():
        python = _environment(who, packages)
        if python is None:
            notes[who] = "could not be installed"
        else:
            runners.append(Runner(who, _start(python, who, options.folder)))
    measured = _measured(runners, options.rounds, notes)
    rows = _rows(measured, notes)
    print(json.dumps({row.what + ", " + row.who: row.value for row in rows}))
    return rows


def _environment(who: str, packages: tuple[str, ...]) -> Path | None:
    """The interpreter of a peer's own environment, made when it is missing."""
    folder = ROOT / ".venv" / "peers" / who
    python = folder / "bin" / "python"
    if python.exists() and (folder / "complete").exists():
        return python
    print(f"making an environment for {who}", file=sys.stderr)
    commands = (
        ["uv", "venv", "-q", "--clear", str(folder)],
        ["uv", "pip", "install", "-q", "-p", str(python), *packages],
    )
    for command in commands:
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=900)
        except (OSError, subprocess.SubprocessError) as fault:
            print(f"{who}: {fault}", file=sys.stderr)
            return None
    (folder / "complete").touch()
    return python


def _start(python: Path, who: str, folder: Path) -> subprocess.Popen[str]:
    environment = {
        "PYTHONPATH": str(ROOT / "src") if who == "ours" else "",
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
    speeds = {}
    for who, result in results.items():
        seconds = statistics.median(result["times"])
        speeds[who] = result["pages"] / seconds
        found = ", ".join(f"{number} {kind}" for kind, number in result["found"].items())
        note = f"{result['pages']} pages of {result['bytes'] / result['pages'] / 1000:.0f} KB; found {found}"
        rows.append(Row("extraction, one core", who, speeds[who], "pages/s", note))
        rows.append(Row("CPU time a page", who, 1000 * seconds / result["pages"], "ms"))
    for name, seconds in results["ours"]["parts"].items():
        rows.append(Row(f"of which {name}", "ours", 1000 * seconds / results["ours"]["pages"], "ms"))
    for who in PEERS:
        if who in speeds:
            note = f"goal at least {GOAL:g}" if who == "parsel" else "its patterns alone"
            pairs = zip(results[who]["times"], results["ours"]["times"], strict=True)
            ratio = statistics.median(theirs / own for theirs, own in pairs)
            rows.append(Row("ours against", who, ratio, "x", f"{note}; median of the rounds"))
        else:
            rows.append(Row("ours against", who, None, "x", notes.get(who, "not measured")))
    return rows
