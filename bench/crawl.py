"""The same demo world crawled end to end by us, by Scrapy and by Crawlee, in turn, with the same manners.

Manners: one request at a time per host, a gap of 20 ms, robots.txt obeyed, 5 s for an answer, the home page,
its promising links and the sitemaps' promising pages, and as many sites at once. Scrapy reads pages by two
patterns or, as "scrapy usual", with selectors, PhoneNumberMatcher and JSON-LD; x2 is two processes of it.

All is counted from the moment at which a crawler's processes are started, with the names of the domains at
hand, to the moment at which nothing is left to do; the CPU time is that of all processes from their first
moment to their last, and of the database. Requests and pages are counted where they are felt, in the log of
the world's server. "ours, stage by stage" is the same product without visits.

Arguments: --size (of the world, may be repeated) and --seed, --rounds N, --at-once N (sites), --processes N
and --reading N (workers of ours, and what reads pages for each), --stored N (pages that are in our database
before), --only WHO (may be repeated), --seconds (the longest run), --keep FOLDER (environments of the peers;
default .venv/peers).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from bench import crawl_ours
from bench.crawl_figures import Figures, figures_of, rows_of
from bench.crawl_stand import Watch, ended_cpu, requests_of, world
from bench.peers import FOLDER, peer
from bench.results import ROOT, Row
from scrapersky_demo.world import World

PEERS = {
    "scrapy": ("scrapy", "uvloop", "extruct", "phonenumbers"),
    "crawlee": ("crawlee[parsel]",),
}
# The same product with visits switched off: each stage takes its turn over all sites.
STAGED = "ours, stage by stage"
CRAWLERS = ("ours", STAGED, "scrapy", "scrapy usual", "scrapy x2", "crawlee")


def main(argv: list[str]) -> list[Row]:
    options = _options(argv)
    crawlers = [who for who in CRAWLERS if who in options.only]
    wanted = {who.split()[0] for who in crawlers}
    pythons = {who: peer(who, packages, options.keep) for who, packages in PEERS.items() if who in wanted}
    missing = [who for who in crawlers if not _is_ours(who) and pythons.get(who.split()[0]) is None]
    rows = [Row("crawl", who, None, "", "could not be installed") for who in missing]
    for size in options.size:
        results: dict[str, list[Figures]] = defaultdict(list)
        for number in range(options.rounds):
            for who in crawlers:
                if who not in missing:
                    figures = _measured(who, pythons.get(who.split()[0]), size, options)
                    results[who].append(figures)
                    print(f"{size:,} businesses, round {number + 1}, {who}: {figures}", file=sys.stderr)
        rows += rows_of(results, f"{size:,} businesses")
    return rows


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench crawl")
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--reading", type=int, default=2)
    parser.add_argument("--stored", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--only", action="append")
    parser.add_argument("--keep", type=Path, default=FOLDER)
    options = parser.parse_args(argv)
    options.only = options.only or list(CRAWLERS)
    options.size = options.size or [400]
    return options


def _measured(who: str, python: Path | None, size: int, options: argparse.Namespace) -> Figures:
    """One crawl of a fresh world, and what its server saw of it."""
    invented = World(options.seed, size)
    with tempfile.TemporaryDirectory(prefix="crawl-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with world(options.seed, size, folder) as (port, log):
            if python is None:
                setup = crawl_ours.Setup(
                    options.processes, options.reading, options.at_once, who != STAGED, options.stored,
                    options.seconds,
                )  # fmt: skip
                result = crawl_ours.crawl(invented.domains(), port, folder, setup)
            else:
                result = _peer(who, python, invented.domains(), port, folder, options)
        requests = [one for one in requests_of(log) if one.start >= result["began"]]
    return figures_of(result, requests, invented.truth())


def _is_ours(who: str) -> bool:
    return who.startswith("ours")


def _peer(
    who: str,
    python: Path,
    domains: Sequence[str],
    port: int,
    folder: Path,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Run a peer on the domains, in as many processes as its name says, and read what it found."""
    module = f"crawl_{who.split()[0]}"
    processes = 2 if who.endswith("x2") else 1
    running, outs = [], []
    cpu, began = ended_cpu(), monotonic()
    for number in range(processes):
        mine, out = folder / f"domains-{number}.txt", folder / f"found-{number}.jsonl"
        mine.write_text("\n".join(domains[number::processes]), encoding="utf-8")
        outs.append(out)
        command = [str(python), "-m", f"bench.{module}", str(port), str(mine), str(out)]
        running.append(_started([*command, str(options.at_once // processes), *who.split()[1:]], folder))
    is_complete = True
    with Watch(*(one.pid for one in running)) as watch:
        for one in running:
            try:
                one.wait(timeout=max(1.0, began + options.seconds - monotonic()))
            except subprocess.TimeoutExpired:
                is_complete = False
                one.kill()
                one.wait()
    ended = monotonic()
    if any(one.returncode for one in running):
        print((folder / "errors").read_text(encoding="utf-8")[-2_000:], file=sys.stderr)
    lines = [json.loads(line) for out in outs if out.exists() for line in out.open(encoding="utf-8")]
    return {
        "found": [(line["domain"], value, line["at"]) for line in lines for value in line["values"]],
        "began": began, "ended": ended, "is_complete": is_complete,
        "cpu": ended_cpu() - cpu, "database_cpu": 0.0, "transactions": 0.0, "peak": watch.peak_mib,
    }  # fmt: skip


def _started(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    with (folder / "errors").open("a", encoding="utf-8") as errors:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )
