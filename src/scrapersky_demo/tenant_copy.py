"""Runs the pipeline on the invented internet in a database of its own, then copies the rows to a tenant."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Table, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.cli.runtime import current_actor
from scrapersky.database import open_database
from scrapersky.declarations import DECLARATIONS
from scrapersky.processes.pipeline_run import follow, running_pipeline
from scrapersky.queries import ProgressQuery
from scrapersky.settings import Settings
from scrapersky.tables.seed import local_user_id
from scrapersky.wiring import build_log
from scrapersky_demo.environment import demo_settings, running_world
from scrapersky_demo.source import DEMO_SOURCES, DemoSource
from scrapersky_demo.world import World

ROWS_AT_ONCE = 200
TIMEOUT_SECONDS = 600.0
# Parents before children.
COPIED = (
    tables.place_searches, tables.places_staging, tables.local_businesses, tables.domains, tables.jobs,
    tables.sitemap_files, tables.pages, tables.page_sitemaps, tables.contacts, tables.sightings,
)  # fmt: skip
Report = Callable[[dict[str, Any]], None]


async def fill_tenant(
    settings: Settings,
    target: AsyncEngine,
    tenant_id: UUID,
    *,
    size: int,
    seed: int,
    folder: str,
    report: Report,
) -> int:
    """Build the demo world and copy it; gives the number of contacts."""
    world = World(seed, size)
    async with running_world(seed, size) as port:
        own = demo_settings(settings, port).model_copy(update={"data_folder": folder})
        async with open_database(own, migrated=True) as engine:
            await _run_pipeline(own, engine, world, report)
            report({"step": "copy"})
            return await copy_rows(engine, target, tenant_id)


async def _run_pipeline(settings: Settings, engine: AsyncEngine, world: World, report: Report) -> None:
    actor = await current_actor(settings, engine)
    await submit_search(engine, actor, SearchRequest(source="demo"), DEMO_SOURCES)
    log, queries = build_log(settings, exclude=("item_processed",)), ProgressQuery(engine)
    sources = {"demo": DemoSource(world)}
    async with running_pipeline(settings, engine, log, sources=sources, schemes=("http",)) as pipeline:
        async for progress in follow(
            pipeline, queries.of_everything, asyncio.Event(), timeout_seconds=TIMEOUT_SECONDS
        ):
            report({"step": "read", "pages": progress.done("read_page")})


async def copy_rows(source: AsyncEngine, target_engine: AsyncEngine, tenant_id: UUID) -> int:
    """Copy every row of the pipeline, as done as it is: what still waits is not queued in the copy."""
    user_id = local_user_id(tenant_id)
    known = select(tables.hosts).where(tables.hosts.c.host.in_(select(tables.domains.c.host)))
    # Everything is read before the first row is written: neither transaction waits for the other.
    hosts = await _read(source, known)
    rows = {table: await _read(source, select(table)) for table in COPIED}
    async with target_engine.begin() as connection:
        for host in hosts:
            waiting = {name: None for name in host if name.endswith("_waiting_since")}
            values = {**host, **waiting, "worker": None}
            await connection.execute(upsert(tables.hosts).values(values).on_conflict_do_nothing())
        for table in COPIED:
            copies = [_copied(table, row, tenant_id, user_id) for row in rows[table]]
            await _insert(connection, table, copies)
    return len(rows[tables.contacts])


async def _read(source: AsyncEngine, query: Any) -> list[dict[str, Any]]:
    async with source.connect() as reader:
        return [dict(row) for row in (await reader.execute(query)).mappings()]


def _copied(table: Table, row: dict[str, Any], tenant_id: UUID, user_id: UUID) -> dict[str, Any]:
    row["tenant_id"] = tenant_id
    row |= {name: user_id for name in ("created_by", "updated_by") if row.get(name)}
    for stage in DECLARATIONS:
        if stage.table != table.name:
            continue
        row |= {stage.column(name): None for name in ("lease_until", "worker")}
        if row[stage.status] in (stage.statuses.queued, stage.statuses.processing):
            row[stage.status] = stage.statuses.failed if table is tables.jobs else None
    generated = [
        column.name for column in table.c if column.computed is not None or column.identity is not None
    ]
    return {name: value for name, value in row.items() if name not in generated}


async def _insert(writer: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        await writer.execute(insert(table), list(rows[start : start + ROWS_AT_ONCE]))
