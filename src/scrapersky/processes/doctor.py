"""Checks of the installation; they change nothing."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import ColumnClause, column, func, select, table, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.database import data_folder, make_engine, state_at
from scrapersky.embedded import PrivateServer, other_data_folders
from scrapersky.engine.database import is_transient
from scrapersky.errors import ScraperSkyError
from scrapersky.maintenance import DiskMinimum
from scrapersky.queries import HealthQuery, StageQuery
from scrapersky.settings import Settings, settings_warnings
from scrapersky.tables.counts import find_wrong_counts

MAX_CLOCK_SKEW_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Check:
    """`verdict` is pass, warn or fail; `remedy` is the command or setting that fixes it."""

    verdict: str
    what: str
    found: str
    remedy: str = ""


def shown_settings(settings: Settings) -> dict[str, Any]:
    """The settings in force; secrets only as whether they are set."""
    values = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        values[name.upper()] = "(set)" if isinstance(value, SecretStr) else value
    return values


async def run_checks(settings: Settings) -> list[Check]:
    checks = [
        _python(),
        *_settings(settings),
        _folder(settings),
        *_other_folders(settings),
        _port(settings),
        _contact(settings),
    ]
    url = settings.database_address or _private_address(settings)
    if url is None:
        return [*checks, _no_server(settings)]
    try:
        state = await state_at(url)
    except Exception as error:
        if not (isinstance(error, ScraperSkyError) or is_transient(error)):
            raise
        return [*checks, Check("fail", "database", str(error), "start it, or fix DATABASE_URL")]
    checks.append(_schema(state))
    if state["up_to_date"]:
        checks += await _inside(settings, url)
    return checks


def _private_address(settings: Settings) -> str | None:
    """The address of the private PostgreSQL if it runs; asking does not start it."""
    server = PrivateServer(data_folder(settings))
    return server.url() if server.running() else None


def _no_server(settings: Settings) -> Check:
    if (PrivateServer(data_folder(settings)).cluster / "PG_VERSION").is_file():
        return Check("warn", "database", "the private PostgreSQL is not running", "scrapersky up")
    return Check("warn", "database", "none yet; the first start creates it", "scrapersky up")


def _python() -> Check:
    good = sys.version_info >= (3, 11)
    return Check(
        "pass" if good else "fail", "python", platform.python_version(), "" if good else "use 3.11 or newer"
    )


def _settings(settings: Settings) -> list[Check]:
    """The settings are valid, or we would not be here; each risky one is a warning."""
    warnings = settings_warnings(settings)
    return [Check("warn", "settings", line) for line in warnings] or [Check("pass", "settings", "all valid")]


def _folder(settings: Settings) -> Check:
    if settings.database_address:
        return Check("pass", "data folder", "not needed: DATABASE_URL is set")
    folder = data_folder(settings)
    near = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    free = shutil.disk_usage(near).free // 2**20
    if not os.access(near, os.W_OK):
        return Check("fail", "data folder", f"{folder} is not writable", "choose another DATA_FOLDER")
    limits = settings.min_free_disk_percent, settings.min_free_disk_mib
    verdict = "warn" if DiskMinimum(near, *limits).shortage() else "pass"
    return Check(
        verdict, "data folder", f"{folder}, {free} MiB free", "" if verdict == "pass" else "free some space"
    )


def _other_folders(settings: Settings) -> list[Check]:
    """Data folders that are not in use here, so that nobody takes their data for lost."""
    if settings.database_address or settings.data_folder:
        return []
    checks = []
    for folder, checkout in other_data_folders():
        owner = "" if checkout is None else f" of {checkout}" + ("" if checkout.is_dir() else " (gone)")
        look = f"DATA_FOLDER={shlex.quote(str(folder))} scrapersky status"
        checks.append(Check("pass", "other data folder", f"{folder}{owner}", look))
    return checks


def _port(settings: Settings) -> Check:
    with socket.socket() as probe:
        probe.settimeout(1)
        used = probe.connect_ex((settings.host, settings.port)) == 0
    return Check("pass", "port", f"{settings.host}:{settings.port} is {'in use' if used else 'free'}")


def _contact(settings: Settings) -> Check:
    if settings.user_agent_contact:
        return Check("pass", "user agent", f"names {settings.user_agent_contact}")
    return Check("warn", "user agent", "names no contact", "set USER_AGENT_CONTACT")


def _schema(state: dict[str, object]) -> Check:
    if state["up_to_date"]:
        return Check("pass", "schema", str(state["current"]))
    remedy = "update the program" if state["newer_than_code"] else "scrapersky db migrate"
    return Check("fail", "schema", f"{state['current']}, the code needs {state['head']}", remedy)


async def _inside(settings: Settings, url: str) -> list[Check]:
    inspections: list[Callable[[AsyncEngine], Awaitable[Check]]] = [
        _server,
        check_clock,
        _workers,
        _failures,
        _text_search,
        wrong_counts,
    ]
    if settings.database_address:
        inspections.append(check_role)
    engine = make_engine(settings, url)
    try:
        return [await inspection(engine) for inspection in inspections]
    finally:
        await engine.dispose()


async def _server(engine: AsyncEngine) -> Check:
    async with engine.connect() as connection:
        version = str(await connection.scalar(text("SHOW server_version")))
    good = int(version.split(".")[0].split()[0]) >= 14
    return Check(
        "pass" if good else "fail", "postgresql", version, "" if good else "use PostgreSQL 14 or newer"
    )


async def check_clock(
    engine: AsyncEngine, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Check:
    """Leases and sessions run by the database's clock; log lines and robots.txt by ours."""
    async with engine.connect() as connection:
        there = await connection.scalar(select(func.clock_timestamp()))
    skew = abs((there - now()).total_seconds()) if there else 0.0
    verdict = "pass" if skew < MAX_CLOCK_SKEW_SECONDS else "warn"
    return Check(
        verdict, "clock", f"{skew:.1f} s off the database's", "" if verdict == "pass" else "set the clock"
    )


async def check_role(engine: AsyncEngine) -> Check:
    """Requests run as a role of their own; a superuser behind everything else is more than is needed."""
    async with engine.connect() as connection:
        is_superuser = await connection.scalar(select(func.current_setting("is_superuser"))) == "on"
    if not is_superuser:
        return Check("pass", "database role", "an ordinary one")
    remedy = "use a role that owns its database and nothing else"
    return Check("warn", "database role", "DATABASE_URL names a superuser", remedy)


async def _workers(engine: AsyncEngine) -> Check:
    report = await HealthQuery(engine).report()
    idle = [name for name, is_running in report["schedulers"].items() if not is_running]
    if not idle:
        return Check("pass", "workers", "every stage has one")
    return Check("warn", "workers", f"none for {', '.join(idle)}", "scrapersky worker")


async def _failures(engine: AsyncEngine) -> Check:
    failed = {line.stage: line.failed for line in await StageQuery(engine).statuses() if line.failed}
    if not failed:
        return Check("pass", "dead letters", "none")
    counts = ", ".join(f"{stage} {number}" for stage, number in failed.items())
    return Check("warn", "dead letters", counts, "scrapersky stage failed STAGE")


async def _text_search(engine: AsyncEngine) -> Check:
    name: ColumnClause[str] = column("extname")
    query = select(name).select_from(table("pg_extension", name)).where(name == "pg_trgm")
    async with engine.connect() as connection:
        has = await connection.scalar(query)
    if has:
        return Check("pass", "text search", "indexed by pg_trgm")
    return Check("warn", "text search", "slow: pg_trgm is missing", "install PostgreSQL's contrib modules")


async def wrong_counts(engine: AsyncEngine) -> Check:
    """Compare the row counts that lists and status show with the rows themselves."""
    async with engine.connect() as connection:
        wrong = await find_wrong_counts(connection)
    if not wrong:
        return Check("pass", "row counts", "agree with the rows")
    return Check("fail", "row counts", f"wrong for {', '.join(wrong)}", "scrapersky db recount")
