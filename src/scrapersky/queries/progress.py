"""The progress of the pipeline by stage, for some domains or for everything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Select, func, select, text

from scrapersky.declarations import StageDeclaration
from scrapersky.declarations.flow import DOMAIN_STAGES, PIPELINE_STAGES, domain_column
from scrapersky.declarations.queue import Queue
from scrapersky.queries.read_model import Query, in_array, queue_table
from scrapersky.tables.counts import queue_rows, stage_counts

# Rows that are due after this are not waited for.
SOON = timedelta(seconds=15)
COUNT_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class StageProgress:
    """Numbers of rows: `open` can be done now or are in work, `later` are queued but not due."""

    open: int = 0
    later: int = 0
    done: int = 0
    failed: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.open or self.later or self.done or self.failed)


class ProgressQuery(Query):
    async def of_domains(self, ids: Sequence[UUID]) -> dict[str, StageProgress]:
        """The progress of these domains."""
        return {stage.name: await self._of_rows(stage, ids) for stage in DOMAIN_STAGES}

    async def of_everything(self) -> dict[str, StageProgress]:
        """The progress of all rows, searches included."""
        counts: dict[str, dict[str | None, int]] = {stage.name: defaultdict(int) for stage in PIPELINE_STAGES}
        for row in await self.rows(stage_counts(PIPELINE_STAGES)):
            if not row.is_excluded:
                counts[row.stage][row.status] += row.number
        progress = {}
        for stage in PIPELINE_STAGES:
            queued = counts[stage.name][stage.statuses.queued]
            later = await self._count_later(stage, queued) if queued else 0
            progress[stage.name] = _progress(stage, counts[stage.name], later)
        return progress

    async def _count_later(self, queue: Queue, queued: int) -> int:
        """The number of queued rows that are not due, counted from the shorter end of the queue.

        If both ends are longer than the limit, it is the limit.
        """
        due = queue_table(queue).c[queue.column("due_at")]
        for is_later in (True, False):
            moment = func.now() + SOON
            rows = queue_rows(queue, due > moment if is_later else due <= moment, limit=COUNT_LIMIT)
            number = int(await self.scalar(select(func.count()).select_from(rows)))
            if number < COUNT_LIMIT:
                return number if is_later else max(0, queued - number)
        return COUNT_LIMIT

    async def _of_rows(self, stage: StageDeclaration, domain_ids: Iterable[UUID]) -> StageProgress:
        counts, later = dict[str | None, int](), 0
        for row in await self.rows(_counts_of_domains(stage, domain_ids)):
            counts[row.status] = counts.get(row.status, 0) + row.number
            if row.is_later and row.status == stage.statuses.queued:
                later += row.number
        return _progress(stage, counts, later)


def _counts_of_domains(stage: StageDeclaration, domain_ids: Iterable[UUID]) -> Select[tuple[str, bool, int]]:
    table = queue_table(stage)
    status = table.c[stage.status].label("status")
    is_later = (table.c[stage.column("due_at")] > func.now() + SOON).label("is_later")
    query = select(status, is_later, func.count().label("number")).group_by(status, is_later)
    query = query.where(in_array(table.c[domain_column(stage)], domain_ids))
    if stage.condition:
        query = query.where(text(stage.condition))
    if stage.excluded_by:
        query = query.where(table.c[stage.excluded_by].not_in(stage.excluded_statuses))
    return query


def _progress(stage: StageDeclaration, counts: Mapping[str | None, int], later: int) -> StageProgress:
    statuses = stage.statuses
    ready = counts.get(statuses.queued, 0) - later
    return StageProgress(
        open=ready + counts.get(statuses.processing, 0),
        later=later,
        done=counts.get(statuses.done, 0),
        failed=counts.get(statuses.failed, 0),
    )


def is_finished(progress: Mapping[str, StageProgress]) -> bool:
    """Nothing can be done now; rows that a host postponed wait in the database."""
    return not any(stage.open for stage in progress.values())
