"""Alerts: what is wrong in the installation, and what was."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel

from scrapersky.actions.alerts import acknowledge_alert, close_alert
from scrapersky.api.installation import InstallationOperator, InstallationViewer, OwnerEngine
from scrapersky.queries import AlertQuery

router = APIRouter(prefix="/alerts", tags=["alerts"])


class Alert(BaseModel):
    """One open alert exists per kind and subject; it is counted while its cause lasts."""

    id: UUID
    kind: str
    subject: str
    severity: str
    message: str
    occurrences: int
    created_at: datetime
    last_raised_at: datetime
    notified_at: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: UUID | None
    resolved_at: datetime | None


class AlertList(BaseModel):
    items: list[Alert]
    next: UUID | None
    total: int
    total_exact: bool = True


@router.get("")
async def list_alerts(
    caller: InstallationViewer,
    state: Literal["open", "resolved"] | None = None,
    after: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AlertList:
    """Alerts, the newest first. They concern all tenants, so only the default tenant sees them."""
    query = AlertQuery(caller.engine)
    rows = await query.newest(state=state, after=after, limit=limit + 1)
    following = rows[limit - 1]["id"] if len(rows) > limit else None
    items = [Alert(**row) for row in rows[:limit]]
    return AlertList(items=items, next=following, total=await query.count(state))


@router.get("/{alert_id:uuid}")
async def get_alert(alert_id: UUID, caller: InstallationViewer) -> Alert:
    """One alert."""
    return Alert(**await AlertQuery(caller.engine).show(alert_id))


@router.post("/{alert_id:uuid}/acknowledge", name="acknowledge_alert")
async def acknowledge(alert_id: UUID, caller: InstallationOperator, engine: OwnerEngine) -> Alert:
    """Say that somebody has seen it; it stays open until its cause is gone."""
    return Alert(**await acknowledge_alert(engine, caller.actor, alert_id))


@router.post("/{alert_id:uuid}/resolve", name="resolve_alert")
async def close(alert_id: UUID, caller: InstallationOperator, engine: OwnerEngine) -> Alert:
    """Close it; if its cause remains, the next check raises it again."""
    return Alert(**await close_alert(engine, caller.actor, alert_id))
