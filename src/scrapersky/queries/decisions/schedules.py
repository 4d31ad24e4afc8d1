"""Schedules as people see them: what is repeated, when, and how the last run stands."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Select, select

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.errors import NotFound
from scrapersky.queries.decisions.presets import NAME_OF_TABLE
from scrapersky.queries.read_model import TenantRowsQuery

SHOWN_COLUMNS = (
    "id", "user_id", "name", "kind", "view_id", "destination_id", "options", "every_days", "time_of_day",
    "time_zone", "is_enabled", "next_run_at", "last_run_at", "last_run_id", "last_outcome", "last_reason",
    "failures", "created_at", "updated_at",
)  # fmt: skip


class ScheduleQuery(TenantRowsQuery):
    """The schedules of one tenant."""

    async def list_schedules(self) -> list[dict[str, Any]]:
        return [_described(row) for row in await self.dicts(self._own().order_by(tables.schedules.c.name))]

    async def show(self, schedule_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._own().where(tables.schedules.c.id == schedule_id))
        if not rows:
            raise NotFound(f"There is no schedule {schedule_id}")
        return _described(rows[0])

    def _own(self) -> Select[Any]:
        schedules, views, destinations = tables.schedules, tables.saved_views, tables.destinations
        named = (
            views.c.name.label("view_name"),
            views.c.table_name.label("view_table"),
            destinations.c.name.label("destination_name"),
        )
        return (
            select(*(schedules.c[name] for name in SHOWN_COLUMNS), *named)
            .join(views, views.c.id == schedules.c.view_id, isouter=True)
            .join(destinations, destinations.c.id == schedules.c.destination_id, isouter=True)
            .where(schedules.c.tenant_id == self._tenant_id)
        )


def _described(row: dict[str, Any]) -> dict[str, Any]:
    """With what is repeated in words."""
    names = {name: row.pop(name) for name in ("view_name", "view_table", "destination_name")}
    return {**row, "about": _about(row, **names)}


def _about(
    row: dict[str, Any], view_name: str | None, view_table: str | None, destination_name: str | None
) -> str:
    options = row["options"]
    if row["kind"] == statuses.REPEAT_SEARCH:
        place = options["params"].get("place") or options["location"]
        # A source that lists all it has is asked for neither.
        what = options["kind"] or "every business"
        return f"search {what}{f' in {place}' if place else ''} ({options['source']})"
    if view_table is None:
        return "read every page again"
    if row["kind"] == statuses.REPEAT_SEND:
        return f"send the contacts of the view {view_name} to {destination_name}"
    if row["kind"] == statuses.REPEAT_EXPORT:
        return f"write the view {view_name} to {options['file']}"
    of = "of the domains " if NAME_OF_TABLE[view_table] == "domain" else ""
    return f"read the pages {of}of the view {view_name} again"
