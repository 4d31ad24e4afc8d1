"""The parts of a tenant's lead score with their weights, and whether its contacts are scored by them yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Table, select

from scrapersky import tables
from scrapersky.declarations.lead_score import SCORE_PARTS
from scrapersky.queries.read_model import TenantRowsQuery


@dataclass(frozen=True, slots=True)
class ScorePartRow:
    """A part of the score as it counts now; `is_default` unless an admin has edited it."""

    part: str
    title: str
    about: str
    weight: int
    default_weight: int
    words: list[str]
    has_words: bool
    is_default: bool
    updated_at: datetime | None


class LeadScoreQuery(TenantRowsQuery):
    async def parts(self) -> list[ScorePartRow]:
        table = tables.lead_score_parts
        edited = {row.part: row for row in await self.rows(select(table).where(self._own(table)))}
        return [
            ScorePartRow(
                part=part.name,
                title=part.title,
                about=part.about,
                weight=edited[part.name].weight if part.name in edited else part.weight,
                default_weight=part.weight,
                words=list(edited[part.name].words) if part.name in edited else [],
                has_words=part.has_words,
                is_default=part.name not in edited,
                updated_at=edited[part.name].updated_at if part.name in edited else None,
            )
            for part in SCORE_PARTS.values()
        ]

    async def is_current(self) -> bool:
        """Whether all contacts have been scored since the last edit."""
        table = tables.lead_score_runs
        row = await self.first(select(table.c.finished_at).where(self._own(table)))
        return row is None or row.finished_at is not None

    def _own(self, table: Table) -> ColumnElement[bool]:
        return table.c.tenant_id == self._tenant_id
