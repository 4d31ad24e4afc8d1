"""Sitemaps: URLs a second on one core and peak memory, ours against two peers, on the same files in turn.

Arguments: --urls N (default 50000) and --rounds N (default 3). Each reading is a process of its own. The
peers run in environments of their own under .venv/peers, made on the first run; one of them is under the GPL
and is never imported by the product.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.peers import peer
from bench.results import ROOT, Row

WORKER = Path(__file__).with_name("sitemaps_worker.py")
PEERS = {"ultimate-sitemap-parser": "ultimate-sitemap-parser", "advertools": "advertools"}
GOAL = 5.0


def main(argv: list[str]) -> list[Row]:
    """Measure, print progress, and return the rows."""
    parser = argparse.ArgumentParser(prog="bench sitemaps")
    parser.add_argument("--urls", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(argv)
    pythons: dict[str, Path | None] = {"ours": Path(sys.executable)}
    pythons.update({who: peer(who, (package,)) for who, package in PEERS.items()})
    with tempfile.TemporaryDirectory() as folder:
        file = _sitemap(Path(folder) / "sitemap.xml", options.urls)
        runs = _measured(pythons, file, options.rounds)
        size = file.stat().st_size / 1e6
    return _rows(runs, options.urls, size)


def _sitemap(file: Path, count: int) -> Path:
    """A file as generators write them: loc, lastmod, changefreq and priority."""
    with file.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n')
        for number in range(count):
            out.write(
                f"  <url>\n    <loc>https://example.com/section-{number % 40}/page-with-name-{number}</loc>\n"
                f"    <lastmod>2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00+00:00</lastmod>\n"
                "    <changefreq>weekly</changefreq>\n    <priority>0.8</priority>\n  </url>\n"
            )
        out.write("</urlset>\n")
    return file


def _measured(pythons: dict[str, Path | None], file: Path, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """All readers in turn, as often as asked; a reader that fails has no figures."""
    runs: dict[str, list[dict[str, Any]]] = {who: [] for who in pythons}
    for number in range(rounds):
        for who, python in pythons.items():
            if python is not None and (run := _run(python, who, file)):
                runs[who].append(run)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return runs


def _run(python: Path, who: str, file: Path) -> dict[str, Any] | None:
    path = str(ROOT / "src") if who == "ours" else ""
    environment = {"PYTHONPATH": path, "PATH": "/usr/bin:/bin", "HOME": str(file.parent)}
    command = [str(python), str(WORKER), who, str(file)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=600, env=environment, check=True
        )
        run: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as fault:
        print(f"{who}: {getattr(fault, 'stderr', '') or fault}", file=sys.stderr)
        return None
    return run


def _rows(runs: dict[str, list[dict[str, Any]]], urls: int, size: float) -> list[Row]:
    rows, speeds = [], {}
    for who, results in runs.items():
        if not results:
            rows.append(Row("sitemap, one core", who, None, "URLs/s", "could not be run"))
            continue
        speeds[who] = statistics.median(run["urls"] / run["seconds"] for run in results)
        note = f"{results[0]['urls']:,} of {urls:,} URLs dated, {size:.1f} MB, median of {len(results)}"
        rows.append(Row("sitemap, one core", who, speeds[who], "URLs/s", note))
        more = max(run["more"] for run in results)
        rows.append(Row("peak memory, whole process", who, max(run["peak"] for run in results), "MiB"))
        rows.append(Row("peak memory, by reading", who, more, "MiB"))
    for who in PEERS:
        ratio = speeds["ours"] / speeds[who] if who in speeds and "ours" in speeds else None
        goal = f"goal at least {GOAL:g}" if who == "ultimate-sitemap-parser" else ""
        rows.append(Row("ours against", who, ratio, "x", goal if ratio else "not measured"))
    return rows
