"""Alerts in the database: one is open per kind and subject, counted while it lasts, resolved afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky.declarations.statuses import CIRCUIT_OPEN
from scrapersky.engine.database import is_transient

CREDITS = "credits"
# Raised when something happens; no check can see that it is over, so they are resolved when it is quiet.
EVENT_ALERTS = ["scheduler_failure", CIRCUIT_OPEN, CREDITS, "network_unavailable"]
MAX_SUBJECT, MAX_MESSAGE = 300, 4_000

RAISE = text("""
INSERT INTO alerts (kind, subject, message, severity) VALUES (:kind, :subject, :message, :severity)
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL
DO UPDATE SET occurrences = alerts.occurrences + 1, last_raised_at = now(), message = excluded.message
""")
RESOLVE = text("""
UPDATE alerts SET resolved_at = clock_timestamp()
WHERE kind = :kind AND subject = :subject AND resolved_at IS NULL
""")
RESOLVE_OTHERS = text("""
UPDATE alerts SET resolved_at = clock_timestamp()
WHERE kind = :kind AND subject <> ALL(CAST(:subjects AS text[])) AND resolved_at IS NULL
""")
RESOLVE_QUIET = text("""
UPDATE alerts SET resolved_at = clock_timestamp()
WHERE kind = ANY(CAST(:kinds AS text[])) AND last_raised_at < now() - CAST(:quiet AS interval)
  AND resolved_at IS NULL
""")


async def raise_alert(
    engine: AsyncEngine, kind: str, subject: str, message: str, *, severity: str = "error"
) -> None:
    """Open an alert, or count one that is already open."""
    async with engine.begin() as connection:
        await _raise(connection, kind, subject, message, severity)


async def resolve_alert(engine: AsyncEngine, kind: str, subject: str) -> None:
    """Resolve an alert; does nothing if there is none."""
    async with engine.begin() as connection:
        await connection.execute(RESOLVE, {"kind": kind, "subject": subject[:MAX_SUBJECT]})


async def report_credits(engine: AsyncEngine, message: str, *, severity: str) -> None:
    """Raise the alert about credits of a paid service; it is resolved when it has been quiet."""
    try:
        await raise_alert(engine, CREDITS, "scraper_api", message, severity=severity)
    except Exception as error:
        if not is_transient(error):
            raise


async def report_circuit(engine: AsyncEngine, name: str, reason: str) -> None:
    """Raise the alert of a circuit breaker, or resolve it when there is no reason.

    An unavailable database must not fail the current row; the engine waits for it elsewhere.
    """
    try:
        if reason:
            await raise_alert(engine, CIRCUIT_OPEN, name, reason)
        else:
            await resolve_alert(engine, CIRCUIT_OPEN, name)
    except Exception as error:
        if not is_transient(error):
            raise


async def sync_alerts(
    connection: AsyncConnection, kind: str, messages: Mapping[str, str], *, severity: str = "error"
) -> None:
    """Make these the open alerts of a kind, by subject; all others of the kind are resolved."""
    subjects = [subject[:MAX_SUBJECT] for subject in messages]
    await connection.execute(RESOLVE_OTHERS, {"kind": kind, "subjects": subjects})
    for subject, message in messages.items():
        await _raise(connection, kind, subject, message, severity)


async def resolve_quiet_alerts(connection: AsyncConnection, quiet: timedelta) -> None:
    """Resolve alerts about events that have not happened again for this long."""
    await connection.execute(RESOLVE_QUIET, {"kinds": EVENT_ALERTS, "quiet": quiet})


async def _raise(connection: AsyncConnection, kind: str, subject: str, message: str, severity: str) -> None:
    params = {"kind": kind, "subject": subject[:MAX_SUBJECT], "message": message[:MAX_MESSAGE]}
    await connection.execute(RAISE, {**params, "severity": severity})
