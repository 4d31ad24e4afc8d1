"""One side of the import, in a process of its own: `python -m bench.imports_side WHO URL FILES URLS`."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.engine.stage import EngineOptions, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.pipeline import STAGES
from scrapersky.stage_context import HandOver, StageLimits
from scrapersky.stage_context.memory_limit import MemoryLimit
from scrapersky.stages.import_sitemap.sitemap_stream import read_sitemap_stream
from scrapersky.storage import ListedPage, save

# Seconds on the clock and of the CPU.
Spent = tuple[float, float]
HOST = "shop.example"
PIECE = 65_536
PATHS = ("products/{n}-steel-bolt", "blog/2024/05/post-{n}", "category/tools/item-{n}", "en/services/{n}")
DOMAIN = f"""INSERT INTO domains (tenant_id, domain, host, status)
SELECT id, '{HOST}', '{HOST}', 'completed' FROM tenants LIMIT 1 RETURNING tenant_id, id"""
FILES = f"""INSERT INTO sitemap_files (tenant_id, domain_id, host, url, sitemap_type, discovery_method,
  sitemap_import_status)
SELECT :tenant, :domain, '{HOST}', 'https://{HOST}/sitemap-' || n || '.xml', 'standard', 'robots_txt',
  'Queued'
FROM generate_series(0, :files - 1) AS n"""
OPEN = "SELECT count(*) FROM sitemap_files WHERE sitemap_import_status IN ('Queued', 'Processing')"
STAGING = """CREATE TEMPORARY TABLE bare (url text, page_type text, confidence real, priority smallint,
  depth smallint, status text, last_modified_at timestamptz)"""
MERGE = f"""INSERT INTO pages (tenant_id, domain_id, host, url, page_type, page_type_confidence,
  priority_level, path_depth, page_processing_status, last_modified_at, lead_source)
SELECT $1, $2, '{HOST}', url, page_type, confidence, priority, depth, status, last_modified_at,
  'sitemap_import'
FROM bare ORDER BY md5(url)::uuid ON CONFLICT (tenant_id, domain_id, url_hash) DO NOTHING"""


def urls_of(file: int, urls: int) -> Iterator[str]:
    for n in range(file * urls, (file + 1) * urls):
        yield f"https://{HOST}/{PATHS[n % len(PATHS)].format(n=n)}"


def sitemap(file: int, urls: int) -> bytes:
    entries = "".join(
        f"<url><loc>{url}</loc><lastmod>2024-05-0{n % 9 + 1}T10:00:00+00:00</lastmod></url>\n"
        for n, url in enumerate(urls_of(file, urls))
    )
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()


@dataclass(slots=True)
class Served:
    """The answer in pieces, as the fetcher gives it."""

    body: bytes
    page: Any
    truncated: bool = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self.body), PIECE):
            yield self.body[at : at + PIECE]
            await asyncio.sleep(0)


class Shelf:
    """A web that consists of the sitemaps alone."""

    def __init__(self, urls: int) -> None:
        self.urls = urls

    @asynccontextmanager
    async def stream(self, url: str, *, held_host: str | None = None) -> AsyncIterator[Served]:
        file = int(url.rpartition("-")[2].removesuffix(".xml"))
        yield Served(sitemap(file, self.urls), SimpleNamespace(status=200))


async def ours(engine: AsyncEngine, tenant: UUID, domain: UUID, files: int, urls: int) -> Spent:
    """The stage in a worker of its own, from queued sitemap files to pages."""
    began, before = perf_counter(), process_time()
    async with engine.begin() as connection:
        await connection.execute(text(FILES), {"tenant": tenant, "domain": domain, "files": files})
    context = SimpleNamespace(
        fetch=Shelf(urls),
        limits=StageLimits(),
        handover=HandOver(),
        memory_limit=MemoryLimit(),
        now=lambda: datetime.now(UTC),
    )
    stage_options = StageOptions(batch=20, concurrency=10, timeout=timedelta(minutes=5), per_host=files)
    options = EngineOptions(host_delay=timedelta(0), lease=timedelta(minutes=5), flush_items=1)
    stage = next(stage for stage in STAGES if stage.name == "import_sitemap")
    worker = Worker(engine, [(stage, stage_options)], options=options, context=context, save=save)
    stop = asyncio.Event()
    running = asyncio.create_task(worker.run(stop))
    while True:
        await asyncio.sleep(0.1)
        async with engine.connect() as connection:
            if not (await connection.execute(text(OPEN))).scalar_one():
                break
    stop.set()
    await running
    return perf_counter() - began, process_time() - before


async def bare(engine: AsyncEngine, tenant: UUID, domain: UUID, files: int, urls: int) -> Spent:
    """COPY and merge of the same rows, file by file; making the rows is not counted."""
    seconds = cpu = 0.0
    async with engine.connect() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute(STAGING)
        for file in range(files):
            rows = [(*page[:6], page.last_modified_at) for page in await _pages(file, urls)]
            began, before = perf_counter(), process_time()
            async with driver.transaction():
                await driver.execute("TRUNCATE bare")
                await driver.copy_records_to_table("bare", records=rows)
                await driver.execute(MERGE, tenant, domain)
            seconds, cpu = seconds + perf_counter() - began, cpu + process_time() - before
    return seconds, cpu


async def _pages(file: int, urls: int) -> list[ListedPage]:
    served = Served(sitemap(file, urls), SimpleNamespace(status=200))
    url = f"https://{HOST}/sitemap-{file}.xml"
    return (await read_sitemap_stream(served, url, HOST, max_urls=urls, queued="Queued")).pages


async def main(who: str, url: str, files: int, urls: int) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        tenant, domain = (await connection.execute(text(DOMAIN))).one()
    seconds, cpu = await (bare if who == "bare" else ours)(engine, tenant, domain, files, urls)
    result = {"seconds": round(seconds, 2), "client_cpu": round(cpu, 2)}
    async with engine.connect() as connection:
        result["rows"] = (await connection.execute(text("SELECT count(*) FROM pages"))).scalar_one()
    result["peak"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    await engine.dispose()
    print(json.dumps(result))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
