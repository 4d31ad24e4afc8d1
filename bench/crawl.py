"""The same demo world crawled end to end by us, by Scrapy and by Crawlee, in turn, with the same manners.

Manners: one request at a time per host, a gap of 20 ms, robots.txt obeyed, 5 s for an answer, the home page,
its promising links and the sitemaps' promising pages. Scrapy reads pages by two patterns or, as "scrapy
usual", with selectors, PhoneNumberMatcher and JSON-LD; x2 is two processes of it.

Requests and pages are counted where they are felt, in the log of the world's server. Speed is judged at the
moment at which 95 % of a crawler's own pages were there, because what comes after is waiting for hosts that
never answer; the whole time is a row too. "ours, stage by stage" is the same product without visits.

Arguments: --size and --seed of the world, --rounds N, --processes N and --reading N (workers of ours, and
what reads pages for each), --only WHO (may be repeated), --seconds (the longest run), --keep FOLDER
(environments of the peers; default .venv/peers).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from bench import crawl_ours
from bench.crawl_stand import Watch, pages_of, requests_of, world
from bench.peers import FOLDER, peer
from bench.results import ROOT, Row
from scrapersky_demo.evaluation import score
from scrapersky_demo.world import World

PEERS = {
    "scrapy": ("scrapy", "uvloop", "extruct", "phonenumbers"),
    "crawlee": ("crawlee[parsel]",),
}
# The same product with visits switched off: each stage takes its turn over all sites.
STAGED = "ours, stage by stage"
CRAWLERS = ("ours", STAGED, "scrapy", "scrapy usual", "scrapy x2", "crawlee")
GOAL = 2.0
MEMORY_GOAL = 300
# Of its own pages, so many must have come before the clock is read.
MOST = 0.95


def main(argv: list[str]) -> list[Row]:
    options = _options(argv)
    crawlers = [who for who in CRAWLERS if who in options.only]
    wanted = {who.split()[0] for who in crawlers}
    pythons = {who: peer(who, packages, options.keep) for who, packages in PEERS.items() if who in wanted}
    results: dict[str, list[dict[str, Any]]] = defaultdict(list)
    missing: dict[str, str] = {}
    for number in range(options.rounds):
        for who in crawlers:
            python = pythons.get(who.split()[0])
            if not _is_ours(who) and python is None:
                missing[who] = "could not be installed"
                continue
            result = _measured(who, python, options)
            results[who].append(result)
            shown = {name: value for name, value in result.items() if name not in ("found", "stored", "log")}
            print(f"round {number + 1}, {who}: {json.dumps(shown)}", file=sys.stderr)
    rows = _rows(results, missing)
    print(json.dumps({f"{row.what}, {row.who}": row.value for row in rows}))
    return rows


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench crawl")
    parser.add_argument("--size", type=int, default=400)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--reading", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--only", action="append")
    parser.add_argument("--keep", type=Path, default=FOLDER)
    options = parser.parse_args(argv)
    options.only = options.only or list(CRAWLERS)
    return options


def _measured(who: str, python: Path | None, options: argparse.Namespace) -> dict[str, Any]:
    """One crawl of a fresh world, and what its server saw of it."""
    invented = World(options.seed, options.size)
    with tempfile.TemporaryDirectory(prefix="crawl-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with world(options.seed, options.size, folder) as (port, log):
            if python is None or _is_ours(who):
                result = crawl_ours.crawl(
                    invented.domains(), port, folder, processes=options.processes, reading=options.reading,
                    most_seconds=options.seconds, visits=who != STAGED,
                )  # fmt: skip
            else:
                result = _peer(who, python, invented.domains(), port, folder, options.seconds)
        requests = [one for one in requests_of(log) if one.start >= result["began"]]
    pages = pages_of(requests)
    first = min((one.start for one in requests), default=0.0)
    came = sorted(one.end for one in pages)
    until = came[int(len(came) * MOST)] if came else first + 1
    judged = score(result.pop("found"), invented.truth())
    stored = result.pop("stored", {})
    # The moments of right contacts; those of a peer are known only when it ends.
    moments = sorted(at for contact, at in stored.items() if contact not in set(judged.false))
    return {
        **result,
        "contacts_95": round(moments[int(len(moments) * MOST)], 2) if moments else 0.0,
        "requests": len(requests),
        "pages": len(pages),
        "seconds": round(result["ended"] - result["began"], 2),
        "speed": round(len(pages) * MOST / (until - first), 1),
        "whole_speed": round(len(pages) / (result["ended"] - first), 1),
        "right": judged.right,
        "precision": round(judged.precision, 4),
        "recall": round(judged.recall, 4),
    }


def _is_ours(who: str) -> bool:
    return who.startswith("ours")


def _peer(
    who: str, python: Path, domains: Sequence[str], port: int, folder: Path, most_seconds: float
) -> dict[str, Any]:
    """Run a peer on the domains, in as many processes as its name says, and read what it found."""
    module = f"crawl_{who.split()[0]}"
    processes = 2 if who.endswith("x2") else 1
    running, outs = [], []
    began = monotonic()
    for number in range(processes):
        mine, out = folder / f"domains-{number}.txt", folder / f"found-{number}.jsonl"
        mine.write_text("\n".join(domains[number::processes]), encoding="utf-8")
        outs.append(out)
        command = [str(python), "-m", f"bench.{module}", str(port), str(mine), str(out), *who.split()[1:]]
        running.append(_started(command, folder))
    is_complete = True
    with Watch(*(one.pid for one in running)) as watch:
        for one in running:
            try:
                one.wait(timeout=max(1.0, began + most_seconds - monotonic()))
            except subprocess.TimeoutExpired:
                is_complete = False
                one.kill()
                one.wait()
    if any(one.returncode for one in running):
        print((folder / "errors").read_text(encoding="utf-8")[-2_000:], file=sys.stderr)
    lines = [json.loads(line) for out in outs if out.exists() for line in out.open(encoding="utf-8")]
    found = [(line["domain"], value) for line in lines for value in line["values"]]
    return {
        "found": found, "began": began, "ended": monotonic(), "is_complete": is_complete,
        "cpu": watch.cpu_seconds, "database_cpu": 0.0, "peak": watch.peak_mib,
    }  # fmt: skip


def _started(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    with (folder / "errors").open("a", encoding="utf-8") as errors:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )


def _rows(results: dict[str, list[dict[str, Any]]], missing: dict[str, str]) -> list[Row]:
    rows: list[Row] = []
    middle: dict[str, dict[str, float]] = {}
    for who, runs in results.items():
        one = middle[who] = {name: statistics.median(run[name] for run in runs) for name in _FIGURES}
        one["all_cpu"] = one["cpu"] + one["database_cpu"]
        one["cpu_a_page"] = 1000 * one["all_cpu"] / max(one["pages"], 1)
        one["cpu_a_request"] = 1000 * one["all_cpu"] / max(one["requests"], 1)
        one["contacts_a_cpu_second"] = one["right"] / max(one["all_cpu"], 0.01)
        one["requests_a_contact"] = one["requests"] / max(one["right"], 1)
        one["contacts_a_second"] = one["right"] / one["seconds"]
        spread = "-".join(f"{run['speed']:.0f}" for run in sorted(runs, key=lambda run: run["speed"]))
        note = f"{one['pages']:.0f} pages, {one['requests']:.0f} requests, {one['seconds']:.1f} s; {spread}"
        rows += [
            Row("right contacts a CPU-second", who, one["contacts_a_cpu_second"], "", "with the database"),
            Row("right contacts a request", who, one["right"] / max(one["requests"], 1)),
            Row("crawl, to 95 % of its pages", who, one["speed"], "pages/s", note),
            Row("crawl, whole", who, one["whole_speed"], "pages/s"),
            Row("CPU a page", who, one["cpu_a_page"], "ms", f"{_of_database(one)} of the database"),
            Row("CPU a request", who, one["cpu_a_request"], "ms"),
            Row("right contacts", who, one["right"], "", _quality(one)),
            Row("right contacts a second", who, one["contacts_a_second"], "", "over the whole crawl"),
            Row("requests a right contact", who, one["requests_a_contact"]),
            Row("largest process", who, one["peak"], "MiB", f"goal {MEMORY_GOAL}" if who == "ours" else ""),
        ]
        rows += _own_rows(who, one, runs) if _is_ours(who) else []
    return rows + _ratios(middle, missing)


def _own_rows(who: str, one: dict[str, float], runs: list[dict[str, Any]]) -> list[Row]:
    """What is known of our own crawls alone, from the database."""
    transactions = statistics.median(run["transactions"] for run in runs)
    moment = statistics.median(run["contacts_95"] for run in runs)
    note = "from the first submission"
    return [
        Row("transactions a page", who, transactions / max(one["pages"], 1)),
        Row("95 % of the right contacts stored", who, moment, "s", note),
    ]


def _of_database(one: dict[str, float]) -> str:
    return f"{1000 * one['database_cpu'] / max(one['pages'], 1):.1f} ms"


_FIGURES = (
    "speed", "whole_speed", "pages", "requests", "seconds", "cpu", "database_cpu", "peak", "right",
    "precision", "recall",
)  # fmt: skip


def _quality(one: dict[str, float]) -> str:
    return f"precision {one['precision']:.3f}, recall {one['recall']:.3f}"


def _ratios(middle: dict[str, dict[str, float]], missing: dict[str, str]) -> list[Row]:
    rows = [Row("ours against", who, None, "x", why) for who, why in missing.items()]
    ours = middle.get("ours")
    if ours is None:
        return rows
    for who, one in middle.items():
        if who != "ours":
            goal = f"goal at least {GOAL:g}" if who == "scrapy" else ""
            rows.append(Row("speed, ours against", who, ours["speed"] / one["speed"], "x", goal))
            per_request = one["requests_a_contact"] / ours["requests_a_contact"]
            rows.append(Row("right contacts a request, ours against", who, per_request, "x"))
            per_second = ours["contacts_a_second"] / one["contacts_a_second"]
            rows.append(Row("right contacts a second, ours against", who, per_second, "x"))
            rows.append(Row("CPU a page, against ours", who, one["cpu_a_page"] / ours["cpu_a_page"], "x"))
            rows.append(Row("CPU of the whole job, ours against", who, ours["all_cpu"] / one["all_cpu"], "x"))
            per_cpu = ours["contacts_a_cpu_second"] / max(one["contacts_a_cpu_second"], 0.01)
            rows.append(Row("right contacts a CPU-second, ours against", who, per_cpu, "x"))
    return rows
