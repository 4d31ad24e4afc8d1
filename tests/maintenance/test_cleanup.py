"""What is past its time is deleted, in batches, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from pipeline_rows import add_contact
from product import add_domain, add_job, ago, statuses
from scrapersky import tables
from scrapersky.log import Log
from scrapersky.maintenance import Maintenance
from scrapersky.settings import Settings
from scrapersky.wiring import build_maintenance

MakeMaintenance = Callable[..., Maintenance]


@pytest.mark.req("R018", "R019")
async def test_only_old_jobs_at_rest_are_deleted(db: AsyncEngine, maintenance: MakeMaintenance) -> None:
    old, young = ago(days=31), ago(days=29)
    for status, more in (("complete", {}), ("failed", {"error": "no"})):
        await add_job(db, status=status, created_at=old, **more)
        await add_job(db, status=status, created_at=young, **more)
    pending = await add_job(db, created_at=old)
    running = await add_job(db, status="running", created_at=old, lease_until=old, updated_at=old)

    removed = await maintenance().clean_up()

    left = await statuses(db)
    assert removed["jobs"] == 2
    assert left[pending] == "pending"
    assert left[running] == "running"
    assert sorted(left.values()) == ["complete", "failed", "pending", "running"]


@pytest.mark.req("R021")
async def test_the_deletion_works_in_batches_and_logs_the_number(
    db: AsyncEngine, maintenance: MakeMaintenance, lines: list[dict[str, Any]]
) -> None:
    for _ in range(25):
        await add_job(db, status="complete", created_at=ago(days=40))
    deleted = []

    def count(_c: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "DELETE FROM jobs" in statement:
            deleted.append(cursor.rowcount)

    event.listen(db.sync_engine, "after_cursor_execute", count)
    await maintenance(cleanup_batch=10).clean_up()

    assert deleted == [10, 10, 5]
    assert lines[0]["event"] == "expired_rows_deleted"
    assert lines[0]["deleted"]["jobs"] == 25


@pytest.mark.req("R020")
async def test_retention_and_interval_are_settings(db: AsyncEngine) -> None:
    settings = Settings(
        job_retention_days=7, cleanup_interval_minutes=90, cleanup_batch_rows=11, alert_retention_days="keep"
    )
    options = build_maintenance(settings, db, Log()).options

    figures = (options.keep_jobs, options.cleanup_interval, options.cleanup_batch)
    assert figures == (timedelta(days=7), timedelta(minutes=90), 11)
    assert options.keep_alerts is None


async def test_keep_means_for_ever(db: AsyncEngine, maintenance: MakeMaintenance) -> None:
    number = await add_job(db, status="complete", created_at=ago(days=4_000))

    await maintenance(keep_jobs=None).clean_up()

    assert await statuses(db) == {number: "complete"}


async def test_of_many_machines_one_cleans_up_in_each_slot(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    did = await asyncio.gather(*(maintenance().clean_up() for _ in range(5)))

    assert sum(bool(one) for one in did) == 1


@pytest.mark.req("R022")
async def test_by_hand_it_cleans_up_at_any_time(db: AsyncEngine, maintenance: MakeMaintenance) -> None:
    await maintenance().clean_up()
    await add_job(db, status="complete", created_at=ago(days=31))

    assert (await maintenance().delete_expired())["jobs"] == 1


ZOMBIE = {"stage": "s", "table_name": "t", "row_id": "1", "reason": "r"}


@pytest.mark.parametrize(
    ("row", "given", "column", "kept_days", "gone_days"),
    [
        (tables.zombies, ZOMBIE, "created_at", 89, 91),
        (tables.stage_stats, {"stage": "s", "worker": 1}, "minute", 89, 91),
        (tables.alerts, {"kind": "k", "message": "m", "resolved_at": ago()}, "created_at", 89, 91),
        (tables.workers, {"machine": "m", "pid": 1}, "heartbeat_at", 6, 8),
        (tables.login_failures, {"account_hash": bytes(32), "address": ""}, "created_at", 0.5, 2),
    ],
)
async def test_the_other_tables_are_kept_short_too(
    db: AsyncEngine,
    maintenance: MakeMaintenance,
    row: Any,
    given: dict[str, Any],
    column: str,
    kept_days: float,
    gone_days: float,
) -> None:
    kept, gone = ({**given, column: ago(days=days)} for days in (kept_days, gone_days))
    async with db.begin() as connection:
        await connection.execute(insert(row).values(kept))
        await connection.execute(insert(row).values(gone))

    assert (await maintenance().delete_expired())[row.name] == 1

    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(row)) == 1


async def test_an_alert_that_is_still_open_is_never_deleted(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    async with db.begin() as connection:
        await connection.execute(
            insert(tables.alerts).values(kind="k", message="m", created_at=ago(days=400))
        )

    assert (await maintenance().delete_expired())["alerts"] == 0


async def test_contacts_that_nobody_saw_or_changed_for_long_are_deleted(
    db: AsyncEngine, maintenance: MakeMaintenance
) -> None:
    domain = await add_domain(db)
    old = ago(days=731)
    for name, values in {
        "forgotten": {"last_seen_at": old, "updated_at": old},
        "seen": {"updated_at": old},
        "edited": {"last_seen_at": old},
    }.items():
        await add_contact(db, domain, email=f"{name}@shop.example", **values)

    removed = await maintenance().clean_up()

    assert removed["contacts"] == 1
    async with db.connect() as connection:
        left = await connection.scalars(select(tables.contacts.c.email))
    assert sorted(left) == ["edited@shop.example", "seen@shop.example"]
