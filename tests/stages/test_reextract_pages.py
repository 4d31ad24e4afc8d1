"""The job that reads stored pages again: contacts, result, progress, cancel, and resuming after kill -9."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

import scrapersky.stages.run_job.reextract_pages as reextraction
from fakes import FakeWeb, context
from product import FEW, QUICK, TENANT, WHO, add_domain, change, job_row, settled, until
from scrapersky import tables
from scrapersky.actions import cancel_job, retry_job
from scrapersky.actions.reextraction import reextract_pages
from scrapersky.engine.database import Database
from scrapersky.engine.worker import Worker
from scrapersky.errors import NotFound
from scrapersky.pipeline import STAGES
from scrapersky.stage_context.job_progress import JobProgress
from scrapersky.stage_context.page_body_store import PageBodyStore, compress_body
from scrapersky.stages.run_job import JOB_TYPES
from scrapersky.storage import save

DOMAIN = "linden-bakery-demo.com"


def body_of(number: int) -> bytes:
    return f"<html><body><h1>Contact</h1><p>Write to team{number}@{DOMAIN}</p></body></html>".encode()


async def add_stored_pages(
    db: AsyncEngine, bodies: Sequence[bytes], *, domain: str = DOMAIN, **given: Any
) -> list[uuid.UUID]:
    """Pages that were read once and are kept."""
    domain_id = await add_domain(db, domain, host=domain)
    ids = sorted(uuid.uuid4() for _ in bodies)
    pages = [
        {"id": one, "tenant_id": TENANT, "domain_id": domain_id, "host": domain,
         "url": f"https://{domain}/{one}", "page_processing_status": "Complete", **given}
        for one in ids
    ]  # fmt: skip
    kept = [
        {"page_id": one, "tenant_id": TENANT, "body": compress_body(body),
         "content_hash": sha256(body).digest(),
         "final_url": f"https://{domain}/{one}", "content_type": "text/html", "status_code": 200,
         "size_bytes": len(body)}
        for one, body in zip(ids, bodies, strict=True)
    ]  # fmt: skip
    async with db.begin() as connection:
        await connection.execute(insert(tables.pages), pages)
        await connection.execute(insert(tables.page_bodies), kept)
    return ids


@asynccontextmanager
async def working(db: AsyncEngine) -> AsyncIterator[FakeWeb]:
    """A worker for jobs as the product makes it, with a web that remembers what was asked."""
    web = FakeWeb()
    kit = context(web, page_bodies=PageBodyStore(Database(db)))
    kit.job_types, kit.progress = JOB_TYPES, JobProgress(Database(db))
    run_job = next(stage for stage in STAGES if stage.name == "run_job")
    worker = Worker(db, [(run_job, FEW)], options=QUICK, context=kit, save=save)
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(stop))
    try:
        await worker.ready.wait()
        yield web
    finally:
        stop.set()
        await task


async def emails(db: AsyncEngine) -> list[str]:
    async with db.connect() as connection:
        return list(await connection.scalars(select(tables.contacts.c.email).order_by("email")))


async def test_stored_pages_are_read_again_slice_by_slice_and_nobody_is_asked(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reextraction, "PAGES_PER_SLICE", 3)
    ids = await add_stored_pages(db, [body_of(number) for number in range(7)])
    await add_stored_pages(db, [body_of(99)], domain="other-demo.com")
    job = await reextract_pages(db, WHO, domain=DOMAIN.upper())
    assert (job["job_type"], job["status"]) == ("reextract_pages", "pending")
    async with db.begin() as connection:
        await connection.execute(update(tables.jobs).values(rescues=1, retry_count=1))

    async with working(db) as web:
        await settled(db)

    row = await job_row(db, job["id"])
    assert (row.status, row.progress_percent, row.error, row.job_metadata) == ("complete", 100, None, {})
    assert {name: row.result_data[name] for name in ("pages", "contacts", "failed", "problems")} == {
        "pages": 7, "contacts": 7, "failed": 0, "problems": [],
    }  # fmt: skip
    assert row.progress_message == "read 7 stored pages again, found 7 contacts"
    assert row.lease_seq == 3, "three slices, each claimed anew"
    assert (row.rescues, row.retry_count) == (0, 0), "each slice that was written is a fresh start"
    assert await emails(db) == [f"team{number}@{DOMAIN}" for number in range(7)]
    assert web.asked == []
    pages = tables.pages.c
    async with db.connect() as connection:
        page = (await connection.execute(select(tables.pages).where(pages.id == ids[0]))).one()
    assert (page.page_processing_status, page.contact_scrape_status) == ("Complete", "ContactFound")
    assert page.scraped_content["extraction_timestamp"]


async def test_a_finished_job_can_be_run_again_from_the_beginning(db: AsyncEngine) -> None:
    await add_stored_pages(db, [body_of(1)])
    job = await reextract_pages(db, WHO)
    async with working(db):
        await settled(db)
        await retry_job(db, WHO, str(job["id"]))
        await settled(db)
    assert (await job_row(db, job["id"])).result_data["pages"] == 1
    assert await emails(db) == [f"team1@{DOMAIN}"]


async def test_what_was_rejected_or_never_read_stays_alone(db: AsyncEngine) -> None:
    await add_stored_pages(db, [body_of(1)], page_curation_status="Rejected")
    await add_stored_pages(db, [body_of(2)], domain="b-demo.com", page_processing_status="Queued")
    job = await reextract_pages(db, WHO)
    async with working(db):
        await settled(db)
    assert (await job_row(db, job["id"])).result_data["pages"] == 0
    assert await emails(db) == []


async def test_a_page_that_cannot_be_read_is_told_and_stops_no_other(db: AsyncEngine) -> None:
    barrier = b"<title>Just a moment...</title><body>Checking your browser cf-chl-bypass</body>"
    await add_stored_pages(db, [barrier, body_of(1)])
    job = await reextract_pages(db, WHO)
    async with working(db):
        await settled(db)
    result = (await job_row(db, job["id"])).result_data
    assert (result["pages"], result["failed"]) == (1, 1)
    assert "blocked" in result["problems"][0]
    assert await emails(db) == [f"team1@{DOMAIN}"]


async def test_a_page_that_was_fetched_again_meanwhile_keeps_what_was_read_then(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (page_id,) = await add_stored_pages(db, [body_of(1)])
    job = await reextract_pages(db, WHO)
    load = PageBodyStore.load

    async def overtaken(self: PageBodyStore, stored: Any) -> Any:
        newer = {"last_scan_at": func.now(), "scraped_content": {"newer": True}}
        await change(db, tables.pages, tables.pages.c.id == page_id, **newer)
        return await load(self, stored)

    monkeypatch.setattr(PageBodyStore, "load", overtaken)
    async with working(db):
        await settled(db)
    async with db.connect() as connection:
        assert await connection.scalar(select(tables.pages.c.scraped_content)) == {"newer": True}
    assert (await job_row(db, job["id"])).status == "complete"


async def test_a_running_job_shows_its_progress_and_is_cancelled_between_pages(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reextraction, "PAGES_PER_SLICE", 2)
    monkeypatch.setattr("scrapersky.stage_context.job_progress.MIN_INTERVAL_SECONDS", 0.0)
    await add_stored_pages(db, [body_of(number) for number in range(40)])
    load = PageBodyStore.load

    async def slowly(self: PageBodyStore, page_id: Any) -> Any:
        await asyncio.sleep(0.1)
        return await load(self, page_id)

    monkeypatch.setattr(PageBodyStore, "load", slowly)
    job = await reextract_pages(db, WHO)
    async with working(db):

        async def half_way() -> bool:
            return (await job_row(db, job["id"])).progress_percent >= 10

        await until(half_way)
        assert "of 40 stored pages" in (await job_row(db, job["id"])).progress_message
        await cancel_job(db, WHO, str(job["id"]))
        found = await settled(db)
        assert found == {job["id"]: "cancelled"}
        stored = len(await emails(db))
        assert 0 < stored < 40
        # Run again, it continues where it was.
        await retry_job(db, WHO, str(job["id"]))
        await settled(db, seconds=30)
    assert (await job_row(db, job["id"])).result_data["pages"] == 40
    assert len(await emails(db)) == 40


async def test_an_unknown_domain_is_said_to_be_unknown(db: AsyncEngine) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        await reextract_pages(db, WHO, domain="nowhere-demo.com")
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.jobs)) == 0


async def test_after_kill_9_the_job_resumes_where_it_was(db: AsyncEngine, database_url: str) -> None:
    """A worker of the product is killed in the middle; the next one brings every page exactly once."""
    number = 250
    await add_stored_pages(db, [body_of(one) for one in range(number)])
    job = await reextract_pages(db, WHO)

    async def some_slices_are_written() -> bool:
        row = await job_row(db, job["id"])
        return row.status == "running" and row.job_metadata.get("pages", 0) >= 100

    first = start_worker(database_url)
    try:
        await until(some_slices_are_written, seconds=60)
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    written = (await job_row(db, job["id"])).job_metadata["pages"]
    assert written < number

    second = start_worker(database_url)
    try:
        await settled(db, seconds=60)
    finally:
        second.terminate()
        second.wait(30)
    row = await job_row(db, job["id"])
    assert (row.status, row.result_data["pages"], row.result_data["contacts"]) == ("complete", number, number)
    assert len(await emails(db)) == number
    async with db.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(tables.sightings)) == number


def start_worker(database_url: str) -> subprocess.Popen[bytes]:
    given = {"DATABASE_URL": database_url, "LEASE_SECONDS": "3", "HEARTBEAT_SECONDS": "1"}
    given |= {"SWEEP_SECONDS": "1", "SHUTDOWN_GRACE_SECONDS": "2", "LOG_LEVEL": "ERROR"}
    command = [sys.executable, "-m", "scrapersky", "worker", "--processes", "1", "--stage", "run_job"]
    return subprocess.Popen(command, env={**os.environ, **given})
