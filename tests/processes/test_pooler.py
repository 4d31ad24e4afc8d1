"""Behind a pooler in transaction mode: limits of time hold, nothing stays behind, workers poll."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from sqlalchemy import func, insert, literal_column, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_job, settled
from scrapersky import tables
from scrapersky.database import make_engine, state_at, tenant_engine
from scrapersky.embedded.account import server_account
from scrapersky.engine.database import Database, Statement
from scrapersky.queries.read_model import Query
from scrapersky.settings import Settings
from scrapersky.wiring import build_context, build_log, build_worker

LIMITS = {
    "database_statement_timeout_seconds": 2,
    "database_lock_timeout_seconds": 1,
    "database_idle_in_transaction_timeout_seconds": 1,
}
SERVERS = 3
CANCELLED, NOT_AVAILABLE = "57014", "55P03"


@pytest.fixture
def pgbouncer(database_url: str, folder: Path) -> Iterator[str]:
    """The address of this test's database through a real PgBouncer."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("there is no PgBouncer here: apt-get install pgbouncer")
    database = make_url(database_url)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    where = f"host={database.query.get('host') or database.host} port={database.port or 5432}"
    (folder / "users").write_text(f'"{database.username}" "{database.password or ""}"\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{database.database} = {where}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = trust\nauth_file = {folder}/users\n"
        f"pool_mode = transaction\ndefault_pool_size = {SERVERS}\nmax_client_conn = 200\n"
    )
    owner = server_account()
    switch: dict[str, Any] = (
        {"user": owner.uid, "group": owner.gid, "extra_groups": []} if owner.switch else {}
    )
    process = subprocess.Popen([program, "-q", str(folder / "pgbouncer.ini")], cwd="/", **switch)
    try:
        _wait_for(port, process)
        yield f"postgresql+asyncpg://{database.username}@127.0.0.1:{port}/{database.database}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("PgBouncer did not start")


def pooled(url: str) -> Settings:
    return Settings(database_url=url, database_pooler="transaction", **LIMITS)


@pytest.fixture
async def engine(pgbouncer: str) -> AsyncIterator[AsyncEngine]:
    made = make_engine(pooled(pgbouncer), pgbouncer)
    yield made
    await made.dispose()


async def ways(engine: AsyncEngine, query: str) -> list[str]:
    """Run a query in every way that the product does; gives the states of the errors."""

    async def by_connection() -> None:
        async with engine.connect() as connection:
            await connection.execute(text(query))

    async def by_transaction() -> None:
        async with engine.begin() as connection:
            await connection.execute(text(query))

    database = Database(engine)
    calls = [
        by_connection(),
        by_transaction(),
        database.rows(text(query)),
        database.fetch(Statement(select(literal_column(query.removeprefix("SELECT ")).label("one"))), {}),
        Query(engine).rows(text(query)),
    ]
    results = await asyncio.gather(*calls, return_exceptions=True)
    return [str(getattr(getattr(one, "orig", one), "sqlstate", one)) for one in results]


@pytest.mark.req("R197", "R259")
async def test_limits_of_time_hold_behind_the_pooler(engine: AsyncEngine, database_url: str) -> None:
    async with asyncio.timeout(30):
        assert set(await ways(engine, "SELECT pg_sleep(20)")) == {CANCELLED}

    holder = await asyncpg.connect(database_url.replace("+asyncpg", ""))
    await holder.execute("SELECT pg_advisory_lock(1)")
    async with asyncio.timeout(30):
        assert set(await ways(engine, "SELECT pg_advisory_lock(1)")) == {NOT_AVAILABLE}
    await holder.close()

    async with engine.connect() as connection:
        await connection.execute(text("SELECT 1"))
        await asyncio.sleep(2)
        with pytest.raises(DBAPIError):
            await connection.execute(text("SELECT 1"))


@pytest.mark.req("R196")
async def test_nothing_is_prepared_or_set_for_the_next_user_of_a_connection(
    engine: AsyncEngine, pgbouncer: str
) -> None:
    database, reader = Database(engine), Query(engine)
    prepared = Statement(select(literal_column("1").label("one")))
    for _ in range(10):
        await asyncio.gather(
            *(database.rows(text("SELECT 1")) for _ in range(10)),
            *(database.fetch(prepared, {}) for _ in range(10)),
            *(reader.rows(text("SELECT 1")) for _ in range(10)),
        )
    assert (await state_at(pgbouncer))["up_to_date"]

    clients = [
        await asyncpg.connect(pgbouncer.replace("+asyncpg", ""), statement_cache_size=0)
        for _ in range(SERVERS)
    ]
    for client in clients:
        # In a transaction each holds a connection to the server of its own.
        await client.execute("BEGIN")
    seen = [
        (await client.fetchval("SHOW statement_timeout"), await client.fetchval("SHOW lock_timeout"))
        for client in clients
    ]
    left = [
        row["statement"] for client in clients for row in await client.fetch("TABLE pg_prepared_statements")
    ]
    assert len({await client.fetchval("SELECT pg_backend_pid()") for client in clients}) == SERVERS
    assert set(seen) == {("0", "0")}
    assert [statement for statement in left if "pg_prepared_statements" not in statement] == []
    for client in clients:
        await client.close()


async def test_a_tenant_stays_inside_its_transaction(engine: AsyncEngine, db: AsyncEngine) -> None:
    """Few connections to the server serve two tenants and the owner in turn."""
    other = uuid4()
    async with db.begin() as connection:
        await connection.execute(insert(tables.tenants).values(id=other, name="Other"))
    for tenant, number in ((TENANT, 1), (other, 2)):
        for _ in range(number):
            await add_job(db, "note", tenant_id=tenant)
    query = select(func.count()).select_from(tables.jobs)
    mine, theirs, owner = tenant_engine(engine, TENANT), tenant_engine(engine, other), engine
    for _ in range(10):
        calls = (Query(each).scalar(query) for each in (mine, theirs, owner, theirs, mine))
        assert await asyncio.gather(*calls) == [1, 2, 3, 2, 1]


@pytest.mark.req("R196")
async def test_workers_find_their_work_by_polling(
    engine: AsyncEngine, pgbouncer: str, db: AsyncEngine, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = pooled(pgbouncer)
    stop = asyncio.Event()
    async with build_context(settings, engine) as context:
        worker = build_worker(settings, engine, context, build_log(settings), only=("run_job",))
        running = asyncio.create_task(worker.run(stop))
        await worker.ready.wait()
        number = await add_job(db, "unknown")
        assert await settled(db) == {number: "failed"}
        stop.set()
        await running
    assert "listening" not in capfd.readouterr().err


@pytest.mark.req("R196", "R197", "R259")
async def test_the_setting_alone_makes_the_difference(database_url: str) -> None:
    """Without PgBouncer: limits belong to a transaction, not to the session; nothing is prepared."""
    engine = make_engine(pooled(database_url), database_url)
    try:
        for _ in range(3):
            [row] = await Database(engine).rows(text("SELECT current_setting('statement_timeout') AS limit"))
            assert row.limit == "2s"
        async with engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            assert await driver.fetchval("SHOW statement_timeout") == "0"
            assert await driver.fetchval("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''") == 0
    finally:
        await engine.dispose()
