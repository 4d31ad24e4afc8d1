"""Sitemaps without a status are queued, once in the fleet, and only those."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import WHO, add_sitemaps
from scrapersky import actions, tables
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance
from scrapersky.queries import HealthQuery
from scrapersky.settings import Settings
from scrapersky.wiring import build_maintenance

SITEMAPS = tables.sitemap_files
MakeMaintenance = Callable[..., Maintenance]


async def import_statuses(db: AsyncEngine) -> list[str | None]:
    async with db.connect() as connection:
        rows = await connection.execute(select(SITEMAPS.c.sitemap_import_status).order_by(SITEMAPS.c.id))
        return [row[0] for row in rows]


@pytest.mark.req("R002")
async def test_a_sitemap_inserted_without_a_status_is_queued_by_the_database(db: AsyncEngine) -> None:
    await add_sitemaps(db, 8)

    assert await import_statuses(db) == ["Queued"] * 8


@pytest.mark.req("R003", "R007")
async def test_the_safety_net_queues_missed_sitemaps_and_reports_how_many(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    await add_sitemaps(db, 7, sitemap_import_status=None)
    await add_sitemaps(db, 2, sitemap_import_status="Complete")

    assert await maintenance().queue_missed_sitemaps() == 7

    assert sorted(str(one) for one in await import_statuses(db)) == ["Complete"] * 2 + ["Queued"] * 7
    assert lines == [{"event": "missed_sitemaps_queued", "level": "warning", "repaired": 7}]
    health = await HealthQuery(db).report()
    assert health["details"]["schedulers"]["sitemap_import"]["repaired_last_hour"] == 7
    assert health["details"]["schedulers"]["page_curation"]["repaired_last_hour"] == 0


@pytest.mark.req("R004")
def test_the_safety_net_is_on_the_schedule_by_default(db: AsyncEngine) -> None:
    jobs = {name: every for name, _, every in build_maintenance(Settings(), db, Log()).tasks()}

    assert jobs["queue_missed_sitemaps"].total_seconds() == 300


async def test_of_many_machines_one_runs_the_safety_net_in_each_slot(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    await add_sitemaps(db, 3, sitemap_import_status=None)

    did = await asyncio.gather(*(maintenance().queue_missed_sitemaps() for _ in range(8)))

    assert sorted(did, key=str) == [3] + [None] * 7
    assert len(lines) == 1


async def test_a_discarded_sitemap_stays_out_of_the_queue(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    """Both have no status; what once failed was taken out by a person and must not return automatically."""
    [dead] = await add_sitemaps(db, 1)
    async with db.begin() as connection:
        for word in ("Processing", "Error"):
            lease = {"sitemap_import_lease_until": SITEMAPS.c.created_at if word == "Processing" else None}
            done = {"sitemap_import_finished_at": None if word == "Processing" else SITEMAPS.c.created_at}
            values = {"sitemap_import_status": word, "sitemap_import_error": "broken", **lease, **done}
            await connection.execute(SITEMAPS.update().values(values))
    assert await actions.discard_dead_letters(db, WHO, "import_sitemap", [str(dead)]) == 1

    assert not await maintenance().queue_missed_sitemaps()
    assert await import_statuses(db) == [None]


async def test_a_net_that_finds_nothing_is_silent(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    assert await maintenance().queue_missed_sitemaps() == 0
    async with db.begin() as connection:
        await connection.execute(delete(tables.scheduler_slots))
    assert await maintenance().queue_missed_sitemaps() == 0
    assert lines == []
