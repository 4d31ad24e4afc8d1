"""Decisions over many pages: "all that match" with its undo journal against a bare UPDATE plus journal.

Arguments: --pages N (default 1,000,000; half of them match), --rounds N, --rate N (list requests a second
while an operation runs). Each side works on a fresh copy of the same database, in turn. Ours is the API
itself: PUT …/status/filtered, followed until it is complete, its undo, then bulk-update of 10,000 ids.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bench.results import Row
from scrapersky.api import ApiContext
from scrapersky.database import make_engine
from scrapersky.embedded import PrivateServer
from scrapersky.log import Log
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.secret_key import SecretKey
from scrapersky.settings import Settings
from scrapersky.tables.migrate import migrate
from scrapersky.web import create_app

RATIO_GOAL, LATENCY_GOAL = 3.0, 300.0
TENANT = Settings.model_fields["default_tenant_id"].default
BULK_IDS = 10_000
TEMPLATE = "filled"

FILL = """
INSERT INTO domains (id, tenant_id, domain, host, status)
SELECT scrapersky_uuid7(), :tenant, 'shop-' || n || '.example', 'shop-' || n || '.example', 'completed'
FROM generate_series(1, greatest(:pages / 100, 1)) AS n
"""
FILL_PAGES = """
INSERT INTO pages (tenant_id, domain_id, host, url, page_type, priority_level)
SELECT :tenant, d.id, d.host, 'https://' || d.host || '/page/' || n,
  (ARRAY['unknown', 'contact_root', 'about', 'login'])[1 + n % 4], CASE n % 2 WHEN 0 THEN 3 ELSE 2 END
FROM domains AS d, generate_series(1, 100) AS n
"""
# What a person would write in psql: keep the old values, then change the rows.
BARE = [
    """CREATE TABLE bare_journal (operation_id uuid, row_id uuid,
  before jsonb, PRIMARY KEY (operation_id, row_id))""",
    """INSERT INTO bare_journal SELECT '00000000-0000-0000-0000-000000000001', id, jsonb_build_array(
  page_curation_status, page_processing_status, page_processing_error, page_processing_due_at,
  page_processing_retries, page_processing_rescues, page_processing_crashes, page_processing_worker,
  updated_at)
FROM pages WHERE tenant_id = :tenant AND priority_level = 3""",
    """UPDATE pages SET page_curation_status = 'Selected', page_processing_status = 'Queued',
  page_processing_error = NULL, page_processing_due_at = now() + interval '10 s', updated_at = now()
WHERE tenant_id = :tenant AND priority_level = 3""",
]
CHECKSUM = text("SELECT count(*), sum(hashtextextended(p::text, 0)) FROM pages AS p")


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench operations")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=float, default=20)
    options = parser.parse_args(argv)
    results: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="operations-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PrivateServer(folder / "data")
        server.start()
        try:
            asyncio.run(_fill(server, options.pages))
            for number in range(options.rounds):
                for who, measure in (("bare", _measure_bare), ("ours", _measure_ours)):
                    measured = asyncio.run(_measure(server, f"{who}_{number}", measure, options))
                    print(f"round {number + 1}, {who}: {measured}", file=sys.stderr)
                    for what, value in measured.items():
                        results[what].append(value)
        finally:
            server.stop()
    return _rows(results, options)


async def _fill(server: PrivateServer, pages: int) -> None:
    await _as_root(server, f"CREATE DATABASE {TEMPLATE}")
    await migrate(server.url(TEMPLATE))
    engine = create_async_engine(server.url(TEMPLATE))
    async with engine.begin() as connection:
        for statement in (FILL, FILL_PAGES):
            parameters = {"tenant": TENANT, "pages": pages}
            wanted = {name: value for name, value in parameters.items() if f":{name}" in statement}
            await connection.execute(text(statement), wanted)
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        await connection.execute(text("VACUUM ANALYZE"))
        await connection.execute(text("CHECKPOINT"))
    await engine.dispose()


async def _as_root(server: PrivateServer, statement: str) -> None:
    root = create_async_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    async with root.connect() as connection:
        await connection.execute(text(statement))
    await root.dispose()


async def _measure(server: PrivateServer, database: str, measure: Any, options: Any) -> dict[str, float]:
    await _as_root(server, f"CREATE DATABASE {database} TEMPLATE {TEMPLATE}")
    engine = make_engine(Settings(database_statement_timeout_seconds=3_600), server.url(database))
    try:
        measured: dict[str, float] = await measure(engine, options)
    finally:
        await engine.dispose()
        await _as_root(server, f"DROP DATABASE {database} WITH (FORCE)")
    return measured


async def _measure_bare(engine: AsyncEngine, options: Any) -> dict[str, float]:
    create, *statements = BARE
    async with engine.begin() as connection:
        await connection.execute(text(create))
    began = perf_counter()
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement), {"tenant": TENANT})
    return {"bare seconds": perf_counter() - began}


@asynccontextmanager
async def _client(engine: AsyncEngine) -> AsyncIterator[httpx.AsyncClient]:
    context = ApiContext(
        engine, Settings(), Log(level="ERROR"), SecretKey("k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL")
    )
    web = create_app(HealthQuery(engine, None), StageQuery(engine), api=context)
    transport = httpx.ASGITransport(web)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000/api/v3") as client:
        yield client
    await context.close()


async def _measure_ours(engine: AsyncEngine, options: Any) -> dict[str, float]:
    before = await _checksum(engine)
    async with _client(engine) as client:
        quiet = await _latencies(engine, options.rate, seconds=2)
        body = {"status": "Selected", "priority_level": 3, "expected": options.pages // 2}
        began = perf_counter()
        answer = await client.put("/pages/status/filtered", json=body)
        assert answer.status_code in (200, 202), answer.text
        operation = answer.json()["operation_id"]
        busy = await _latencies(engine, options.rate, until=_is_finished(client, operation))
        seconds = perf_counter() - began
        undo_began = perf_counter()
        undone = (await client.post(f"/operations/{operation}/undo")).json()
        while not (await _is_finished(client, undone["operation_id"])()):
            await asyncio.sleep(0.1)
        undo_seconds = perf_counter() - undo_began
        is_exact = await _checksum(engine) == before
        bulk_seconds = await _bulk_update(engine, client, options.pages)
    return {
        "ours seconds": seconds,
        "undo seconds": undo_seconds,
        "undo is exact": float(is_exact),
        "quiet p95": _p95(quiet),
        "busy p95": _p95(busy),
        "bulk seconds": bulk_seconds,
    }


def _is_finished(client: httpx.AsyncClient, operation: str) -> Any:
    async def is_finished() -> bool:
        shown = (await client.get(f"/operations/{operation}")).json()
        assert shown["status"] != "failed", shown
        return shown["finished_at"] is not None

    return is_finished


async def _bulk_update(engine: AsyncEngine, client: httpx.AsyncClient, pages: int) -> float:
    async with engine.connect() as connection:
        query = text("SELECT id FROM pages ORDER BY md5(id::text) LIMIT :number")
        ids = [str(row_id) for row_id in await connection.scalars(query, {"number": BULK_IDS})]
    began = perf_counter()
    answer = await client.put("/pages/bulk-update", json={"page_ids": ids, "status": "Selected"}, timeout=120)
    assert answer.json()["updated_count"] == len(ids), answer.text
    return perf_counter() - began


async def _latencies(
    engine: AsyncEngine, rate: float, *, seconds: float = math.inf, until: Any = None
) -> list[float]:
    """The milliseconds of list requests that are sent at a fixed rate, however slow the answers are."""
    lists = ListQuery(engine, TENANT)
    chosen = [Filters(), Filters(page_type="login"), Filters(curation_status="new"), Filters(status="none")]
    measured: list[float] = []

    async def request(number: int) -> None:
        began = perf_counter()
        await lists.page(ENTITIES["page"], chosen[number % len(chosen)])
        measured.append(1_000 * (perf_counter() - began))

    began, sent, tasks = perf_counter(), 0, []
    while perf_counter() - began < seconds and not (until and sent % 4 == 0 and sent and await until()):
        tasks.append(asyncio.create_task(request(sent)))
        sent += 1
        await asyncio.sleep(max(0.0, began + sent / rate - perf_counter()))
    await asyncio.gather(*tasks)
    return measured


def _p95(values: list[float]) -> float:
    return sorted(values)[math.ceil(len(values) * 0.95) - 1]


async def _checksum(engine: AsyncEngine) -> tuple[Any, ...]:
    async with engine.connect() as connection:
        return tuple((await connection.execute(CHECKSUM)).one())


def _rows(results: dict[str, list[float]], options: Any) -> list[Row]:
    best = {what: min(values) for what, values in results.items()}
    rows = options.pages // 2
    note = f"{rows:,} of {options.pages:,} pages, best of {options.rounds}"
    exact = "yes" if min(results["undo is exact"]) else "no"
    median = statistics.median(results["busy p95"])
    return [
        Row("all that match, with journal", "bare SQL", rows / best["bare seconds"], "rows/s", note),
        Row("all that match, with journal", "ours", rows / best["ours seconds"], "rows/s", note),
        Row(
            "time, ours against",
            "bare SQL",
            best["ours seconds"] / best["bare seconds"],
            "x",
            f"goal at most {RATIO_GOAL:g}",
        ),
        Row("list requests before, p95", "ours", best["quiet p95"], "ms", f"{options.rate:g} requests/s"),
        Row(
            "list requests meanwhile, p95",
            "ours",
            median,
            "ms",
            f"goal at most {LATENCY_GOAL:g}; median of rounds",
        ),
        Row("undo", "ours", rows / best["undo seconds"], "rows/s", "in the background"),
        Row("undo restores every column", "ours", exact, "", "checksum of all rows"),
        Row(f"bulk-update of {BULK_IDS:,} ids", "ours", best["bulk seconds"], "s", "sub-batches of 100"),
    ]
