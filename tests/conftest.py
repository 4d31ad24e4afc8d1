"""What every test may ask for: a private PostgreSQL, a database of its own, and a closed network."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import hypothesis
import pytest
import pytest_asyncio
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.database import SUPPRESSION_LOG
from scrapersky.embedded import PrivateServer
from scrapersky.log import LibraryLog
from scrapersky.suppression_key import SUPPRESSION_KEY, SuppressionKey
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
FOLDER = "SCRAPERSKY_TEST_FOLDER"
MEMORY, MEMORY_BYTES = Path("/dev/shm"), 4 * 2**30
# Set it to run the tests as a database owner who is no superuser.
PLAIN_OWNER = "TEST_PLAIN_OWNER"

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


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """A program that ran here leaves a handler whose stream ends with its test."""
    yield
    root = logging.getLogger()
    for handler in [one for one in root.handlers if isinstance(one, LibraryLog)]:
        root.removeHandler(handler)


# Whole programs, real servers, leases of a second, a browser: what these test happens in real time.
REAL_TIME = (
    "api", "browser", "cli", "demo", "embedded", "engine", "fetch", "journeys", "maintenance", "processes",
    "sandbox", "web",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Repeat what depends on time before calling it failed: another program may have had the machine."""
    folders = tuple(Path(__file__).parent / name for name in REAL_TIME)
    for item in items:
        in_real_time = any(item.path.is_relative_to(folder) for folder in folders)
        if in_real_time or item.get_closest_marker("timed"):
            item.add_marker(pytest.mark.flaky(reruns=3))


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
    os.environ.setdefault(FOLDER, str(_choose_folder()))


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
        for name in (_template_name(), f"{_template_name()}_plain"):
            await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await connection.execute(f"DROP ROLE IF EXISTS scrapersky_owner_{os.environ[RUN]}")


def _server_folder() -> Path:
    # pytest's own folder is private to us, and the server runs as another user when we are root.
    return Path(os.environ[FOLDER]) / f"scrapersky-test-{os.environ[RUN]}"


def _choose_folder() -> Path:
    """Every test makes a database of its own, a thousand files; in memory that takes a third of the time."""
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_BYTES
    return MEMORY if has_room and os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())


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
    if os.environ.get(PLAIN_OWNER):
        return await _make_template(server_url, f"{_template_name()}_plain", await _plain_owner(server_url))
    return await _make_template(server_url, _template_name(), server_url)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def plain_template(server_url: URL) -> str:
    """The same, owned by a role that is no superuser, so that row-level security holds for it too."""
    return await _make_template(server_url, f"{_template_name()}_plain", await _plain_owner(server_url))


async def _make_template(server_url: URL, name: str, owner: URL) -> str:
    async with _maintenance(server_url) as connection:
        await connection.execute("SELECT pg_advisory_lock(20261115)")
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", name):
            await connection.execute(f"CREATE DATABASE {name}_new OWNER {owner.username}")
            await migrate(_shown(owner.set(database=f"{name}_new")))
            await connection.execute(f"ALTER DATABASE {name}_new RENAME TO {name}")
    return name


async def _plain_owner(server_url: URL) -> URL:
    """A role with no rights but those that an administrator would give to the owner of our database."""
    name = f"scrapersky_owner_{os.environ[RUN]}"
    async with _maintenance(server_url) as connection:
        await connection.execute("SELECT pg_advisory_lock(20261115)")
        if not await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", name):
            await connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{server_url.password or name}'")
            if not await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = 'scrapersky_app'"):
                await connection.execute("CREATE ROLE scrapersky_app NOLOGIN")
            await connection.execute(f"GRANT scrapersky_app TO {name}")
    return server_url.set(username=name)


@pytest.fixture
async def database_url(server_url: URL, template: str) -> AsyncIterator[str]:
    """A database of this test's own, with the newest schema, dropped afterwards."""
    owner = await _plain_owner(server_url) if os.environ.get(PLAIN_OWNER) else server_url
    async with _own_database(server_url, template, owner) as url:
        yield url


@pytest.fixture
async def plain_database_url(server_url: URL, plain_template: str) -> AsyncIterator[str]:
    """The same, owned by a role that is no superuser."""
    async with _own_database(server_url, plain_template, await _plain_owner(server_url)) as url:
        yield url


@pytest.fixture
async def empty_database_url(server_url: URL) -> AsyncIterator[str]:
    """A database of this test's own with nothing in it."""
    async with _own_database(server_url, "template0", server_url) as url:
        yield url


@pytest.fixture
async def db(database_url: str, tmp_path: Path) -> AsyncIterator[AsyncEngine]:
    """An engine on this test's own database, with a key for suppressions as the product's engines have it."""

    def load() -> Callable[[bytes], list[bytes]]:
        from scrapersky.secret_key import SecretKey

        return SecretKey("a key of tests that is long enough 0123456789").suppression_hashes

    key = SuppressionKey(load, lambda: tmp_path / SUPPRESSION_LOG)
    engine = create_async_engine(database_url, execution_options={SUPPRESSION_KEY: key})
    yield engine
    await engine.dispose()


@contextlib.asynccontextmanager
async def _own_database(server_url: URL, template: str, owner: URL) -> AsyncIterator[str]:
    name = f"test_{uuid.uuid4().hex[:16]}"
    async with _maintenance(server_url) as connection:
        strategy = " STRATEGY FILE_COPY" if connection.get_server_version().major >= 15 else ""
        made = f"CREATE DATABASE {name} TEMPLATE {template} OWNER {owner.username}{strategy}"
        await connection.execute(made)
    yield _shown(owner.set(database=name))
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
