"""Bring a database to the newest schema, and say which schema it has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from scrapersky.engine.database import POOLER_ARGUMENTS
from scrapersky.errors import StartupError
from scrapersky.settings import Settings
from scrapersky.tables.columns import metadata
from scrapersky.tables.seed import active_user, make_first_rows
from scrapersky.tables.tenant_isolation import (
    ROLE_UNAVAILABLE,
    complete_policies,
    partly_hidden_tables,
    prepare_role,
)

Answer = TypeVar("Answer")

# Any constant will do; it only has to be the same in every copy of the program.
ADVISORY_LOCK = 7305526801
WAIT_FOR_OTHERS = "10min"
LOCK_TRIES = 20
LOCK_PAUSE_SECONDS = 1.0
LOCK_NOT_AVAILABLE = "55P03"
# First migrations that were replaced before the first release; no migration leads away from them.
DEVELOPMENT_REVISIONS = frozenset({"0001_start"})
OLDEST_SERVER = 14
SYSTEM_USER = "scheduler_system_user_id"


@dataclass(frozen=True, slots=True)
class FirstRows:
    """Whose rows must be there after every migration."""

    tenant_id: UUID
    system_user_id: UUID

    def make(self, connection: Connection) -> None:
        make_first_rows(connection, tenant_id=self.tenant_id, system_user_id=self.system_user_id)
        connection.commit()


@dataclass(frozen=True, slots=True)
class SchemaState:
    """The revision a database has and the one the code needs."""

    current: str | None
    head: str | None
    newer_than_code: bool

    @property
    def up_to_date(self) -> bool:
        return self.current == self.head


def migrations_folder() -> Path:
    """The migrations are part of the package, so that they are where the program is."""
    folder = Path(__file__).resolve().with_name("migrations")
    if not (folder / "env.py").is_file():
        raise StartupError(f"The migrations are missing: {folder} was expected; install ScraperSky again")
    return folder


async def migrate(
    url: str, *, tenant_id: UUID | None = None, system_user_id: UUID | None = None
) -> SchemaState:
    """Upgrade to the newest schema. Of several that ask at once, one works and the others wait for it.

    The two identifiers are the settings DEFAULT_TENANT_ID and SCHEDULER_SYSTEM_USER_ID; their rows are made.
    """
    first = FirstRows(tenant_id or _default("default_tenant_id"), system_user_id or _default(SYSTEM_USER))
    engine = _engine(url)
    try:
        async with engine.connect() as guard, guard.begin():
            await guard.execute(text(f"SET LOCAL statement_timeout = '{WAIT_FOR_OTHERS}'"))
            await guard.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            await guard.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            state = await _with_connection(engine, _state)
            _refuse_unknown(state)
            if state.current is None:
                await _with_connection(engine, _refuse_foreign_tables)
            if not state.up_to_date:
                await _upgrade_patiently(engine, first)
            await _with_connection(engine, _complete_policies)
            await _with_connection(engine, first.make)
            return await _with_connection(engine, _state)
    finally:
        await engine.dispose()


async def prepare_server(url: str) -> None:
    """Make the role that a backup's rights are granted to."""
    engine = _engine(url)
    try:
        await _with_connection(engine, _prepare_role)
    finally:
        await engine.dispose()


async def require_all_rows(url: str) -> None:
    """Refuse a backup that would miss the rows that policies hide from us."""
    engine = _engine(url)
    try:
        hidden = await _with_connection(engine, partly_hidden_tables)
    finally:
        await engine.dispose()
    if hidden:
        raise StartupError(
            f"Rows of {', '.join(hidden[:3])} are hidden from this database user: run "
            "`scrapersky db migrate` as the owner of the database"
        )


def _prepare_role(connection: Connection) -> None:
    try:
        prepare_role(connection)
        connection.commit()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != ROLE_UNAVAILABLE:
            raise
        raise StartupError(_message(error)) from None


def _complete_policies(connection: Connection) -> None:
    complete_policies(connection)
    connection.commit()


def _message(error: DBAPIError) -> str:
    """What the server said, without the driver's name for it."""
    source = getattr(error.orig, "__cause__", None) or error.orig
    return str(source).strip().splitlines()[0]


async def schema_state(url: str) -> SchemaState:
    """The schema that the database has, beside the one that the code needs."""
    engine = _engine(url)
    try:
        return await _with_connection(engine, _state)
    finally:
        await engine.dispose()


async def require_schema(url: str, *, system_user_id: UUID) -> None:
    """Refuse to work on a schema that is not the code's own, or without the system user (R187)."""
    engine = _engine(url)
    try:
        state = await _with_connection(engine, _state)
        _refuse_unknown(state)
        if not state.up_to_date:
            schema = "no schema yet" if state.current is None else "an older schema than this program"
            raise StartupError(f"The database has {schema}: run `scrapersky db migrate`")
        async with engine.connect() as connection:
            if (await connection.execute(active_user(system_user_id))).first() is None:
                raise StartupError(
                    f"SCHEDULER_SYSTEM_USER_ID is {system_user_id}, but there is no active user of that "
                    "identifier: run `scrapersky db migrate`, which creates it"
                )
    finally:
        await engine.dispose()


def alembic_config(connection: Connection | None = None, first: FirstRows | None = None) -> Config:
    """Alembic's configuration; there is no alembic.ini, the connection is handed over."""
    config = Config()
    if first is not None:
        config.attributes.update({"default_tenant_id": first.tenant_id, SYSTEM_USER: first.system_user_id})
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _engine(url: str) -> AsyncEngine:
    # A transaction pooler may stand in between.
    return create_async_engine(url, poolclass=NullPool, connect_args=dict(POOLER_ARGUMENTS))


async def _with_connection(engine: AsyncEngine, function: Callable[[Connection], Answer]) -> Answer:
    async with engine.connect() as connection:
        return await connection.run_sync(function)


def refuse_old_server(version: tuple[int | str, ...] | None) -> None:
    """The schema uses what PostgreSQL has since this version; an older server would fail in its middle."""
    if version and int(version[0]) < OLDEST_SERVER:
        raise StartupError(
            f"PostgreSQL {'.'.join(map(str, version))} is too old: use {OLDEST_SERVER} or newer"
        )


def _state(connection: Connection) -> SchemaState:
    refuse_old_server(connection.dialect.server_version_info)
    scripts = ScriptDirectory.from_config(alembic_config())
    current = MigrationContext.configure(connection).get_current_revision()
    known = {None, *DEVELOPMENT_REVISIONS, *(script.revision for script in scripts.walk_revisions())}
    return SchemaState(current, scripts.get_current_head(), newer_than_code=current not in known)


def _refuse_unknown(state: SchemaState) -> None:
    if state.current in DEVELOPMENT_REVISIONS:
        raise StartupError(
            f"This database was created by an earlier, incompatible development version ({state.current}). "
            "Back it up with `scrapersky db backup FILE`, then use a new data folder (DATA_FOLDER=...) "
            "or another database (DATABASE_URL=...)."
        )
    if state.newer_than_code:
        raise StartupError(
            f"The database schema was created by a newer version of the program ({state.current}; this one "
            f"has {state.head}). Upgrade the program or restore a backup."
        )


def _refuse_foreign_tables(connection: Connection) -> None:
    """A database of another program may have tables that are called like ours."""
    taken = sorted({*inspect(connection).get_table_names()} & set(metadata.tables))
    if taken:
        names = ", ".join(taken[:3]) + (" and others" if len(taken) > 3 else "")
        raise StartupError(
            f"The database has tables that this program did not create ({names}). "
            "Use another database (DATABASE_URL=...)."
        )


async def _upgrade_patiently(engine: AsyncEngine, first: FirstRows) -> None:
    # A lock that is not granted soon times out, so that nobody queues behind us; then we try again.
    for attempt in range(LOCK_TRIES):
        try:
            await _with_connection(engine, lambda connection: _upgrade(connection, first))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE or attempt == LOCK_TRIES - 1:
                raise
            await asyncio.sleep(LOCK_PAUSE_SECONDS)
        else:
            return


def _upgrade(connection: Connection, first: FirstRows) -> None:
    # Before the long transaction, so that nobody who needs the same role waits for its end.
    _prepare_role(connection)
    command.upgrade(alembic_config(connection, first), "head")


def _default(name: str) -> UUID:
    value: UUID = Settings.model_fields[name].default
    return value
