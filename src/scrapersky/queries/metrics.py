"""The figures of /metrics: from the database, so they survive restarts and are the same on every machine.

One sample is a fixed number of statements; none reads a table of rows to count them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, literal, select, text, union_all
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import QueuePool

from scrapersky.declarations import DECLARATIONS
from scrapersky.engine.stats import KINDS
from scrapersky.queries.read_model import Query
from scrapersky.queries.stages import StageCounts, StageQuery
from scrapersky.tables.counts import oldest_due
from scrapersky.tables.health_tables import stage_totals

BUCKET_SUMS = text("""
SELECT stage, ordinality::int AS place, sum(number)::bigint AS number
FROM stage_totals, unnest(buckets) WITH ORDINALITY AS bucket (number, ordinality) GROUP BY stage, ordinality
""")
NAMED_SUMS = text("""
SELECT stage, 'errors' AS kind, key AS name, sum(value::bigint)::bigint AS number
FROM stage_totals, jsonb_each_text(errors) GROUP BY stage, key
UNION ALL
SELECT stage, 'tallies', key, sum(value::bigint)::bigint
FROM stage_totals, jsonb_each_text(tallies) GROUP BY stage, key
""")
ALERTS_AND_CREDITS = text("""
SELECT (SELECT count(*) FROM alerts WHERE resolved_at IS NULL AND severity = 'error') AS errors,
       (SELECT count(*) FROM alerts WHERE resolved_at IS NULL AND severity = 'warning') AS warnings,
       (SELECT coalesce(sum(spent), 0)::bigint FROM credits WHERE host = '') AS credits,
       (SELECT count(*) FROM workers WHERE heartbeat_at > now() - interval '1 minute') AS workers
""")


@dataclass(slots=True)
class StageFigures:
    counts: StageCounts = field(default_factory=StageCounts)
    oldest_seconds: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)
    ms_sum: float = 0.0
    buckets: dict[int, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    tallies: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    stages: dict[str, StageFigures]
    alerts: dict[str, int]
    credits: int
    workers: int
    # Of the pool of this process: used, idle, and how many there may be.
    connections: dict[str, int]


class MetricsQuery(Query):
    """Figures of all tenants together; the engine is the owner's."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self._stages = StageQuery(engine)

    async def sample(self) -> Sample:
        stages: dict[str, StageFigures] = defaultdict(StageFigures)
        for name, counts in (await self._stages.counts()).items():
            stages[name].counts = counts
        for row in await self.rows(_oldest()):
            stages[row.stage].oldest_seconds = max(0.0, float(row.seconds or 0))
        for row in await self.rows(_totals()):
            stages[row.stage].kinds = {kind: int(getattr(row, kind)) for kind in KINDS}
            stages[row.stage].ms_sum = row.ms_sum
        for row in await self.rows(BUCKET_SUMS):
            stages[row.stage].buckets[row.place - 1] = row.number
        for row in await self.rows(NAMED_SUMS):
            getattr(stages[row.stage], row.kind)[row.name] = row.number
        [others] = await self.rows(ALERTS_AND_CREDITS)
        alerts = {"error": others.errors, "warning": others.warnings}
        return Sample(dict(stages), alerts, others.credits, others.workers, self._connections())

    def _connections(self) -> dict[str, int]:
        pool = self._engine.pool
        if not isinstance(pool, QueuePool):
            return {}
        return {"used": pool.checkedout(), "idle": pool.checkedin(), "limit": pool.size()}


def _oldest() -> Any:
    """How long the oldest due row of each stage has waited, in one statement."""
    return union_all(
        *(
            select(
                literal(stage.name).label("stage"),
                func.extract("epoch", func.now() - oldest_due(stage).scalar_subquery()).label("seconds"),
            )
            for stage in DECLARATIONS
        )
    )


def _totals() -> Any:
    columns = stage_totals.c
    sums = [func.sum(columns[kind]).label(kind) for kind in KINDS]
    query = select(columns.stage, *sums, func.sum(columns.ms_sum).label("ms_sum"))
    return query.select_from(stage_totals).group_by(columns.stage)
