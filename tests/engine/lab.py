"""A small product for the engine's tests: one plain queue, one polite queue, and the engine's own books."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    Identity,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.declarations.queue import Queue, StatusSet
from scrapersky.engine.ddl import queue_checks, queue_columns, queue_indexes, queue_triggers
from scrapersky.engine.outcome import FailureNote
from scrapersky.engine.stage import EngineOptions, Item, Result, Stage, StageOptions
from scrapersky.engine.worker import Worker

STATUSES = StatusSet(
    queued="Queued", processing="Processing", done="Complete", failed="Error", other=("Filtered",)
)
THINGS = Queue(
    name="make_thing",
    table="things",
    status="status",
    error="error",
    statuses=STATUSES,
    order_by=("priority", "due_at"),
    excluded_by="curation",
    excluded_statuses=("Rejected", "Archived"),
    max_retries="max_retries",
)
PAGES = Queue(
    name="visit", table="pages", status="status", error="error", statuses=STATUSES, host="host",
)  # fmt: skip
# What follows a page in a visit of its host: files of the same host, and a second queue on the page itself.
FILES = Queue(
    name="read_file", table="files", status="status", error="error", statuses=STATUSES, host="host",
)  # fmt: skip
CHECKS = Queue(
    name="check", table="pages", status="check_status", error="check_error", statuses=STATUSES,
    prefix="check_",
)  # fmt: skip
ONE = uuid.UUID(int=1)
TWO = uuid.UUID(int=2)

metadata = MetaData()
NOW = text("now()")


def _moment(name: str, **more: Any) -> Column[Any]:
    return Column(name, DateTime(timezone=True), **more)


def _workable(name: str, queue: Queue, *columns: Column[Any], default: str | None = "Queued") -> Table:
    return Table(
        name,
        metadata,
        Column("id", Uuid, primary_key=True, server_default=text("gen_random_uuid()")),
        Column("tenant_id", Uuid, nullable=False, server_default=text(f"'{ONE}'")),
        *columns,
        *queue_columns(queue, default=default),
        _moment("updated_at", nullable=False, server_default=NOW),
        *queue_checks(queue),
        *queue_indexes(queue),
        postgresql_with={"fillfactor": "80"},
    )


things = _workable(
    "things",
    THINGS,
    Column("key", Text),
    Column("priority", SmallInteger, nullable=False, server_default=text("2")),
    Column("max_retries", Integer, nullable=False, server_default=text("3")),
    Column("curation", Text, nullable=False, server_default=text("'New'")),
    Column("note", JSONB),
    Column("tags", ARRAY(Text)),
    Column("moment", DateTime(timezone=True)),
    UniqueConstraint("tenant_id", "key"),
)
pages = _workable("pages", PAGES, Column("host", Text, nullable=False), *queue_columns(CHECKS))
files = _workable("files", FILES, Column("host", Text, nullable=False))
results = Table(
    "results",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("thing_id", Uuid, nullable=False),
    Column("word", Text),
    UniqueConstraint("thing_id"),
)
hosts = Table(
    "hosts",
    metadata,
    Column("host", Text, primary_key=True),
    _moment("next_allowed_at", nullable=False, server_default=NOW),
    Column("lease_seq", Integer, nullable=False, server_default=text("0")),
    Column("worker", Integer),
    Column("consecutive_errors", Integer, nullable=False, server_default=text("0")),
    Column("backoff_reason", Text),
    _moment("paused_until"),
    _moment("backoff_until"),
    Column("delay_seconds", Float),
    _moment("visit_waiting_since"),
    _moment("read_file_waiting_since"),
)
Index(
    "ix_hosts_visit",
    func.greatest(hosts.c.next_allowed_at, hosts.c.visit_waiting_since),
    postgresql_where=hosts.c.visit_waiting_since.is_not(None),
)
zombies = Table(
    "zombies",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("stage", Text),
    Column("table_name", Text),
    Column("row_id", Text),
    Column("tenant_id", Uuid),
    Column("worker", Integer),
    Column("crashes", Integer),
    Column("reason", Text),
    _moment("found_at", server_default=NOW),
)
workers = Table(
    "workers",
    metadata,
    Column("id", Integer, Identity(), primary_key=True),
    Column("machine", Text),
    Column("pid", Integer),
    Column("stages", ARRAY(Text)),
    Column("scheduled_jobs", ARRAY(Text)),
    _moment("started_at", server_default=NOW),
    _moment("heartbeat_at", server_default=NOW),
    Column("alone", Text),
)
_COUNTS = (
    "done",
    "failed",
    "retried",
    "snoozed",
    "released",
    "lease_lost",
    "rescued",
    "rows_written",
    "runs",
)
stats = Table(
    "stage_stats",
    metadata,
    Column("stage", Text, primary_key=True),
    _moment("minute", primary_key=True),
    Column("worker", Integer, primary_key=True),
    *(Column(name, BigInteger, nullable=False, server_default=text("0")) for name in _COUNTS),
    *(Column(name, Float) for name in ("ms_sum", "ms_max", "run_ms_sum", "run_ms_max", "run_ms_last")),
    Column("buckets", ARRAY(BigInteger)),
    Column("errors", JSONB, nullable=False, server_default=text("'{}'")),
)
totals = Table(
    "stage_totals",
    metadata,
    Column("stage", Text, primary_key=True),
    Column("worker", Integer, primary_key=True),
    *(Column(name, BigInteger, nullable=False, server_default=text("0")) for name in _COUNTS),
    Column("ms_sum", Float),
    Column("buckets", ARRAY(BigInteger)),
    Column("errors", JSONB, nullable=False, server_default=text("'{}'")),
    Column("tallies", JSONB, nullable=False, server_default=text("'{}'")),
)
controls = Table(
    "stage_controls",
    metadata,
    Column("stage", Text, primary_key=True),
    Column("paused", Boolean),
    Column("reason", Text),
)
scheduler_slots = Table(
    "scheduler_slots",
    metadata,
    Column("name", Text, primary_key=True),
    Column("slot", BigInteger, nullable=False),
    _moment("last_run_at"),
    Column("runs", BigInteger, nullable=False, server_default=text("1")),
    Column("running", ARRAY(Integer), nullable=False, server_default=text("'{}'")),
)
marks = Table(
    "marks", metadata, Column("id", BigInteger, Identity(), primary_key=True), Column("slot", BigInteger)
)
QUICK = EngineOptions(
    lease=timedelta(seconds=2),
    heartbeat=timedelta(seconds=0.5),
    sweep=timedelta(seconds=0.3),
    grace=timedelta(seconds=2),
    retry_base=timedelta(milliseconds=20),
    host_delay=timedelta(milliseconds=20),
    host_backoff=timedelta(seconds=1),
)


async def create(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
        for queue in (THINGS, PAGES, FILES, CHECKS):
            for statement in queue_triggers(queue):
                await connection.execute(text(statement))


async def save(connection: AsyncConnection, rows: list[tuple[Item, Any]]) -> int:
    """Store each result once; a second result for the same thing is an error."""
    found = [row for _, row in rows if not isinstance(row, FailureNote)]
    for table, key in ((results, "thing_id"), (files, "host")):
        if some := [row for row in found if key in row]:
            await connection.execute(insert(table), some)
    return len(found)


def stage(
    run: Callable[[Item, Any], Any] | None = None,
    *,
    table: Table = things,
    queue: Queue = THINGS,
    **more: Any,
) -> Stage:
    async def store(item: Item, context: Any) -> Result:
        return Result(rows=[{"thing_id": item.id, "word": "made"}])

    return Stage(queue, table, run or store, **more)


async def add(engine: AsyncEngine, number: int, *, table: Table = things, **values: Any) -> list[uuid.UUID]:
    ids = [uuid.uuid4() for _ in range(number)]
    async with engine.begin() as connection:
        await connection.execute(insert(table), [{"id": one, **values} for one in ids])
    return ids


async def rows(engine: AsyncEngine, table: Table = things) -> list[Mapping[str, Any]]:
    async with engine.connect() as connection:
        return [row._mapping for row in await connection.execute(select(table))]


async def counts(engine: AsyncEngine, table: Table = things) -> dict[str | None, int]:
    query = select(table.c.status, func.count()).group_by(table.c.status)
    async with engine.connect() as connection:
        return {row[0]: row[1] for row in await connection.execute(query)}


@asynccontextmanager
async def working(engine: AsyncEngine, *stages: Stage, options: EngineOptions = QUICK, **more: Any):
    """A worker that runs in this process while the block does."""
    stage_options = more.pop(
        "stage_options", StageOptions(batch=50, concurrency=50, timeout=timedelta(seconds=5))
    )
    lines: list[dict[str, Any]] = []
    worker = Worker(
        engine,
        [(one, stage_options) for one in stages],
        options=options,
        save=save,
        report=lines.extend,
        **more,
    )
    worker.lines = lines  # type: ignore[attr-defined]
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    ready = asyncio.create_task(worker.ready.wait())
    try:
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        assert ready.done(), "the worker did not start"
        yield worker
    finally:
        ready.cancel()
        stop.set()
        await task


async def until(condition: Callable[[], Any], *, seconds: float = 20) -> None:
    """Wait for something that must become true; a test that waits longer than this has failed."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - the condition is in the database.
            await asyncio.sleep(0.02)


async def settled(
    engine: AsyncEngine, table: Table = things, *, seconds: float = 20
) -> dict[str | None, int]:
    """Wait until no row is open, then say how many have which status."""
    found: dict[str | None, int] = {}

    async def closed() -> bool:
        nonlocal found
        found = await counts(engine, table)
        return not (found.get("Queued") or found.get("Processing"))

    await until(closed, seconds=seconds)
    return found
