"""Pairs of places that may be the same business, with what both sources say and the evidence."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.queries.privacy.suppressions import withhold_suppressed
from scrapersky.queries.read_model import TenantRowsQuery

MATCHES = tables.place_matches
MATCH_COLUMNS = ("id", "verdict", "log_odds", "evidence", "decided_by", "decided_at", "created_at")
PLACE_COLUMNS = (
    "id", "source", "name", "business_type", "formatted_address", "phone", "website_url", "latitude",
    "longitude", "status",
)  # fmt: skip


class PlaceMatchQuery(TenantRowsQuery):
    """The pairs of one tenant."""

    async def page(
        self, *, verdict: str | None = None, after: UUID | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The pairs after an id, in the order in which they were found."""
        query = self._pairs().order_by(MATCHES.c.id).limit(limit)
        if verdict is not None:
            query = query.where(MATCHES.c.verdict == verdict)
        if after is not None:
            query = query.where(MATCHES.c.id > after)
        return await self._pairs_shown(query)

    async def show(self, match_id: UUID) -> dict[str, Any]:
        pairs = await self._pairs_shown(self._pairs().where(MATCHES.c.id == match_id))
        if not pairs:
            raise NotFound(f"There is no match {match_id}")
        return pairs[0]

    async def counts(self) -> dict[str, int]:
        """The number of pairs by verdict."""
        query = select(MATCHES.c.verdict, func.count().label("number")).where(
            MATCHES.c.tenant_id == self._tenant_id
        )
        return {row.verdict: row.number for row in await self.rows(query.group_by(MATCHES.c.verdict))}

    async def _pairs_shown(self, query: Any) -> list[dict[str, Any]]:
        """The rows of the query as pairs, without suppressed addresses and numbers."""
        pairs = [_nested(row) for row in await self.dicts(query)]
        sides = [(pair, side) for pair in pairs for side in ("place_a", "place_b")]
        listed = [pair[side] for pair, side in sides]
        visible = await self.read(
            lambda connection: withhold_suppressed(connection, self._tenant_id, tables.places_staging, listed)
        )
        for (pair, side), place in zip(sides, visible, strict=True):
            pair[side] = place
        return pairs

    def _pairs(self) -> Any:
        a, b = tables.places_staging.alias("a"), tables.places_staging.alias("b")
        columns: list[Any] = [MATCHES.c[name] for name in MATCH_COLUMNS]
        columns += [
            place.c[name].label(f"{side}_{name}")
            for side, place in (("a", a), ("b", b))
            for name in PLACE_COLUMNS
        ]
        return (
            select(*columns)
            .join(a, (a.c.id == MATCHES.c.place_a) & (a.c.tenant_id == MATCHES.c.tenant_id))
            .join(b, (b.c.id == MATCHES.c.place_b) & (b.c.tenant_id == MATCHES.c.tenant_id))
            .where(MATCHES.c.tenant_id == self._tenant_id)
        )


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its two places as objects."""
    sides = {side: {name: row[f"{side}_{name}"] for name in PLACE_COLUMNS} for side in ("a", "b")}
    return {**{name: row[name] for name in MATCH_COLUMNS}, "place_a": sides["a"], "place_b": sides["b"]}
