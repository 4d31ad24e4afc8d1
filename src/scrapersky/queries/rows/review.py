"""What waits for a person: the number of rows of every curated list that nobody has decided about."""

from __future__ import annotations

from sqlalchemy import func, literal, select, union_all

from scrapersky.declarations import statuses
from scrapersky.queries.read_model import TenantRowsQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.tables.counts import counted_rows


class ReviewQuery(TenantRowsQuery):
    """The rows of one tenant, from the row counts."""

    async def to_review(self) -> dict[str, int]:
        """By the name of the entity."""
        branches = []
        for entity in ENTITIES.values():
            counts = counted_rows(entity.table.name)
            number = func.coalesce(func.sum(counts.c.number), 0)
            is_new = counts.c[entity.curation_column] == statuses.NEW
            query = select(literal(entity.name).label("entity"), number.label("number"))
            branches.append(query.where(counts.c.tenant_id == self._tenant_id, is_new))
        return {row.entity: int(row.number) for row in await self.rows(union_all(*branches))}
