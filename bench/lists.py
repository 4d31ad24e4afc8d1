"""Lists of a large table by HTTP, as the role of the application, while the engine completes pages.

Arguments: --pages N (default 1,000,000), --seconds N of load, --rate N requests a second, --engine N pages a
second that the engine should complete. `scrapersky serve` runs in a process of its own and so does the
engine. Every request is the first page of a list or its facet counts, each with other filters. Beside it the
same rows by bare SQL as the owner, without HTTP, load and row security: the rows alone, and with a count(*).
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx
from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bench.results import ROOT, Row
from scrapersky import tables
from scrapersky.embedded import PrivateServer
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import Filters, conditions
from scrapersky.queries.rows.sorts import parse_sort
from scrapersky.settings import Settings
from scrapersky.tables.counts import fold
from scrapersky.tables.migrate import migrate

GOAL_MS, ENGINE_GOAL = 150.0, 100.0
TENANT = Settings.model_fields["default_tenant_id"].default
PAGE = ENTITIES["page"]
CHUNK = 100_000
DOMAINS = """INSERT INTO domains (tenant_id, domain, host, status)
SELECT :tenant, 'shop-' || n || '.example', 'shop-' || n || '.example', 'completed'
FROM generate_series(0, 999) AS n"""
# Statuses depend on age, as in life: the oldest pages are done and so were changed last, the newest wait.
PAGES = """INSERT INTO pages (tenant_id, domain_id, host, url, page_type, priority_level,
  page_curation_status, page_processing_status, contact_scrape_status, page_processing_error, updated_at)
SELECT :tenant, d.id, d.host, 'https://' || d.host || '/' || md5(n::text) || '/page-' || n,
  CASE WHEN n % 50 = 0 THEN 'contact_root' WHEN n % 20 = 0 THEN 'about' WHEN n % 7 = 0 THEN 'blog'
    WHEN n % 9001 = 0 THEN 'login' ELSE 'unknown' END,
  CASE WHEN n % 50 = 0 THEN 1 WHEN n % 20 = 0 THEN 2 ELSE 3 END,
  CASE WHEN n % 997 = 0 THEN 'Maybe' WHEN n % 13 = 0 THEN 'Rejected' WHEN n % 11 = 0 THEN 'Selected'
    ELSE 'New' END,
  CASE WHEN n % 503 = 0 THEN 'Error' WHEN n < :done THEN 'Complete' WHEN n % 4 = 0 THEN 'Filtered'
    WHEN n >= :queued THEN 'Queued' END,
  CASE WHEN n >= :done THEN 'New' WHEN n % 5 = 0 THEN 'ContactFound' ELSE 'NoContactFound' END,
  CASE WHEN n % 503 = 0 THEN 'HTTP 500' END,
  now() - CASE WHEN n < :done THEN interval '0' ELSE interval '30 days' END
    - (:last - n) * interval '1 millisecond'
FROM generate_series(CAST(:first AS int), CAST(:last AS int)) AS n
JOIN domains AS d ON d.domain = 'shop-' || n % 1000 || '.example'"""
# What people ask for: nothing, one filter, several, rare and common ones, text, and other orders.
QUERIES: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({}, "-created_at"),
    ({}, "-updated_at"),
    ({"page_type": "CONTACT_ROOT"}, None),
    ({"page_type": "unknown"}, "-created_at"),
    ({"page_type": "login"}, None),
    ({"page_type": ["about", "blog"], "priority_level": ["2", "3"]}, None),
    ({"page_curation_status": "Maybe"}, None),
    ({"page_curation_status": "Selected", "page_processing_status": "Error"}, None),
    ({"page_curation_status": ["New", "Maybe"], "page_processing_status": "none"}, "-created_at"),
    ({"page_processing_status": "Complete"}, "-created_at"),
    ({"page_processing_status": "Queued"}, None),
    ({"contact_scrape_status": "ContactFound", "priority_level": "1"}, None),
    ({"contact_scrape_status": "ContactFound"}, "-updated_at"),
    ({"page_curation_status": "Maybe"}, "-updated_at"),
    ({"priority_level": "2"}, "created_at"),
    ({"domain": "shop-77"}, None),
    ({"domain": "example", "page_type": "about"}, None),
    ({"error": "http 500"}, None),
    ({"q": "page-7777"}, None),
    ({"q": "/page-12", "page_type": "contact_root"}, None),
    ({"q": "shop"}, None),
]  # fmt: skip


def main(argv: list[str]) -> list[Row]:
    parser = argparse.ArgumentParser(prog="bench lists")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--engine", type=float, default=120)
    options = parser.parse_args(argv)
    with private_server() as url:
        return asyncio.run(_measure(url, options))


@contextmanager
def private_server() -> Iterator[str]:
    """The address of a PostgreSQL of this benchmark's own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PrivateServer(folder / "data")
        server.start()
        try:
            yield server.url()
        finally:
            server.stop()


async def _measure(url: str, options: argparse.Namespace) -> list[Row]:
    await migrate(url)
    engine = create_async_engine(url)
    print(f"filling {options.pages:,} pages", file=sys.stderr)
    filled = await fill(engine, options.pages)
    bare = await _bare(engine)
    async with serving(url) as address:
        quiet, _ = await _load(address, options, seconds=options.seconds / 4)
        done = await _completed(engine)
        began = perf_counter()
        async with _working(url, options.engine):
            lists, facets = await _load(address, options, seconds=options.seconds)
            rate = (await _completed(engine) - done) / (perf_counter() - began)
        wrong = await _wrong_facets(engine, address)
    await engine.dispose()
    return _rows(options, filled, bare, quiet, lists, facets, rate, wrong)


# ---- the rows


async def fill(engine: AsyncEngine, pages: int, *, open_pages: bool = True) -> float:
    """Fill the tables, with open pages or with those that are done; gives the pages inserted a second."""
    done, queued = (pages // 2, pages * 8 // 10) if open_pages else (pages, pages)
    shares = {"done": done, "queued": queued}
    async with engine.begin() as connection:
        await connection.execute(text(DOMAINS), {"tenant": TENANT})
    began = perf_counter()
    for first in range(0, pages, CHUNK):
        async with engine.begin() as connection:
            last = min(first + CHUNK, pages) - 1
            await connection.execute(text(PAGES), {"tenant": TENANT, "first": first, "last": last, **shares})
    seconds = perf_counter() - began
    async with engine.begin() as connection:
        await fold(connection)
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(text("VACUUM ANALYZE"))
    return pages / seconds


async def _completed(engine: AsyncEngine) -> int:
    done = select(func.count()).where(tables.pages.c.page_processing_finished_at.is_not(None))
    async with engine.connect() as connection:
        return int((await connection.execute(done)).scalar_one())


# ---- the processes


@asynccontextmanager
async def serving(url: str) -> AsyncIterator[str]:
    """The product's own web server on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "PORT": str(port),
        "SECRET_KEY": "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL",
        "LOG_LEVEL": "ERROR",
    }
    process = subprocess.Popen([sys.executable, "-m", "scrapersky", "serve"], env=environment, cwd=ROOT)
    address = f"http://127.0.0.1:{port}"
    try:
        await _until_it_answers(address)
        yield address
    finally:
        process.terminate()
        process.wait()


async def _until_it_answers(address: str) -> None:
    async with httpx.AsyncClient(base_url=address) as client:
        for _ in range(200):
            try:
                if (await client.get("/api/v3/pages", params={"limit": 1}, timeout=60)).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
    raise SystemExit("the web server did not answer")


@asynccontextmanager
async def _working(url: str, rate: float) -> AsyncIterator[None]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    command = [sys.executable, "-m", "bench.lists_side", url, str(rate)]
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        yield
    finally:
        process.kill()
        process.wait()


# ---- what is measured


async def _load(
    address: str, options: argparse.Namespace, *, seconds: float
) -> tuple[dict[str, list[float]], list[float]]:
    """Send requests at a fixed rate, whether or not the earlier ones are answered: their milliseconds."""
    lists: dict[str, list[float]] = defaultdict(list)
    facets: list[float] = []
    limits = httpx.Limits(max_connections=50)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60) as client:

        async def send(number: int) -> None:
            params, sort = QUERIES[number % len(QUERIES)]
            is_facets = number // len(QUERIES) % 4 == 3
            began = perf_counter()
            if is_facets:
                answer = await client.get("/api/v3/pages/facets", params=params)
            else:
                answer = await client.get(
                    "/api/v3/pages", params={**params, **({"sort": sort} if sort else {})}
                )
            milliseconds = 1_000 * (perf_counter() - began)
            answer.raise_for_status()
            (facets if is_facets else lists[_name(params, sort)]).append(milliseconds)

        began, sent = perf_counter(), []
        for number in range(int(seconds * options.rate)):
            await asyncio.sleep(max(0.0, began + number / options.rate - perf_counter()))
            sent.append(asyncio.create_task(send(number)))
        await asyncio.gather(*sent)
    return lists, facets


def _name(params: dict[str, Any], sort: str | None) -> str:
    words = [
        f"{name}={'|'.join([value] if isinstance(value, str) else value)}" for name, value in params.items()
    ]
    return " ".join([*words, *([f"sort={sort}"] if sort else [])]) or "no filter"


async def _bare(engine: AsyncEngine) -> dict[str, list[float]]:
    """The same by statements of our own, one at a time: rows, rows with count(*), and facets by GROUP BY."""
    times: dict[str, list[float]] = defaultdict(list)
    columns = tables.pages.c
    async with engine.connect() as connection:
        for params, sort in QUERIES:
            where = conditions(PAGE, TENANT, Filters(**params))
            order = parse_sort(PAGE, sort).order_by(columns)
            rows = select(*(columns[name] for name in PAGE.columns)).where(*where).order_by(*order).limit(50)
            spent = await _time(connection, rows)
            counted = await _time(connection, select(func.count()).select_from(tables.pages).where(*where))
            times["rows"].append(spent)
            times["rows and count"].append(spent + counted)
        for params, _ in QUERIES[:6]:
            spent = 0.0
            for facet in PAGE.facets:
                where = conditions(PAGE, TENANT, Filters(**params).without(facet))
                spent += await _time(
                    connection, select(columns[facet], func.count()).where(*where).group_by(columns[facet])
                )
            times["facets"].append(spent)
    return times


async def _time(connection: AsyncConnection, query: Any) -> float:
    began = perf_counter()
    (await connection.execute(query)).all()
    return 1_000 * (perf_counter() - began)


async def _wrong_facets(engine: AsyncEngine, address: str) -> int:
    """How many facet counts of the API are not what GROUP BY says, now that nothing changes."""
    wrong = 0
    async with httpx.AsyncClient(base_url=address, timeout=60) as client, engine.connect() as connection:
        for params, _ in QUERIES[:12]:
            answer = (await client.get("/api/v3/pages/facets", params=params)).json()["facets"]
            for facet in PAGE.facets:
                column = tables.pages.c[facet]
                where = conditions(PAGE, TENANT, Filters(**params).without(facet))
                query = select(column, func.count()).where(*where).group_by(column)
                rows = await connection.execute(query)
                counted = {None if value is None else str(value): number for value, number in rows}
                wrong += counted != {entry["value"]: entry["count"] for entry in answer[facet]}
    return wrong


def p95(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[math.ceil(0.95 * len(ordered)) - 1]


def _rows(
    options: argparse.Namespace,
    filled: float,
    bare: dict[str, list[float]],
    quiet: dict[str, list[float]],
    lists: dict[str, list[float]],
    facets: list[float],
    rate: float,
    wrong: int,
) -> list[Row]:
    load = f"{options.pages:,} pages, {options.rate:g} requests/s"
    slowest = max(lists, key=lambda name: p95(lists[name]))
    every = [value for values in lists.values() for value in values]
    alone = [value for values in quiet.values() for value in values]
    return [
        Row("first page, p95", "ours, HTTP, engine busy", p95(every), "ms", f"{load}; goal {GOAL_MS:g}"),
        Row("first page of the slowest filter, p95", "ours", p95(lists[slowest]), "ms", slowest),
        Row("first page, p95", "ours, HTTP, engine idle", p95(alone), "ms", load),
        Row("first page, p95", "bare SQL, rows only", p95(bare["rows"]), "ms", "owner, no other load"),
        Row("first page, p95", "bare SQL, with count(*)", p95(bare["rows and count"]), "ms", "the same"),
        Row("facet counts, p95", "ours, HTTP, engine busy", p95(facets), "ms", load),
        Row("facet counts, p95", "bare SQL, GROUP BY", p95(bare["facets"]), "ms", "owner, no other load"),
        Row("facet counts that are wrong", "ours", wrong, "", f"of {12 * len(PAGE.facets)} compared"),
        Row("pages that the engine completed", "ours", rate, "pages/s", f"goal at least {ENGINE_GOAL:g}"),
        Row("insert of pages", "all indexes and triggers", filled, "rows/s", f"{CHUNK:,} a statement"),
    ]
