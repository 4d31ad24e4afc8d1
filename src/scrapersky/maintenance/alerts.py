"""Alerts: one is open for each matter, counted while it lasts, and over when the matter is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import func, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.declarations.statuses import CIRCUIT_OPEN
from scrapersky.engine.database import is_transient

CREDITS = "credits"
# Raised by what happens, not by a look at how things are; nobody can see that it is over.
EVENT_ALERTS = ("scheduler_failure", CIRCUIT_OPEN, CREDITS, "network_unavailable")


async def raise_alert(engine: AsyncEngine, kind: str, subject: str, message: str) -> None:
    """Open an alert, or count one that is open already."""
    async with engine.begin() as connection:
        await _raise(connection, kind, subject, message, "error")


async def report_credits(engine: AsyncEngine, message: str, *, severity: str) -> None:
    """Credits of a paid service that a person should know of; over when none are spent like that any more."""
    try:
        async with engine.begin() as connection:
            await _raise(connection, CREDITS, "scraper_api", message, severity)
    except Exception as error:
        if not is_transient(error):
            raise


async def report_circuit(engine: AsyncEngine, name: str, reason: str) -> None:
    """Open the alert of a circuit, or end it when there is no reason any more.

    The row at hand must not fail because of this: the engine waits out an unavailable database elsewhere.
    """
    try:
        if reason:
            await raise_alert(engine, CIRCUIT_OPEN, name, reason)
        else:
            await resolve_alert(engine, CIRCUIT_OPEN, name)
    except Exception as error:
        if not is_transient(error):
            raise


async def resolve_alert(engine: AsyncEngine, kind: str, subject: str) -> None:
    """The matter is over; nothing happens if there is no such alert."""
    mine = update(tables.alerts).where(
        tables.alerts.c.kind == kind,
        tables.alerts.c.subject == subject[:300],
        tables.alerts.c.over_at.is_(None),
    )
    async with engine.begin() as connection:
        await connection.execute(mine.values(over_at=func.clock_timestamp()))


async def sync_alerts(
    connection: AsyncConnection, kind: str, found: Mapping[str, str], *, severity: str = "error"
) -> None:
    """Exactly these matters of a kind, by subject, are alerts now; what is no longer so is over."""
    gone = update(tables.alerts).where(tables.alerts.c.kind == kind, tables.alerts.c.over_at.is_(None))
    gone = gone.where(tables.alerts.c.subject.not_in([subject[:300] for subject in found]))
    await connection.execute(gone.values(over_at=func.clock_timestamp()))
    for subject, message in found.items():
        await _raise(connection, kind, subject, message, severity)


async def resolve_quiet_alerts(connection: AsyncConnection, quiet: timedelta) -> None:
    """A failure that did not come again for so long is over."""
    still = update(tables.alerts).where(
        tables.alerts.c.kind.in_(EVENT_ALERTS), tables.alerts.c.over_at.is_(None)
    )
    await connection.execute(
        still.where(tables.alerts.c.last_raised_at < func.now() - quiet).values(
            over_at=func.clock_timestamp()
        )
    )


async def _raise(connection: AsyncConnection, kind: str, subject: str, message: str, severity: str) -> None:
    values = {"kind": kind, "subject": subject[:300], "message": message[:4_000], "severity": severity}
    statement = insert(tables.alerts).values(values)
    again = {
        "times": tables.alerts.c.times + 1,
        "last_raised_at": func.now(),
        "message": statement.excluded.message,
    }
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["kind", "subject"], index_where=text("over_at IS NULL"), set_=again
        )
    )
