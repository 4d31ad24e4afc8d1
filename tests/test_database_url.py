"""DATABASE_URL as other programs of PostgreSQL take it: each parameter works, or is refused by its name."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import trustme
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from scrapersky.database import make_engine, state_at
from scrapersky.errors import StartupError
from scrapersky.processes.backups import back_up
from scrapersky.settings import InvalidSettings, Settings, load_settings

TLS_REQUEST = (80877103).to_bytes(4, "big")


class Door:
    """A TCP port in front of the database that speaks PostgreSQL's TLS as `localhost`, or none if asked."""

    def __init__(self, database: URL, context: ssl.SSLContext) -> None:
        self.database, self.context = database, context
        self.encrypted: bool | None = None
        self.port = 0

    async def __aenter__(self) -> Door:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            first = await reader.readexactly(8)
            self.encrypted = first[4:] == TLS_REQUEST
            if self.encrypted:
                writer.write(b"S")
                await writer.start_tls(self.context)
            inner, outer = await self._connect()
            if not self.encrypted:
                outer.write(first)
            await asyncio.gather(self._copy(reader, outer), self._copy(inner, writer))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        folder = self.database.query.get("host")
        if folder:
            return await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        return await asyncio.open_connection(self.database.host, self.database.port or 5432)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    def url(self, parameters: str, *, host: str = "localhost") -> str:
        user, name = self.database.username, self.database.database
        return f"postgresql://{user}@{host}:{self.port}/{name}?{parameters}"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def door(authority: trustme.CA, database_url: str) -> AsyncIterator[Door]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    async with Door(make_url(database_url), context) as made:
        yield made


@pytest.fixture(scope="module")
def roots(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Root certificates in files: the server's own (`ours`) and a stranger's."""
    folder = tmp_path_factory.mktemp("roots")
    authority.cert_pem.write_to_path(folder / "ours")
    trustme.CA().cert_pem.write_to_path(folder / "stranger")
    return folder


async def asked(url: str, query: str) -> object:
    settings = Settings(database_url=url)
    assert settings.database_address is not None
    engine = make_engine(settings, settings.database_address)
    try:
        async with engine.connect() as connection:
            return await connection.scalar(text(query))
    finally:
        await engine.dispose()


async def test_an_error_does_not_repeat_the_values_of_its_statement(database_url: str) -> None:
    """Errors are logged, and the values of a statement are people's data and hashes of passwords."""
    engine = make_engine(Settings(), database_url)
    try:
        async with engine.connect() as connection:
            with pytest.raises(DBAPIError) as caught:
                await connection.execute(text("SELECT 1 / (length(:word) - 7)"), {"word": "hunter2"})
    finally:
        await engine.dispose()
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "encrypted"),
    [
        ("sslmode=disable", False),
        ("sslmode=allow", False),
        ("sslmode=prefer", True),
        ("sslmode=require", True),
        ("ssl=require", True),
        ("", True),
        ("sslmode=verify-ca&sslrootcert={roots}/ours", True),
        ("sslmode=verify-full&sslrootcert={roots}/ours", True),
        ("sslmode=require&channel_binding=prefer&gssencmode=disable&keepalives_idle=30", True),
        ("sslmode=require&ssl_min_protocol_version=TLSv1.3", True),
        ("sslmode=require&target_session_attrs=read-write&connect_timeout=5", True),
    ],
)
async def test_tls_is_used_as_the_address_asks(
    door: Door, roots: Path, parameters: str, encrypted: bool
) -> None:
    url = door.url(parameters.format(roots=roots))

    assert await asked(url, "SELECT 1") == 1
    assert door.encrypted is encrypted

    # The way of the migrations leads through the same door.
    door.encrypted = None
    assert (await state_at(str(Settings(database_url=url).database_address)))["up_to_date"]
    assert door.encrypted is encrypted


@pytest.mark.parametrize(
    ("host", "parameters"),
    [
        ("127.0.0.1", "sslmode=verify-full&sslrootcert={roots}/ours"),
        ("localhost", "sslmode=verify-full&sslrootcert={roots}/stranger"),
        ("localhost", "sslmode=verify-ca&sslrootcert={roots}/stranger"),
        ("localhost", "sslmode=require&sslrootcert={roots}/stranger"),
    ],
)
async def test_a_server_that_is_not_the_right_one_is_refused(
    door: Door, roots: Path, host: str, parameters: str
) -> None:
    with pytest.raises(OSError, match="certificate verify failed"):
        await asked(door.url(parameters.format(roots=roots), host=host), "SELECT 1")


@pytest.mark.parametrize(
    ("parameters", "query", "answer"),
    [
        ("application_name=crm", "SHOW application_name", "crm"),
        ("fallback_application_name=crm", "SHOW application_name", "crm"),
        ("", "SHOW application_name", "scrapersky"),
        ("options=-c%20work_mem%3D7MB", "SHOW work_mem", "7MB"),
        ("options=-c%20search_path%3Dpg_catalog%20-c%20work_mem%3D8MB", "SHOW work_mem", "8MB"),
        ("options=-c%20work_mem%3D7MB", "SHOW statement_timeout", "15s"),
    ],
)
async def test_a_session_begins_with_what_the_address_asks(
    database_url: str, door: Door, parameters: str, query: str, answer: str
) -> None:
    assert await asked(door.url(parameters), query) == answer
    # A Unix socket's address has its folder among the parameters.
    joint = "&" if "?" in database_url else "?"
    assert await asked(f"{database_url}{joint}{parameters}", query) == answer


def test_the_address_limits_the_time_to_connect() -> None:
    assert Settings(database_url="postgresql://u@h/d?connect_timeout=3").connect_timeout_seconds == 3
    assert Settings(database_url="postgresql://u@h/d?connect_timeout=0").connect_timeout_seconds == 10
    assert Settings(database_url="postgresql://u@h/d").connect_timeout_seconds == 10


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ("sslmode=require&channel_binding=require", "has an unsupported channel_binding; expected one of"),
        ("sslmode=verify", "has an unsupported sslmode; expected one of disable, allow, prefer"),
        ("target_session_attrs=master", "has an unsupported target_session_attrs; expected one of any"),
        ("gssencmode=require", "has an unsupported gssencmode"),
        ("client_encoding=latin1", "has an unsupported client_encoding"),
        ("sslmod=require", "has the parameter sslmod, which is not supported"),
        ("pgbouncer=true", "has the parameter pgbouncer, which is not supported"),
        ("requirepeer=postgres", "has the parameter requirepeer, which is not supported"),
        ("sslmode=verify-full&sslrootcert=/no/such/file", "names a file as sslrootcert that does not exist"),
        ("sslcert=/no/such/file", "names a file as sslcert that does not exist"),
        ("sslmode=verify-full", "has sslmode=verify-full without sslrootcert"),
        ("sslmode=verify-ca", "has sslmode=verify-ca without sslrootcert"),
        ("connect_timeout=soon", "has a connect_timeout that is not a whole number"),
        ("port=x", "has a port that is not a whole number"),
    ],
)
def test_what_the_driver_cannot_do_is_one_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parameters: str, named: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", f"postgresql://u:hunter2@h/d?{parameters}")

    with pytest.raises(InvalidSettings) as caught:
        load_settings()

    [line] = str(caught.value).splitlines()
    assert line.startswith(f"DATABASE_URL {named}")
    assert "hunter2" not in line


def test_the_certificates_of_the_system_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch, roots: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(roots / "ours"))
    settings = Settings(database_url="postgresql://u@h/d?sslmode=verify-full&sslrootcert=system")

    assert quote(quote(str(roots / "ours"), safe=""), safe="") in str(settings.database_address)


async def test_a_backup_of_a_database_with_tls_takes_the_programs_that_can_do_it(
    door: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The programs that come with us were built without TLS."""
    settings = Settings(database_url=door.url("sslmode=require"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        StartupError, match="pg_dump with TLS is needed: install the PostgreSQL client programs"
    ):
        await back_up(settings, tmp_path / "backup")

    program = tmp_path / "pg_dump"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    await back_up(settings, tmp_path / "backup")
    assert b"sslmode=require" in (tmp_path / "backup").read_bytes()
