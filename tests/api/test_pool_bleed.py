"""C5: two tenants share two connections; whatever goes wrong, nobody is served a row of the other."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
import uvicorn
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, WHO
from scrapersky import tables
from scrapersky.actions.accounts.api_keys import create_api_key
from scrapersky.actions.actor import Actor
from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.database import make_engine, tenant_engine
from scrapersky.settings import Settings

PASSWORD = "correct-Horse-9-battery"
DOMAINS = 20
WAYS = ("well", "commit", "error", "statement timeout", "cancel", "lost")
DOMAIN = tables.domains.c
# Ten thousand take minutes; the few of every run are enough to notice that something is set for a session.
ALL = pytest.param(10_000, marks=pytest.mark.reliability)


@pytest.fixture
async def small_pool(database_url: str) -> AsyncIterator[AsyncEngine]:
    settings = Settings(database_pool_size=2, database_lock_timeout_seconds=1)
    engine = make_engine(settings, database_url)
    yield engine
    await engine.dispose()


async def add_tenant(db: AsyncEngine, name: str) -> UUID:
    """A tenant whose domains tell whose they are."""
    tenant_id = await TenantEditor(db, WHO, TENANT).add(name)
    rows = [
        {"tenant_id": tenant_id, "domain": f"{name}-{number}.example", "host": f"{name}-{number}.example"}
        for number in range(DOMAINS)
    ]
    async with db.begin() as connection:
        await connection.execute(insert(tables.domains), rows)
    return tenant_id


@pytest.mark.parametrize("number", [300, ALL])
async def test_no_transaction_leaves_its_tenant_behind(
    number: int, db: AsyncEngine, small_pool: AsyncEngine
) -> None:
    """Transactions that end well, fail, time out, are cancelled, or lose their connection."""
    tenants = {name: await add_tenant(db, name) for name in ("north", "south")}
    seen: Counter[str] = Counter()

    async def read(name: str, way: str) -> None:
        async with tenant_engine(small_pool, tenants[name]).connect() as connection:
            names = list((await connection.scalars(select(DOMAIN.domain))).all())
            assert len(names) == DOMAINS
            assert all(domain.startswith(f"{name}-") for domain in names), (name, names)
            seen[way] += 1
            await end(connection, way)

    async def read_as_owner() -> None:
        async with small_pool.connect() as connection:
            assert await connection.scalar(text("SELECT current_user::text")) != "scrapersky_app"
            assert len((await connection.scalars(select(DOMAIN.id))).all()) == 2 * DOMAINS

    async def attempt(turn: int) -> None:
        chance = random.Random(turn)
        way = chance.choice([*WAYS, "early cancel"])
        call = read(chance.choice(list(tenants)), way) if turn % 5 else read_as_owner()
        with suppress(ZeroDivisionError, DBAPIError, TimeoutError):
            async with asyncio.timeout(0.02 if way == "early cancel" else 30):
                await call

    for start in range(0, number, 50):
        await asyncio.gather(*(attempt(turn) for turn in range(start, start + 50)))
    assert set(seen) >= set(WAYS)  # Those that are cancelled early may not get as far as their rows.


async def end(connection: Any, way: str) -> None:
    if way == "commit":
        await connection.commit()
    elif way == "error":
        raise ZeroDivisionError
    elif way == "statement timeout":
        await connection.execute(text("SET LOCAL statement_timeout = 5"))
        await connection.execute(text("SELECT pg_sleep(5)"))
    elif way in ("cancel", "early cancel"):
        async with asyncio.timeout(0.02):
            await connection.execute(text("SELECT pg_sleep(1)"))
    elif way == "lost":
        raw = await connection.get_raw_connection()
        raw.driver_connection.terminate()


@asynccontextmanager
async def served(web: Any) -> AsyncIterator[int]:
    """The application behind a real server; gives its port."""
    server = uvicorn.Server(uvicorn.Config(web, host="127.0.0.1", port=0, log_level="critical"))
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - the server has no event for it.
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def hang_up(port: int, path: str, key: str, chance: random.Random) -> None:
    """Send a request and close the connection, at once or while it is answered."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    request = f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {key}\r\n\r\n"
    writer.write(request.encode())
    await writer.drain()
    await asyncio.sleep(chance.choice((0, 0.002, 0.01)))
    writer.transport.abort()


@pytest.mark.parametrize("number", [100, ALL])
async def test_no_request_is_answered_with_rows_of_another_tenant(
    number: int, db: AsyncEngine, small_pool: AsyncEngine, make_web: Any
) -> None:
    keys, ids = {}, {}
    for name in ("north", "south"):
        tenant = await add_tenant(db, name)
        keys[name] = await make_key(db, tenant, name)
        async with db.connect() as connection:
            mine = await connection.scalars(select(DOMAIN.id).where(DOMAIN.tenant_id == tenant))
            ids[name] = list(mine)
    other = {"north": "south", "south": "north"}
    seen: Counter[Any] = Counter()

    async with served(make_web(small_pool)) as port, httpx.AsyncClient(timeout=60) as client:

        async def get(path: str, name: str) -> httpx.Response:
            headers = {"Authorization": f"Bearer {keys[name]}", "Host": f"localhost:{port}"}
            return await client.get(f"http://127.0.0.1:{port}{path}", headers=headers)

        async def call(turn: int) -> None:
            chance = random.Random(turn)
            name = chance.choice(list(keys))
            way = chance.choice(["list", "list", "own", "foreign", "invalid", "hang up"])
            path = {
                "own": f"/api/v3/domains/{chance.choice(ids[name])}",
                "foreign": f"/api/v3/domains/{chance.choice(ids[other[name]])}",
                "invalid": "/api/v3/domains?limit=none",
            }.get(way, "/api/v3/domains?limit=100")
            if way == "hang up":
                await hang_up(port, path, keys[name], chance)
                seen[way] += 1
                return
            answer = await get(path, name)
            seen[way, answer.status_code] += 1
            assert f"{other[name]}-" not in answer.text, (name, way, answer.text)
            if way == "list" and answer.status_code == 200:
                assert answer.json()["total"] == DOMAINS

        for start in range(0, number, 100):
            await asyncio.gather(*(call(turn) for turn in range(start, start + 100)))
        async with db.connect() as connection:
            # Nothing can be read: every request runs into the time limit.
            await connection.execute(text("LOCK TABLE domains IN ACCESS EXCLUSIVE MODE"))
            answers = await asyncio.gather(*(get("/api/v3/domains", name) for name in keys))
        assert all(answer.status_code >= 500 for answer in answers)
        await asyncio.gather(*(call(turn) for turn in range(25)))
    assert (seen["list", 200], seen["own", 200], seen["foreign", 404], seen["invalid", 422]) > (0, 0, 0, 0)
    assert {status for way, status in (one for one in seen if one != "hang up")} == {200, 404, 422}, seen


async def make_key(db: AsyncEngine, tenant_id: UUID, name: str) -> str:
    email = f"{name}@example.org"
    user_id = await TenantEditor(db, WHO, TENANT).add_admin(tenant_id, email=email, password=PASSWORD)
    actor, week = Actor(tenant_id, user_id), timedelta(days=7)
    return (await create_api_key(db, actor, user_id=user_id, name="test", scopes=["admin"], lifetime=week))[1]
