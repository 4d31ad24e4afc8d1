"""Alerts: what is wrong now, and what was."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, desc, func, select

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query

ALERTS = tables.alerts.c
COLUMNS = (
    ALERTS.id, ALERTS.kind, ALERTS.subject, ALERTS.severity, ALERTS.message, ALERTS.occurrences,
    ALERTS.created_at, ALERTS.last_raised_at, ALERTS.notified_at, ALERTS.acknowledged_at,
    ALERTS.acknowledged_by, ALERTS.resolved_at,
)  # fmt: skip


class AlertQuery(Query):
    """The alerts of the installation."""

    async def newest(
        self, *, state: str | None = None, after: UUID | None = None, limit: int = 100
    ) -> list[dict[str, Any]]:
        """Open, resolved or all alerts, the newest first; identifiers rise with time."""
        query: Select[Any] = select(*COLUMNS).order_by(desc(ALERTS.id)).limit(limit)
        query = query.where(*_in_state(state))
        return await self.dicts(query.where(ALERTS.id < after) if after else query)

    async def count(self, state: str | None = None) -> int:
        return int(
            await self.scalar(select(func.count()).select_from(tables.alerts).where(*_in_state(state)))
        )

    async def show(self, alert_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(select(*COLUMNS).where(ALERTS.id == alert_id))
        if not rows:
            raise NotFound(f"There is no alert {alert_id}")
        return rows[0]


def _in_state(state: str | None) -> list[ColumnElement[bool]]:
    """Open, resolved, or any."""
    return [ALERTS.resolved_at.is_(None) == (state == "open")] if state else []
