"""What tests of the running product share: rows to begin with, a worker for jobs, and patience."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.engine.database import Database, Statement
from scrapersky.engine.stage import EngineOptions, StageOptions
from scrapersky.engine.worker import Worker
from scrapersky.pipeline import STAGES
from scrapersky.settings import Settings
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.stage_context.jobs import JobType

TENANT: uuid.UUID = Settings.model_fields["default_tenant_id"].default
USER: uuid.UUID = Settings.model_fields["scheduler_system_user_id"].default
WHO = Actor(TENANT, USER)
JOBS = tables.jobs
QUICK = EngineOptions(
    lease=timedelta(seconds=2),
    heartbeat=timedelta(seconds=0.5),
    sweep=timedelta(seconds=0.3),
    grace=timedelta(seconds=2),
    retry_base=timedelta(milliseconds=20),
)
FEW = StageOptions(batch=10, concurrency=10, timeout=timedelta(seconds=5))


class CountingDatabase(Database):
    """Counts the statements."""

    statements = 0

    async def fetch(self, prepared: Statement, values: Mapping[str, Any]) -> list[Any]:
        self.statements += 1
        return await super().fetch(prepared, values)


def ago(**amount: float) -> datetime:
    return datetime.now(UTC) - timedelta(**amount)


async def add_job(engine: AsyncEngine, job_type: str = "greet", **given: Any) -> int:
    """Insert a job as anybody could; gives its number."""
    values = {"tenant_id": TENANT, "job_type": job_type, "result_data": {"name": "Ada"}, "created_by": USER}
    async with engine.begin() as connection:
        statement = insert(JOBS).values({**values, **given}).returning(JOBS.c.id)
        return int((await connection.execute(statement)).scalar_one())


async def job_row(engine: AsyncEngine, number: int) -> Any:
    async with engine.connect() as connection:
        return (await connection.execute(select(JOBS).where(JOBS.c.id == number))).one()


async def statuses(engine: AsyncEngine) -> dict[int, str]:
    async with engine.connect() as connection:
        return {row.id: row.status for row in await connection.execute(select(JOBS.c.id, JOBS.c.status))}


async def change(engine: AsyncEngine, row: Any, condition: Any, **values: Any) -> None:
    async with engine.begin() as connection:
        await connection.execute(update(row).where(condition).values(values))


async def add_domain(engine: AsyncEngine, name: str | None = None, **given: Any) -> uuid.UUID:
    made = uuid.uuid4()
    values = {"id": made, "tenant_id": TENANT, "domain": name or f"shop-{made.hex[:12]}.example"}
    async with engine.begin() as connection:
        await connection.execute(insert(tables.domains).values({**values, **given}))
    return made


async def add_sitemaps(engine: AsyncEngine, number: int, **given: Any) -> list[uuid.UUID]:
    domain = await add_domain(engine)
    return await _add_below(engine, tables.sitemap_files, domain, number, given)


async def add_pages(engine: AsyncEngine, number: int, **given: Any) -> list[uuid.UUID]:
    domain = await add_domain(engine)
    return await _add_below(engine, tables.pages, domain, number, given)


async def _add_below(
    engine: AsyncEngine, table: Any, domain: uuid.UUID, number: int, given: dict[str, Any]
) -> list[uuid.UUID]:
    ids = [uuid.uuid4() for _ in range(number)]
    rows = [
        {"id": one, "tenant_id": TENANT, "domain_id": domain, "url": f"https://shop.example/{one}", **given}
        for one in ids
    ]
    async with engine.begin() as connection:
        await connection.execute(insert(table), rows)
    return ids


@asynccontextmanager
async def working(
    engine: AsyncEngine, *types: JobType, options: EngineOptions = QUICK, tuning: StageOptions = FEW
) -> AsyncIterator[tuple[Worker, list[dict[str, Any]]]]:
    """A worker for these job types while the block runs, and the lines of its log."""
    lines: list[dict[str, Any]] = []
    # The stage of jobs needs no more than this.
    context = SimpleNamespace(
        job_types={job_type.name: job_type for job_type in types}, progress=JobProgress(Database(engine))
    )
    run_job = next(stage for stage in STAGES if stage.name == "run_job")
    worker = Worker(engine, [(run_job, tuning)], options=options, context=context, report=lines.extend)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        await worker.ready.wait()
        yield worker, lines
    finally:
        stop.set()
        await task


async def until(condition: Callable[[], Awaitable[Any]], *, seconds: float = 20) -> Any:
    """Wait for something that must become true; a test that waits longer than this has failed."""
    async with asyncio.timeout(seconds):
        while not (found := await condition()):  # noqa: ASYNC110 - the condition is in the database.
            await asyncio.sleep(0.02)
    return found


async def settled(engine: AsyncEngine, *, seconds: float = 20) -> dict[int, str]:
    """Wait until no job waits or runs."""
    found: dict[int, str] = {}

    async def at_rest() -> bool:
        nonlocal found
        found = await statuses(engine)
        return not {"pending", "running"} & set(found.values())

    await until(at_rest, seconds=seconds)
    return found
