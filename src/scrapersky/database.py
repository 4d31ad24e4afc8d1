"""The database: its address, connections with time limits, and its schema version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from scrapersky.embedded import DataFolder, PrivateServer, default_data_folder, keep_running
from scrapersky.engine.database import (
    EVERY_STATEMENT_IN_A_TRANSACTION,
    POOLER_ARGUMENTS,
    is_transient,
    limit_transactions,
)
from scrapersky.errors import StartupError
from scrapersky.log import Log
from scrapersky.settings import Settings
from scrapersky.tables.migrate import migrate, require_schema, schema_state

T = TypeVar("T")
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
    arguments = {"timeout": settings.connect_timeout_seconds, "server_settings": session}
    # Last in, first out: that connection has most statements prepared already.
    engine = create_async_engine(
        url,
        pool_size=settings.database_pool_size,
        # A connection beyond the pool would be made for one use, which costs more than to wait for the next.
        max_overflow=0,
        pool_timeout=30,
        pool_use_lifo=True,
        connect_args={**arguments, **(POOLER_ARGUMENTS if pooled else {})},
        execution_options={EVERY_STATEMENT_IN_A_TRANSACTION: pooled},
    )
    if pooled:
        limit_transactions(engine, limits)
    return engine


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
