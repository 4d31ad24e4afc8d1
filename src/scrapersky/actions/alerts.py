"""Acknowledges and resolves alerts; one whose cause remains is raised again by the next check."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import func, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict
from scrapersky.queries.alerts import AlertQuery

ALERTS = tables.alerts


async def acknowledge_alert(engine: AsyncEngine, actor: Actor, alert_id: UUID) -> dict[str, Any]:
    """Say that somebody has seen it; it stays open."""
    values = {"acknowledged_at": func.now(), "acknowledged_by": actor.user_id}
    return await _change(engine, actor, "alert.acknowledge", alert_id, values)


async def close_alert(engine: AsyncEngine, actor: Actor, alert_id: UUID) -> dict[str, Any]:
    return await _change(engine, actor, "alert.resolve", alert_id, {"resolved_at": func.clock_timestamp()})


async def _change(
    engine: AsyncEngine, actor: Actor, action: str, alert_id: UUID, values: dict[str, Any]
) -> dict[str, Any]:
    alerts = AlertQuery(engine)
    before = await alerts.show(alert_id)
    statement = update(ALERTS).where(ALERTS.c.id == alert_id, ALERTS.c.resolved_at.is_(None))
    async with engine.begin() as connection:
        if not (await connection.execute(statement.values(values))).rowcount:
            raise Conflict("The alert is resolved already")
        subject = {"kind": before["kind"], "subject": before["subject"]}
        await record(connection, actor, action, table="alerts", row_id=alert_id, after=subject)
    return await alerts.show(alert_id)
