"""What is past its time is deleted, in batches, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from product import add_job, ago, statuses
from scrapersky.app import upkeep
from scrapersky.engine.ticks import Ticks
from scrapersky.log import Log
from scrapersky.settings import Settings
from scrapersky.tables import Alert, Schedule, StageStat, WorkerProcess, Zombie, table_of
from scrapersky.upkeep import Upkeep

Keeper = Callable[..., Upkeep]


async def test_r018_r019_only_old_jobs_at_rest_are_deleted(db: AsyncEngine, keeper: Keeper) -> None:
    old, young = ago(days=31), ago(days=29)
    for status, more in (("complete", {}), ("failed", {"error": "no"})):
        await add_job(db, status=status, created_at=old, **more)
        await add_job(db, status=status, created_at=young, **more)
    pending = await add_job(db, created_at=old)
    running = await add_job(db, status="running", created_at=old, lease_until=old, updated_at=old)

    removed = await keeper().clean_up()

    left = await statuses(db)
    assert removed["jobs"] == 2
    assert left[pending] == "pending"
    assert left[running] == "running"
    assert sorted(left.values()) == ["complete", "failed", "pending", "running"]


async def test_r021_the_deletion_works_in_batches_and_logs_the_number(
    db: AsyncEngine, keeper: Keeper, lines: list[dict[str, Any]]
) -> None:
    for _ in range(25):
        await add_job(db, status="complete", created_at=ago(days=40))
    deleted = []

    def count(_c: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "DELETE FROM jobs" in statement:
            deleted.append(cursor.rowcount)

    event.listen(db.sync_engine, "after_cursor_execute", count)
    await keeper(batch=10).clean_up()

    assert deleted == [10, 10, 5, 0]
    assert lines[0]["event"] == "cleanup"
    assert lines[0]["removed"]["jobs"] == 25


async def test_r020_retention_and_interval_are_settings(db: AsyncEngine) -> None:
    settings = Settings(
        job_retention_days=7, cleanup_interval_minutes=90, cleanup_batch_rows=11, alert_retention_days="keep"
    )
    rules = upkeep(settings, db, Log()).rules

    assert (rules.keep_jobs, rules.cleanup, rules.batch) == (timedelta(days=7), timedelta(minutes=90), 11)
    assert rules.keep_alerts is None


async def test_keep_means_for_ever(db: AsyncEngine, keeper: Keeper) -> None:
    number = await add_job(db, status="complete", created_at=ago(days=4_000))

    await keeper(keep_jobs=None).clean_up()

    assert await statuses(db) == {number: "complete"}


async def test_of_many_machines_one_cleans_up_in_each_slot(db: AsyncEngine, keeper: Keeper) -> None:
    did = await asyncio.gather(*(keeper().clean_up() for _ in range(5)))

    assert sum(bool(one) for one in did) == 1


async def test_r022_by_hand_it_cleans_up_at_any_time(db: AsyncEngine, keeper: Keeper) -> None:
    await keeper().clean_up()
    await add_job(db, status="complete", created_at=ago(days=31))

    assert (await keeper().clean_up_now())["jobs"] == 1


@pytest.mark.parametrize(
    ("row", "kept", "gone"),
    [
        (
            Zombie,
            {"stage": "s", "table_name": "t", "row_id": "1", "reason": "r", "created_at": ago(days=89)},
            {"stage": "s", "table_name": "t", "row_id": "1", "reason": "r", "created_at": ago(days=91)},
        ),
        (
            StageStat,
            {"stage": "s", "worker": 1, "minute": ago(days=89)},
            {"stage": "s", "worker": 1, "minute": ago(days=91)},
        ),
        (
            Alert,
            {"kind": "k", "message": "still open", "created_at": ago(days=400)},
            {"kind": "k", "message": "over", "created_at": ago(days=91), "over_at": ago(days=90)},
        ),
        (
            WorkerProcess,
            {"machine": "asleep", "pid": 1, "heartbeat_at": ago(days=6)},
            {"machine": "dead", "pid": 2, "heartbeat_at": ago(days=8)},
        ),
    ],
)
async def test_the_other_tables_are_kept_short_too(
    db: AsyncEngine, keeper: Keeper, row: Any, kept: dict[str, Any], gone: dict[str, Any]
) -> None:
    async with db.begin() as connection:
        await connection.execute(insert(row).values(kept))
        await connection.execute(insert(row).values(gone))

    assert (await keeper().clean_up_now())[row.__tablename__] == 1

    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(row)) == 1


async def test_a_job_goes_on_when_its_interval_is_made_longer(db: AsyncEngine) -> None:
    ticks, minute, hour = Ticks(db, table_of(Schedule)), timedelta(minutes=1), timedelta(hours=1)
    assert await ticks.run("clean_up", minute, _one) == 1
    async with db.begin() as connection:
        await connection.execute(update(Schedule).values(slot=Schedule.slot - 7_200))

    assert await ticks.run("clean_up", hour, _one) == 1
    assert await ticks.run("clean_up", hour, _one) is None


async def _one(_: AsyncConnection) -> int:
    return 1
