"""What every test may ask for: a private PostgreSQL, a database of its own, and a closed network."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import shutil
import signal
import socket
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import hypothesis
import pytest
import pytest_asyncio
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.embedded import PrivateServer
from scrapersky.tables.migrate import migrate

# Ordinary tests need speed, not survival; tests about crashes start servers of their own.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "autovacuum_naptime": "60s",
}
RUN = "SCRAPERSKY_TEST_RUN"

# A shared machine may be slow for a moment; speed is measured by the benchmarks.
hypothesis.settings.register_profile("any_machine", deadline=None)
hypothesis.settings.load_profile("any_machine")


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A program that ran here ends ignoring signals, and processes started later would inherit that."""
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


class NetworkIsClosed(OSError):
    """A test tried to leave this machine."""


def _is_here(host: object) -> bool:
    if host is None or host in ("", "localhost", b"localhost"):
        return True
    try:
        address = ipaddress.ip_address(str(host).split("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _keep_inside(event: str, arguments: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        if isinstance(address, tuple) and not _is_here(address[0]):
            raise NetworkIsClosed(f"{event} to {address} in a test")
    elif event == "socket.getaddrinfo" and not _is_here(arguments[0]):
        host = str(arguments[0])
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(host)
            return
        raise socket.gaierror(socket.EAI_NONAME, f"names are not looked up in tests: {host}")


def pytest_configure() -> None:
    # An audit hook sees every connection that Python code opens, whichever library asks.
    sys.addaudithook(_keep_inside)
    # The workers of one run inherit its name, and so share one server and one template.
    os.environ.setdefault(RUN, uuid.uuid4().hex[:12])


def pytest_unconfigure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    shutil.rmtree(_server_folder(), ignore_errors=True)
    if given := os.environ.get("TEST_DATABASE_URL"):
        asyncio.run(_drop_template(make_url(given)))
    del os.environ[RUN]


def _template_name() -> str:
    return f"scrapersky_template_{os.environ[RUN]}"


async def _drop_template(url: URL) -> None:
    async with _maintenance(url) as connection:
        await connection.execute(f"DROP DATABASE IF EXISTS {_template_name()} WITH (FORCE)")


def _server_folder() -> Path:
    # pytest's own folder is private to us, and the server runs as another user when we are root.
    return Path(tempfile.gettempdir()) / f"scrapersky-test-{os.environ[RUN]}"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's account can reach; pytest's own is private to us."""
    made = Path(tempfile.mkdtemp(prefix="sky-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def server_url() -> Iterator[URL]:
    """The maintenance database of the server for this run; all xdist workers share one server."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield make_url(given)
        return
    server = PrivateServer(_server_folder(), options=FAST)
    server.start()
    yield make_url(server.url("postgres"))
    server.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def template(server_url: URL) -> str:
    """The name of a database that holds the newest schema; made once per run."""
    name = _template_name()
    async with _maintenance(server_url) as connection:
        await connection.execute("SELECT pg_advisory_lock(20261115)")
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f"CREATE DATABASE {name}_new")
            await migrate(_shown(server_url.set(database=f"{name}_new")))
            await connection.execute(f"ALTER DATABASE {name}_new RENAME TO {name}")
    return name


@pytest.fixture
async def database_url(server_url: URL, template: str) -> AsyncIterator[str]:
    """A database of this test's own, with the newest schema, dropped afterwards."""
    async with _own_database(server_url, template) as url:
        yield url


@pytest.fixture
async def empty_database_url(server_url: URL) -> AsyncIterator[str]:
    """A database of this test's own with nothing in it."""
    async with _own_database(server_url, "template0") as url:
        yield url


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[AsyncEngine]:
    """An engine on this test's own database."""
    engine = create_async_engine(database_url)
    yield engine
    await engine.dispose()


@contextlib.asynccontextmanager
async def _own_database(server_url: URL, template: str) -> AsyncIterator[str]:
    name = f"test_{uuid.uuid4().hex[:16]}"
    async with _maintenance(server_url) as connection:
        strategy = " STRATEGY FILE_COPY" if connection.get_server_version().major >= 15 else ""
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}{strategy}")
    yield _shown(server_url.set(database=name))
    async with _maintenance(server_url) as connection:
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.asynccontextmanager
async def _maintenance(url: URL) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(_shown(url.set(drivername="postgresql")))
    try:
        yield connection
    finally:
        await connection.close()


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=False)
