"""Overture Places: a city's dentists in a shuffled file, ours against DuckDB alone, and the memory of both.

Arguments: --rows N (default 1000000) and --rounds N (default 5). Each search is a process of its own that
searches once to warm up, then once for the clock; ours and DuckDB take turns. DuckDB alone selects the same
columns with the same conditions, as somebody would by hand.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.results import ROOT, Row
from scrapersky_demo.overture_file import write_sample

GOAL = 3.0
OURS = """
import asyncio
from scrapersky.sources.gazetteer import resolve_city
from scrapersky.sources.overture import OvertureSource
box = resolve_city("Berlin").box().to_json()
def search():
    return len(asyncio.run(OvertureSource(sys.argv[1]).search("dentist", "Berlin", {"box": box})))
"""
DUCKDB = """
import duckdb
from scrapersky.sources.gazetteer import resolve_city
box = resolve_city("Berlin").box()
def search():
    with duckdb.connect(":memory:", config={"threads": 2}) as connection:
        return len(connection.execute(
            "SELECT id, names, bbox, categories, taxonomy, confidence, websites, socials, emails, phones,"
            " addresses, sources, operating_status FROM read_parquet(?) WHERE bbox.xmin BETWEEN ? AND ?"
            " AND bbox.ymin BETWEEN ? AND ? AND categories.primary = 'dentist'",
            [sys.argv[1], box.west, box.east, box.south, box.north]).fetchall())
"""
CLOCK = """
import json, time
search()
began = time.perf_counter()
found = search()
seconds = time.perf_counter() - began
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({"found": found, "seconds": seconds, "mib": peak / 1024}))
"""


def main(argv: list[str]) -> list[Row]:
    """Measure, print progress, and return the rows."""
    parser = argparse.ArgumentParser(prog="bench overture")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    runs: dict[str, list[dict[str, float]]] = {"ours": [], "DuckDB alone": []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "places.parquet"
        write_sample(file, options.rows)
        size = file.stat().st_size / 1e6
        for number in range(options.rounds):
            for who, program in (("ours", OURS), ("DuckDB alone", DUCKDB)):
                runs[who].append(_measure(program, file))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    return _rows(runs, options.rows, size)


def _measure(program: str, file: Path) -> dict[str, float]:
    command = [sys.executable, "-c", "import sys\n" + program + CLOCK, str(file)]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    # DuckDB may draw a progress bar above the figures.
    figures: dict[str, float] = json.loads(output.splitlines()[-1])
    return figures


def _rows(runs: dict[str, list[dict[str, float]]], count: int, size: float) -> list[Row]:
    medians = {who: statistics.median(run["seconds"] for run in some) for who, some in runs.items()}
    places = {run["found"] for some in runs.values() for run in some}
    if len(places) != 1:
        raise SystemExit(f"The searches found different numbers of places: {sorted(places)}")
    what = f"dentists in Berlin, {count:,} shuffled rows, {size:.0f} MB"
    note = f"median of {len(runs['ours'])}; {places.pop():.0f} places"
    rows = [Row(what, who, seconds, "s", note) for who, seconds in medians.items()]
    rows += [
        Row("peak memory of the process", who, max(run["mib"] for run in some), "MiB", "all rounds")
        for who, some in runs.items()
    ]
    ratio = medians["ours"] / medians["DuckDB alone"]
    rows.append(Row("time against DuckDB alone", "ours", ratio, "x", f"goal: at most {GOAL:g}"))
    return rows
