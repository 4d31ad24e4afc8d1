"""What was done: jobs by state, stages by day and minute, durations, credits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Date, Integer, cast, desc, func, select, text

from scrapersky import tables
from scrapersky.declarations import ENDED_JOBS, RUN_JOB
from scrapersky.declarations.statuses import CANCELLED
from scrapersky.engine.stats import BUCKETS
from scrapersky.queries.jobs import JobQuery
from scrapersky.queries.read_model import Query
from scrapersky.tables.counts import counted_rows

MAX_ROWS = 100
PERIOD = text("""
SELECT stage, ordinality::int AS place, sum(number)::bigint AS number
FROM stage_stats, unnest(buckets) WITH ORDINALITY AS bucket (number, ordinality)
WHERE minute > now() - CAST(:period AS interval) GROUP BY stage, ordinality
""")
DAYS = text("""
SELECT stage, (minute AT TIME ZONE 'UTC')::date AS day,
       sum(done)::bigint AS done, sum(failed)::bigint AS failed, sum(retried)::bigint AS retried,
       sum(snoozed)::bigint AS snoozed, sum(rescued)::bigint AS rescued,
       sum(rows_written)::bigint AS rows_written, sum(repaired)::bigint AS repaired,
       round((sum(ms_sum) / nullif(sum(done + failed + retried + snoozed), 0))::numeric, 2)::float AS mean_ms
FROM stage_stats
WHERE minute >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - CAST(:period AS interval)
GROUP BY stage, 2 HAVING sum(done + failed + retried + snoozed + rescued + repaired) > 0
ORDER BY 2 DESC, stage
""")
MINUTES = text("""
SELECT minute, sum(done)::bigint AS done, sum(failed)::bigint AS failed FROM stage_stats
WHERE stage = :stage AND minute > now() - interval '1 hour'
GROUP BY minute HAVING sum(done + failed) > 0 ORDER BY minute
""")


class StatisticsQuery(Query):
    async def days(self, days: int) -> list[dict[str, Any]]:
        """What every stage did on each day, the newest first; today counts as the first day."""
        return await self.dicts(DAYS, {"period": timedelta(days=days - 1)})

    async def minutes(self, stage: str) -> list[dict[str, Any]]:
        """What a stage did in each minute of the last hour."""
        return await self.dicts(MINUTES, {"stage": stage})

    async def durations(self, period: timedelta = timedelta(hours=1)) -> dict[str, list[int]]:
        """How many rows of each stage took how long: the numbers of the buckets of `engine.stats`."""
        buckets: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        for row in await self.rows(PERIOD, {"period": period}):
            buckets[row.stage][row.place - 1] = row.number
        return dict(buckets)


def quantile(buckets: Sequence[int], share: float) -> float | None:
    """The duration (ms) that this share of the rows did not exceed, estimated inside its bucket."""
    total, seen = sum(buckets), 0
    if not total:
        return None
    for place, number in enumerate(buckets):
        if number and seen + number >= share * total:
            if place == len(BUCKETS):
                break
            start = BUCKETS[place - 1] if place else 0
            return round(start + (BUCKETS[place] - start) * (share * total - seen) / number, 2)
        seen += number
    return float(BUCKETS[-1])


class JobStatisticsQuery(Query):
    """The jobs of one tenant in figures (R029 to R033)."""

    def __init__(self, engine: Any, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._jobs, self._tenant_id = JobQuery(engine, tenant_id), tenant_id

    async def report(self, pending: timedelta, running: timedelta) -> dict[str, Any]:
        """By state, of the last hour, stuck now, the share that succeeded, and how long the oldest waits."""
        counted = counted_rows("jobs")
        states = select(counted.c.status, cast(func.sum(counted.c.number), Integer).label("number"))
        mine = states.where(counted.c.tenant_id == self._tenant_id).group_by(counted.c.status)
        by_state = {row.status: row.number for row in await self.rows(mine) if row.number}
        jobs, statuses = tables.jobs.c, RUN_JOB.statuses
        waiting = jobs.tenant_id == self._tenant_id, jobs.status == statuses.queued
        oldest = func.extract("epoch", func.now() - func.min(jobs.created_at))
        age = await self.scalar(select(oldest).where(*waiting))
        ended = sum(by_state.get(status, 0) for status in ENDED_JOBS if status != CANCELLED)
        return {
            "by_state": by_state,
            **await self._jobs.metrics(pending, running),
            "success_rate": round(by_state.get(statuses.done, 0) / ended, 4) if ended else None,
            "oldest_waiting_seconds": float(age) if age is not None else None,
        }


class CreditQuery(Query):
    """The credits that one tenant spent at paid services (R265)."""

    def __init__(self, engine: Any, tenant_id: UUID) -> None:
        super().__init__(engine)
        self._tenant_id = tenant_id

    async def report(self, days: int) -> dict[str, Any]:
        uses = tables.credit_uses.c
        per_day = await self._sums(days, uses.day)
        return {
            "total": sum(row["spent"] for row in per_day),
            "days": sorted(per_day, key=lambda row: row["day"], reverse=True),
            "domains": await self._sums(days, uses.domain),
            "jobs": await self._sums(days, uses.job_id, uses.job_id != 0),
        }

    async def of_job(self, job_id: int) -> int:
        """All that one job ever spent."""
        uses = tables.credit_uses.c
        mine = uses.tenant_id == self._tenant_id, uses.job_id == job_id
        return int(await self.scalar(select(func.coalesce(func.sum(uses.spent), 0)).where(*mine)))

    async def _sums(self, days: int, column: Any, *conditions: Any) -> list[dict[str, Any]]:
        """The largest sums of the period by a column."""
        uses = tables.credit_uses.c
        spent = cast(func.sum(uses.spent), Integer).label("spent")
        since = cast(func.now() - timedelta(days=days - 1), Date)
        mine = uses.tenant_id == self._tenant_id, uses.day >= since, *conditions
        query = (
            select(column, spent)
            .select_from(tables.credit_uses)
            .where(*mine)
            .group_by(column)
            .order_by(desc(spent), column)
        )
        return await self.dicts(query.limit(max(days, MAX_ROWS)))
