"""Import of sitemaps into `pages`: the stage and its saving against a bare COPY plus merge of the same rows.

Arguments: --files N of --urls N each (default 20 of 50,000) and --rounds N. Both sides fill the same table
with the same indexes and triggers, each in a process and a database of its own, in turn. The bare side gets
its rows ready made and stores no links to sitemaps; ours reads XML, judges every URL, and stores the links.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from bench.crawl_stand import Watch, parent_of
from bench.results import ROOT, Row
from scrapersky.embedded import PrivateServer
from scrapersky.tables.migrate import migrate

GOAL = 0.6
MEMORY_GOAL = 300


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench imports")
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--urls", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args(argv)
    results: dict[str, list[dict[str, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="imports-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PrivateServer(folder / "data")
        server.start()
        try:
            for number in range(options.rounds):
                for who in ("bare", "ours"):
                    result = asyncio.run(_measured(server, who, number, options))
                    results[who].append(result)
                    print(f"round {number + 1}, {who}: {json.dumps(result)}", file=sys.stderr)
        finally:
            server.stop()
    return _rows(results, options)


async def _measured(
    server: PrivateServer, who: str, number: int, options: argparse.Namespace
) -> dict[str, float]:
    database = f"{who}_{number}"
    root = create_async_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    async with root.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {database}"))
        backend = (await connection.execute(text("SELECT pg_backend_pid()"))).scalar_one()
    url = server.url(database)
    await migrate(url)
    command = [sys.executable, "-m", "bench.imports_side", who, url, str(options.files), str(options.urls)]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "PATH": "/usr/bin:/bin"}
    with Watch(parent_of(backend)) as theirs:
        told = await asyncio.to_thread(
            subprocess.run, command, env=environment, stdout=subprocess.PIPE, check=True
        )
    result: dict[str, float] = json.loads(told.stdout)
    async with root.connect() as connection:
        await connection.execute(text(f"DROP DATABASE {database} WITH (FORCE)"))
    await root.dispose()
    return {**result, "server_cpu": round(theirs.cpu_seconds, 1)}


def _rows(results: dict[str, list[dict[str, float]]], options: argparse.Namespace) -> list[Row]:
    middle: dict[str, dict[str, Any]] = {}
    rows = []
    for who, runs in results.items():
        one = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        cpu = one["cpu"] = 1_000_000 * (one["client_cpu"] + one["server_cpu"]) / one["rows"]
        middle[who] = one
        note = f"{options.files} files of {options.urls:,} URLs; {one['seconds']:.1f} s"
        rows += [
            Row("import of sitemaps", who, one["rows"] / one["seconds"], "rows/s", note),
            Row("CPU a row", who, cpu, "us", f"server {1_000_000 * one['server_cpu'] / one['rows']:.1f}"),
            Row("largest process", who, one["peak"], "MiB", f"goal {MEMORY_GOAL}" if who == "ours" else ""),
        ]
    ratio = middle["bare"]["seconds"] / middle["ours"]["seconds"]
    work = middle["bare"]["cpu"] / middle["ours"]["cpu"]
    return [
        *rows,
        Row("rate, ours against", "bare COPY and merge", ratio, "x", f"goal at least {GOAL:g}"),
        Row("rows for the same CPU, ours against", "bare COPY and merge", work, "x", "both processes"),
    ]
