"""The database: its address, connections with time limits, and its schema version."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
from sqlalchemy import Connection, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.embedded import DataFolder, PrivateServer, default_data_folder, keep_running
from scrapersky.engine.database import (
    EVERY_STATEMENT_IN_A_TRANSACTION,
    POOLER_ARGUMENTS,
    DriverConnection,
    is_transient,
    limit_transactions,
)
from scrapersky.errors import StartupError
from scrapersky.log import Log
from scrapersky.settings import Settings
from scrapersky.suppression_key import SUPPRESSION_KEY, SuppressionKey
from scrapersky.tables.migrate import (
    migrate,
    prepare_server,
    require_all_rows,
    require_schema,
    schema_state,
)
from scrapersky.tables.tenant_isolation import enter_tenant

T = TypeVar("T")
# Suppressions as they were made and withdrawn, outside the database: an older backup lacks the newest.
SUPPRESSION_LOG = "suppression-log.jsonl"
# The engine option that names the tenant of a request.
TENANT = "scrapersky_tenant"
# The engine option that names the request.
CORRELATION_ID = "scrapersky_correlation_id"
# The engine option with the days after which the score of an address counts half.
EMAIL_HALF_LIFE = "scrapersky_email_half_life_days"
# The engine option that holds the check of `with_commit_check`.
COMMIT_CHECK = "scrapersky_commit_check"
# Wrong user, wrong password, no such database: waiting does not help.
AUTHENTICATION_SQLSTATES = ("28", "3D")


def data_folder(settings: Settings) -> Path:
    return resolve_data_folder(settings).path


def resolve_data_folder(settings: Settings) -> DataFolder:
    """The data folder of the settings, or the one that belongs to this copy of the program."""
    return DataFolder(Path(settings.data_folder)) if settings.data_folder else default_data_folder()


@asynccontextmanager
async def database_address(settings: Settings) -> AsyncIterator[str]:
    """The address from the settings, or that of the private server, which runs and is migrated meanwhile."""
    if settings.database_address:
        yield settings.database_address
        return
    chosen = resolve_data_folder(settings)
    server = PrivateServer(chosen.path)
    await asyncio.to_thread(server.start)
    chosen.save()
    log = Log(level=settings.log_level, style=settings.log_format)
    watch = asyncio.create_task(keep_running(server, log))
    try:
        await _explain_failure(lambda: _migrate_private(settings, server.url()))
        yield server.url()
    finally:
        watch.cancel()
        await asyncio.wait({watch})
        await asyncio.to_thread(server.stop)


def make_engine(settings: Settings, url: str) -> AsyncEngine:
    """An engine with a time limit on every statement, set per transaction behind a transaction pooler."""
    milliseconds = {
        "statement_timeout": settings.database_statement_timeout_seconds,
        "lock_timeout": settings.database_lock_timeout_seconds,
        "idle_in_transaction_session_timeout": settings.database_idle_in_transaction_timeout_seconds,
    }
    limits = {name: f"{seconds * 1000}" for name, seconds in milliseconds.items()}
    pooled = settings.database_pooler == "transaction"
    session = {} if pooled else dict(limits)
    if "application_name" not in str(make_url(url).query.get("dsn", "")):
        session["application_name"] = "scrapersky"
    arguments = {
        "timeout": settings.connect_timeout_seconds,
        "server_settings": session,
        "connection_class": DriverConnection,
    }
    # Last in, first out: that connection has most statements prepared already.
    engine = create_async_engine(
        url,
        pool_size=settings.database_pool_size,
        # A connection beyond the pool would be made for one use, which costs more than to wait for the next.
        max_overflow=0,
        pool_timeout=30,
        pool_use_lifo=True,
        # Errors are logged; the values of a statement are people's addresses and hashes of passwords.
        hide_parameters=True,
        connect_args={**arguments, **(POOLER_ARGUMENTS if pooled else {})},
        execution_options={
            EVERY_STATEMENT_IN_A_TRANSACTION: pooled,
            SUPPRESSION_KEY: _suppression_key(settings),
            EMAIL_HALF_LIFE: settings.email_score_half_life_days,
        },
    )
    if pooled:
        limit_transactions(engine, limits)
    return engine


def _suppression_key(settings: Settings) -> SuppressionKey:
    """Loaded when it is first used: most commands hash nothing."""

    def load() -> Callable[[bytes], list[bytes]]:
        from scrapersky.secret_key import load_secret_key

        return load_secret_key(settings).suppression_hashes

    return SuppressionKey(load, lambda: data_folder(settings) / SUPPRESSION_LOG)


def tenant_engine(engine: AsyncEngine, tenant_id: UUID, *, correlation_id: str | None = None) -> AsyncEngine:
    """The engine for everything that serves a request: its transactions see the rows of one tenant only.

    Rows that they queue remember the correlation id, and the workers log it with them. An engine that is
    confined already stays with its tenant, whichever is named.
    """
    if TENANT in engine.get_execution_options():
        return engine
    if not event.contains(engine.sync_engine, "begin", _enter_tenant):
        event.listen(engine.sync_engine, "begin", _enter_tenant)
    options = {TENANT: str(tenant_id), CORRELATION_ID: correlation_id or ""}
    return engine.execution_options(**{EVERY_STATEMENT_IN_A_TRANSACTION: True}, **options)


def _enter_tenant(connection: Connection) -> None:
    options = connection.get_execution_options()
    if tenant := options.get(TENANT):
        if options.get("isolation_level") == "AUTOCOMMIT":
            raise RuntimeError("Without a transaction a statement would run as the owner, for every tenant")
        enter_tenant(connection, tenant, options.get(CORRELATION_ID, ""))


def with_commit_check(engine: AsyncEngine, check: Callable[[Connection], None]) -> AsyncEngine:
    """The engine whose transactions call `check` before they commit; what it raises rolls them back."""
    if not event.contains(engine.sync_engine, "commit", _check_commit):
        event.listen(engine.sync_engine, "commit", _check_commit)
    return engine.execution_options(**{COMMIT_CHECK: check})


def _check_commit(connection: Connection) -> None:
    if check := connection.get_execution_options().get(COMMIT_CHECK):
        check(connection)


@asynccontextmanager
async def open_database(settings: Settings, *, migrated: bool = False) -> AsyncIterator[AsyncEngine]:
    """An engine on a database with the current schema; `migrated` migrates it first."""
    async with database_address(settings) as url:
        await _explain_failure(lambda: _prepare(settings, url, migrated=migrated))
        engine = make_engine(settings, url)
        try:
            yield engine
        finally:
            await engine.dispose()


@asynccontextmanager
async def read_only_connection(url: str) -> AsyncIterator[Any]:
    """A connection to somebody else's database for one transaction, in which nothing can be changed."""
    try:
        address = make_url(url)
    except ArgumentError:
        raise ValueError("not an address of a database") from None
    if address.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise ValueError("not a PostgreSQL address")
    plain = address.set(drivername="postgresql").render_as_string(hide_password=False)
    settings = {"statement_timeout": "60000", "application_name": "scrapersky import"}
    connection = await asyncpg.connect(plain, timeout=10, server_settings=settings, statement_cache_size=0)
    try:
        await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield connection
    finally:
        await connection.close(timeout=5)


async def _prepare(settings: Settings, url: str, *, migrated: bool) -> None:
    system_user = settings.scheduler_system_user_id
    if migrated:
        await migrate(url, tenant_id=settings.default_tenant_id, system_user_id=system_user)
    await require_schema(url, system_user_id=system_user)


async def _migrate_private(settings: Settings, url: str) -> None:
    """Nobody else migrates the private database, so the first command that opens it does."""
    state = await schema_state(url)
    if not state.up_to_date and not state.newer_than_code:
        await _prepare(settings, url, migrated=True)


async def database_state(settings: Settings, *, migrated: bool = False) -> dict[str, object]:
    """The schema version of the database; `migrated` migrates it first."""
    async with database_address(settings) as url:
        if migrated:
            await _explain_failure(lambda: _prepare(settings, url, migrated=True))
        return await state_at(url)


async def state_at(url: str) -> dict[str, object]:
    """The schema version of the database at this address."""
    state = await _explain_failure(lambda: schema_state(url))
    return {
        "current": state.current,
        "head": state.head,
        "up_to_date": state.up_to_date,
        "newer_than_code": state.newer_than_code,
    }


async def prepare_backup(url: str) -> None:
    """Check that the backup would hold every row."""
    await _explain_failure(lambda: require_all_rows(url))


async def prepare_restore(url: str) -> None:
    """Make what a backup refers to and does not hold."""
    await _explain_failure(lambda: prepare_server(url))


async def _explain_failure(call: Callable[[], Awaitable[T]]) -> T:
    """Call; a database that is unavailable or refuses us gives one clear line instead of a traceback."""
    try:
        return await call()
    except Exception as error:
        source = getattr(error, "orig", None) or error
        reason = getattr(source, "strerror", None) or str(source) or type(source).__name__
        if is_transient(error):
            raise DatabaseUnavailable(f"The database is unavailable: {reason}") from None
        if str(getattr(source, "sqlstate", "")).startswith(AUTHENTICATION_SQLSTATES):
            raise AuthenticationFailed(f"Database authentication failed: {reason}") from None
        raise


class DatabaseUnavailable(StartupError):
    """The database is unavailable."""

    exit_code = 6


class AuthenticationFailed(StartupError):
    """Database authentication failed."""

    exit_code = 6
