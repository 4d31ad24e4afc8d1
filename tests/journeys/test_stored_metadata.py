"""What the stages store can be asked by SQL, and their queues are taken oldest first, a batch at a time."""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from fakes import FakeWeb, context
from product import FEW, QUICK, TENANT, add_domain, until
from scrapersky import tables
from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.claims import Claims
from scrapersky.engine.database import Database
from scrapersky.engine.stage import EngineOptions
from scrapersky.engine.worker import Worker
from scrapersky.pipeline import STAGES
from scrapersky.settings import load_settings
from scrapersky.storage import save
from scrapersky.wiring import stage_options

HOME = """<html lang="en"><head><title>Bakery Lune</title><meta name="generator" content="WordPress 6.4.2">
<link rel="sitemap" href="/sitemap.xml"></head><body><p>Bread since 1982.</p></body></html>"""


@pytest.mark.req("R115")
async def test_metadata_is_stored_as_json_that_sql_can_ask(db: AsyncEngine) -> None:
    domain_id = await add_domain(db, "lune-demo.com", host="lune-demo.com")
    kit = context(FakeWeb({"https://lune-demo.com/": HOME}))
    read_metadata = next(stage for stage in STAGES if stage.name == "read_metadata")
    worker = Worker(db, [(read_metadata, FEW)], options=QUICK, context=kit, save=save)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    domains = tables.domains.c

    async def is_done() -> bool:
        async with db.connect() as connection:
            found = await connection.scalar(select(domains.status).where(domains.id == domain_id))
        return bool(found == "completed")

    await until(is_done)
    stop.set()
    await task
    query = """SELECT jsonb_typeof(domain_metadata), domain_metadata ->> 'home_url', jsonb_typeof(tech_stack),
        tech_stack ? 'WordPress' FROM domains"""
    async with db.connect() as connection:
        row = (await connection.execute(text(query))).one()
    assert tuple(row) == ("object", "https://lune-demo.com/", "object", True)


@pytest.mark.parametrize(
    ("stage", "model", "column", "batch"),
    [
        pytest.param(
            "import_sitemap", tables.sitemap_files, "sitemap_import_", 20, marks=pytest.mark.req("R140")
        ),
        pytest.param("read_page", tables.pages, "page_processing_", 10, marks=pytest.mark.req("R147")),
    ],
)
async def test_a_batch_is_the_oldest_queued_rows(
    db: AsyncEngine, stage: str, model: Any, column: str, batch: int
) -> None:
    """Interval 1 minute, one instance, and at most the batch of the settings as they come."""
    bound = next(one for one in STAGES if one.name == stage)
    declaration = next(one for one in DECLARATIONS if one.name == stage)
    figures = stage_options(load_settings(env_file=None, environment={}), declaration)
    assert (figures.batch, figures.interval, figures.max_instances) == (batch, timedelta(minutes=1), 1)

    now = datetime.now(UTC)
    table = model
    queued = []
    # One host each, so that politeness does not hold any back; some rows are not queued at all.
    for number in range(batch + 5):
        host = f"shop{number}-demo.com"
        domain = await add_domain(db, host, host=host)
        shared = {"tenant_id": TENANT, "domain_id": domain, "host": host}
        age = (number * 7) % (batch + 5)
        row = {
            "id": uuid.uuid4(),
            "url": f"https://{host}/a",
            f"{column}due_at": now - timedelta(minutes=1 + age),
        }
        done = {"id": uuid.uuid4(), "url": f"https://{host}/b", f"{column}due_at": now - timedelta(days=1)}
        async with db.begin() as connection:
            await connection.execute(insert(table).values(**shared, **row, **{f"{column}status": "Queued"}))
            await connection.execute(
                insert(table).values(**shared, **done, **{f"{column}status": "Complete"})
            )
        queued.append((age, row["id"]))
    oldest = {row_id for _, row_id in sorted(queued, key=lambda one: -one[0])[:batch]}

    claimer = Claims(bound, Database(db), 1, EngineOptions())
    visits = await claimer.take(figures.batch, figures.per_host)

    assert {item.id for visit in visits for item in visit.items} == oldest
