"""Destinations as people see them: without their secrets, with what was delivered."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.declarations import DELIVER, statuses
from scrapersky.destinations.field_map import mapping_of
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import TenantRowsQuery

SHOWN_COLUMNS = (
    "id", "name", "kind", "options", "is_active", "is_automatic", "disabled_reason", "created_at",
    "updated_at",
)  # fmt: skip
# The numbers of deliveries by what became of them.
COUNTED = {
    "delivered": DELIVER.statuses.done,
    "waiting": DELIVER.statuses.queued,
    "failed": DELIVER.statuses.failed,
    "skipped": statuses.SKIPPED,
}


class DestinationQuery(TenantRowsQuery):
    """The destinations of one tenant."""

    async def list_destinations(self) -> list[dict[str, Any]]:
        return [
            _with_mapping(row) for row in await self.dicts(self._own().order_by(tables.destinations.c.name))
        ]

    async def names(self) -> dict[UUID, str]:
        columns = tables.destinations.c
        rows = await self.rows(select(columns.id, columns.name).where(columns.tenant_id == self._tenant_id))
        return {row.id: row.name for row in rows}

    async def show(self, destination_id: UUID) -> dict[str, Any]:
        rows = await self.dicts(self._own().where(tables.destinations.c.id == destination_id))
        if not rows:
            raise NotFound(f"There is no destination {destination_id}")
        return _with_mapping(rows[0])

    async def find(self, text: str) -> dict[str, Any]:
        """By its name or its id, as a person types it."""
        rows = await self.list_destinations()
        for row in rows:
            if text in (row["name"], str(row["id"])):
                return row
        known = ", ".join(row["name"] for row in rows) or "none"
        raise NotFound(f"There is no destination {text!r}; expected one of {known}")

    async def encrypted_secret(self, destination_id: UUID) -> bytes | None:
        columns = tables.destinations.c
        mine = columns.id == destination_id, columns.tenant_id == self._tenant_id
        value: bytes | None = await self.scalar(select(columns.encrypted_secret).where(*mine))
        return value

    def _own(self) -> Any:
        columns, deliveries = tables.destinations.c, tables.deliveries.c
        counts = (
            select(
                deliveries.destination_id,
                func.max(deliveries.delivered_at).label("last_delivered_at"),
                *(
                    func.count().filter(deliveries.status == status).label(name)
                    for name, status in COUNTED.items()
                ),
            )
            .where(deliveries.tenant_id == self._tenant_id)
            .group_by(deliveries.destination_id)
            .subquery()
        )
        return (
            select(
                *(columns[name] for name in SHOWN_COLUMNS),
                columns.encrypted_secret.is_not(None).label("has_secret"),
                counts.c.last_delivered_at,
                *(func.coalesce(counts.c[name], 0).label(name) for name in COUNTED),
            )
            .join(counts, counts.c.destination_id == columns.id, isouter=True)
            .where(columns.tenant_id == self._tenant_id)
        )


def _with_mapping(row: dict[str, Any]) -> dict[str, Any]:
    """The mapping as it holds, whether it is the destination's own or that of its kind."""
    return {**row, "mapping": mapping_of(row["kind"], row["options"])}
