"""Saved views and rules as people see them, and how many rows a rule would decide about."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.read_model import TenantRowsQuery
from scrapersky.queries.rows.entities import LISTS, Entity
from scrapersky.queries.rows.filters import Filters, conditions

NAME_OF_TABLE = {entity.table.name: entity.name for entity in LISTS.values()}
PREVIEW_PERIOD = timedelta(days=30)
VIEW_COLUMNS = ("id", "user_id", "table_name", "name", "query", "is_shared", "created_at", "updated_at")
RULE_COLUMNS = (
    "id", "user_id", "name", "table_name", "filters", "decision", "destination_id", "is_enabled",
    "enabled_at", "checked_at", "changed_rows", "created_at", "updated_at",
)  # fmt: skip


class ViewQuery(TenantRowsQuery):
    """The views that one person sees: their own, and those that others of the tenant share."""

    def __init__(self, engine: AsyncEngine, tenant_id: UUID, user_id: UUID) -> None:
        super().__init__(engine, tenant_id)
        self._user_id = user_id

    async def list_views(self, entity: str | None = None) -> list[dict[str, Any]]:
        columns = tables.saved_views.c
        query = self._visible().order_by(columns.table_name, columns.name, columns.id)
        if entity is not None:
            query = query.where(columns.table_name == LISTS[entity].table.name)
        return [_with_entity(row) for row in await self.dicts(query)]

    async def show(self, view_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._visible().where(tables.saved_views.c.id == view_id))
        if not rows:
            raise NotFound(f"There is no view {view_id}")
        return _with_entity(rows[0])

    async def find(self, text: str) -> dict[str, Any]:
        """By its name or its id, as a person types it."""
        views = await self.list_views()
        matches = [view for view in views if text in (view["name"], str(view["id"]))]
        if len(matches) > 1:
            raise InvalidInput(f"There are {len(matches)} views {text!r}; use the id of one")
        if not matches:
            known = ", ".join(view["name"] for view in views) or "none"
            raise NotFound(f"There is no view {text!r}; expected one of {known}")
        return matches[0]

    def _visible(self) -> Any:
        columns = tables.saved_views.c
        is_visible = or_(columns.user_id == self._user_id, columns.is_shared)
        query = select(*(columns[name] for name in VIEW_COLUMNS))
        return query.where(columns.tenant_id == self._tenant_id, is_visible)


class RuleQuery(TenantRowsQuery):
    """The rules of one tenant."""

    async def list_rules(self) -> list[dict[str, Any]]:
        return [_with_entity(row) for row in await self.dicts(self._own().order_by(tables.rules.c.name))]

    async def show(self, rule_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._own().where(tables.rules.c.id == rule_id))
        if not rows:
            raise NotFound(f"There is no rule {rule_id}")
        return _with_entity(rows[0])

    async def preview(self, entity: Entity, filters: Filters) -> dict[str, int]:
        """Rows of the last 30 days that match, and how many of them nobody has decided about."""
        columns = entity.table.c
        matching = conditions(entity, self._tenant_id, filters)
        is_recent = columns.created_at >= func.now() - PREVIEW_PERIOD
        is_new = columns[entity.curation_column] == statuses.NEW
        counts = func.count().label("matching"), func.count().filter(is_new).label("new")
        row = await self.first(select(*counts).select_from(entity.table).where(*matching, is_recent))
        return {"matching": 0, "new": 0} if row is None else {"matching": row.matching, "new": row.new}

    def _own(self) -> Any:
        columns = tables.rules.c
        return select(*(columns[name] for name in RULE_COLUMNS)).where(columns.tenant_id == self._tenant_id)


def _with_entity(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "entity": NAME_OF_TABLE[row["table_name"]]}
