"""A CRM that cuts connections after accepting, and workers that are killed: each contact once (A32)."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from children import die_with_parent
from product import TENANT, until
from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.delivery.destinations import DestinationEditor
from scrapersky.actions.delivery.sends import Send, send_contacts
from scrapersky.queries.rows.filters import Filters
from scrapersky.secret_key import SecretKey
from scrapersky.tables.seed import local_user_id
from scrapersky_demo.contracts.faults import Faults
from scrapersky_demo.contracts.hubspot import HubSpotServer
from scrapersky_demo.contracts.server import running

KEY = "k3Jq9-Zx7vB2nM5tR8wY1uC4sD6fG0hL"
SOURCES = Path(__file__).parents[2] / "src"
ACTOR = Actor(TENANT, local_user_id(TENANT), "local")


class Weather(Faults):
    """Of ten requests three are cut after the CRM accepted them, and three fail in other ways."""

    chance = random.Random(20261118)

    def next(self) -> Any:
        return self.chance.choice(["cut", "cut", "cut", 503, "drop", (429, 1), None, None, None, None])


async def add_contacts(db: AsyncEngine, number: int) -> None:
    domain = uuid.uuid4()
    site = {"id": domain, "tenant_id": TENANT, "domain": "shop.example", "host": "shop.example"}
    contacts = [
        {
            "tenant_id": TENANT,
            "domain_id": domain,
            "email": f"person{at}@shop.example",
            "name": f"Person {at}",
            "source_url": "https://shop.example/team",
            "email_validation_result": "valid",
        }
        for at in range(number)
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.domains).values(site))
        await connection.execute(insert(tables.contacts), contacts)


def start_worker(url: str, port: int, folder: Path) -> subprocess.Popen[bytes]:
    settings = {
        "DATABASE_URL": url,
        "DATA_FOLDER": str(folder),
        "SECRET_KEY": KEY,
        "HUBSPOT_URL": "http://crm.example",
        "EGRESS_ALLOW": f"127.0.0.1:{port}",
        "CONNECT_TO": f"::127.0.0.1:{port}",
        "LEASE_SECONDS": "3",
        "HEARTBEAT_SECONDS": "1",
        "SWEEP_SECONDS": "1",
        "SHUTDOWN_GRACE_SECONDS": "2",
        "MAX_RETRIES": "20",
        "MAX_CRASHES": "20",
        "RETRY_BASE_SECONDS": "1",
        "RETRY_MAX_MINUTES": "1",
        "CIRCUIT_FAILURES": "50",
        "PYTHONPATH": str(SOURCES),
    }
    command = [sys.executable, "-m", "scrapersky", "worker", "--stage", "deliver"]
    return subprocess.Popen(
        command,
        env={**os.environ, **settings},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )


async def counts(db: AsyncEngine) -> dict[str, int]:
    status = tables.deliveries.c.status
    async with db.connect() as connection:
        rows = await connection.execute(select(status, func.count()).group_by(status))
        return {row[0]: row[1] for row in rows}


async def send_all(db: AsyncEngine, number: int) -> None:
    await add_contacts(db, number)
    editor = DestinationEditor(db, ACTOR, SecretKey(KEY))
    destination_id, _ = await editor.add(name="CRM", kind="hubspot", secret="pat-demo")
    result = await send_contacts(db, ACTOR, Send(destination_id=destination_id, filters=Filters()))
    assert result.queued == number


@contextmanager
def fleet(size: int, *args: Any) -> Iterator[Callable[[], None]]:
    """So many workers; the function kills the oldest without a word and starts another."""
    workers = [start_worker(*args) for _ in range(size)]

    def replace_oldest() -> None:
        workers[0].kill()
        workers.pop(0).wait()
        workers.append(start_worker(*args))

    try:
        yield replace_oldest
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


async def is_delivered(db: AsyncEngine, number: int) -> bool:
    return (await counts(db)).get("Complete", 0) == number


def check(server: HubSpotServer, contacts: int) -> None:
    assert set(server.created) == {f"person{at}@shop.example" for at in range(contacts)}, "none lost"
    assert set(server.created.values()) == {1}, "each created once"


@pytest.mark.timeout(420)
async def test_a_crm_that_cuts_connections_gets_each_contact_once(
    db: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    await send_all(db, 250)
    server = HubSpotServer(
        faults=Faults(["cut", 503, "cut", (429, 1), "drop", "cut"]), calls_per_10_seconds=1_000
    )
    async with running(server.application()) as port:
        with fleet(2, database_url, port, tmp_path) as replace_oldest:
            # The first worker is lost while the CRM has contacts of which nobody here knows.
            await until(lambda: answered(server, 1), seconds=120)
            replace_oldest()
            await until(lambda: is_delivered(db, 250), seconds=240)
    check(server, 250)
    async with db.connect() as connection:
        delivery = tables.deliveries.c
        assert await connection.scalar(select(func.count()).where(delivery.external_id.is_not(None))) == 250


async def answered(server: HubSpotServer, number: int) -> bool:
    return len(server.requests) >= number


@pytest.mark.reliability
@pytest.mark.timeout(1_500)
async def test_a_thousand_contacts_survive_a_kill_every_two_seconds(
    db: AsyncEngine, database_url: str, tmp_path: Path
) -> None:
    await send_all(db, 1_000)
    server, kills = HubSpotServer(faults=Weather(), calls_per_10_seconds=1_000), 0
    async with running(server.application()) as port:
        with fleet(5, database_url, port, tmp_path) as replace_oldest:
            await until(lambda: answered(server, 1), seconds=120)
            async with asyncio.timeout(1_200):
                while not await is_delivered(db, 1_000):
                    replace_oldest()
                    kills += 1
                    await asyncio.sleep(2)
    check(server, 1_000)
    assert kills >= 2
    print(f"{kills} kills, {len(server.requests)} accepted calls, {len(server.created)} created")  # noqa: T201
