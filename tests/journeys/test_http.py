"""A whole journey by HTTP alone, on a fresh installation that runs as a process of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo_lab import find_domain, running_product, well
from product import until

WORLD = well(3, 40)
SETTINGS = {"WORKER_PROCESSES": "1", "DECISION_GRACE_SECONDS": "0", "AUTO_EMAIL_VALIDATION": "false"}


@asynccontextmanager
async def installation(url: str, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the API of a fresh installation."""
    async with (
        running_product(url, WORLD, folder, **SETTINGS) as address,
        httpx.AsyncClient(base_url=f"{address}/api/v3", timeout=20) as client,
    ):
        yield client


async def read(client: httpx.AsyncClient, path: str, **params: Any) -> Any:
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def send(client: httpx.AsyncClient, method: str, path: str, body: Any = None) -> Any:
    answer = await client.request(method, path, json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


async def _finished_job(client: httpx.AsyncClient, domain: str) -> Any:
    jobs = (await read(client, "/jobs", domain=domain))["items"]
    return next((job for job in jobs if job["status"] in ("complete", "failed")), None)


async def _all_read(client: httpx.AsyncClient, domain: str) -> bool:
    for status in ("Queued", "Processing"):
        waiting = await read(client, "/pages", domain=domain, page_processing_status=status)
        if waiting["total"]:
            return False
    return bool((await read(client, "/contacts", domain=domain))["items"])


@pytest.mark.req("R119", "R165", "R180", "R229", "R230", "R266", "R249")
async def test_a_domain_is_submitted_followed_edited_read_again_and_exported(
    empty_database_url: str, tmp_path: Path
) -> None:
    domain = find_domain(WORLD, sitemap="standard")
    expected = WORLD.truth().domains[domain].values("email", "expected")
    async with installation(empty_database_url, tmp_path) as client:
        submitted = await send(
            client, "POST", "/domains/direct-submit", {"domains": [domain], "auto_queue": True}
        )
        assert submitted["queued_count"] == 1

        job = await until(lambda: _finished_job(client, domain), seconds=60)
        status = await read(client, f"/sitemap/status/{job['job_id']}")
        assert (status["status"], status["progress"], status["domain"]) == ("complete", 1.0, domain)
        files = (await read(client, "/sitemap-files", domain=domain))["items"]
        assert {entry["id"] for entry in status["metadata"]["sitemaps"]} == {file["id"] for file in files}
        assert {file["job_id"] for file in files} == {job["job_id"]}

        await until(lambda: _all_read(client, domain), seconds=60)
        contacts = (await read(client, "/contacts", domain=domain))["items"]
        assert {contact["email"] for contact in contacts} >= expected

        edited, *others = [contact for contact in contacts if contact["email"] in expected]
        await send(client, "PATCH", f"/contacts/{edited['id']}", {"name": "Ada Lune", "tags": ["vip"]})
        for contact in others[:1]:
            await send(client, "DELETE", f"/contacts/{contact['id']}")
        await read_again(client, domain)

        after = {
            contact["email"]: contact for contact in (await read(client, "/contacts", domain=domain))["items"]
        }
        assert after[edited["email"]]["name"] == "Ada Lune"
        assert not {contact["email"] for contact in others[:1]} & set(after)

        exported = await client.get("/contacts/export", params={"domain": domain})
        rows = {row["email"]: row for row in csv.DictReader(io.StringIO(exported.text))}
        assert set(rows) == {email or "" for email in after}
        assert (rows[edited["email"]]["name"], rows[edited["email"]]["tags"]) == ("Ada Lune", "vip")


async def read_again(client: httpx.AsyncClient, domain: str) -> None:
    """Select all pages of the domain that were read, and wait until each has been read once more."""
    pages = await read(client, "/pages", domain=domain, page_processing_status="Complete", limit=200)
    ids = [page["id"] for page in pages["items"]]
    before = {page_id: (await read(client, f"/pages/{page_id}"))["last_scan_at"] for page_id in ids}
    await send(client, "PUT", "/pages/status", {"page_ids": ids, "status": "Selected"})

    async def is_read() -> bool:
        now = [(await read(client, f"/pages/{page_id}")) for page_id in ids]
        return all(
            page["page_processing_status"] == "Complete" and page["last_scan_at"] != before[page["id"]]
            for page in now
        )

    await until(is_read, seconds=60)
