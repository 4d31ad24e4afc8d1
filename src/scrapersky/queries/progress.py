"""How far the work on some domains is, stage by stage: what is still open, what is done, what failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text

from scrapersky.declarations import (
    DEEP_SCAN,
    DISCOVER_SITEMAPS,
    EXTRACT_DOMAIN,
    IMPORT_SITEMAP,
    READ_METADATA,
    READ_PAGE,
    SEARCH_PLACES,
    SUBMIT_DOMAIN,
    VALIDATE_EMAIL,
)
from scrapersky.declarations.queue import Queue, StatusSet
from scrapersky.queries.read_model import Query, in_array, queue_table
from scrapersky.tables.counts import queue_rows, stage_counts

# The stages of a domain's journey, and the column that says whose row it is.
JOURNEY: tuple[tuple[Queue, str], ...] = (
    (READ_METADATA, "id"),
    (SUBMIT_DOMAIN, "id"),
    (DISCOVER_SITEMAPS, "domain_id"),
    (IMPORT_SITEMAP, "domain_id"),
    (READ_PAGE, "domain_id"),
    (VALIDATE_EMAIL, "domain_id"),
)
BEFORE: tuple[Queue, ...] = (SEARCH_PLACES, DEEP_SCAN, EXTRACT_DOMAIN)


# What is due later than this is not waited for.
SOON = timedelta(seconds=15)
COUNT_AT_MOST = 10_000


class ProgressQuery(Query):
    async def of_domains(self, ids: Sequence[UUID]) -> dict[str, dict[str, int]]:
        """Counts for these domains."""
        return {queue.name: await self._counts(queue, key, ids) for queue, key in JOURNEY}

    async def of_everything(self) -> dict[str, dict[str, int]]:
        """Counts for all there is, the search for places included."""
        everything = (*BEFORE, *(queue for queue, _ in JOURNEY))
        works_by_name = {queue.name: queue for queue in everything}
        found = {name: dict.fromkeys(("open", "later", "done", "failed"), 0) for name in works_by_name}
        queued = dict.fromkeys(works_by_name, 0)
        for row in await self.rows(stage_counts(everything)):
            statuses = works_by_name[row.stage].statuses
            if row.is_excluded:
                continue
            if row.status == statuses.queued:
                queued[row.stage] += row.number
            elif name := _named(statuses).get(row.status):
                found[row.stage][name] += row.number
        for name, number in queued.items():
            later = await self._later(works_by_name[name], number) if number else 0
            found[name]["later"] = later
            found[name]["open"] += number - later
        return found

    async def _later(self, queue: Queue, queued: int) -> int:
        """How many of the queued rows are due later; counted from the end of the queue that is shorter.

        Only when both ends are longer than the limit is the limit told instead.
        """
        due = queue_table(queue).c[queue.column("due_at")]
        for is_later in (True, False):
            moment = func.now() + SOON
            rows = queue_rows(queue, due > moment if is_later else due <= moment, limit=COUNT_AT_MOST)
            number = int((await self.rows(select(func.count()).select_from(rows)))[0][0])
            if number < COUNT_AT_MOST:
                return number if is_later else max(0, queued - number)
        return COUNT_AT_MOST

    async def _counts(self, queue: Queue, key: str, ids: Sequence[UUID]) -> dict[str, int]:
        table = queue_table(queue)
        status = table.c[queue.status]
        is_later = table.c[queue.column("due_at")] > func.now() + SOON
        query: Any = select(
            status.label("word"), is_later.label("later"), func.count().label("number")
        ).group_by(status, is_later)
        if queue.condition:
            query = query.where(text(queue.condition))
        query = query.where(in_array(table.c[key], ids))
        if queue.excluded_by:
            query = query.where(table.c[queue.excluded_by].not_in(queue.excluded_statuses))
        counts = dict.fromkeys(("open", "later", "done", "failed"), 0)
        names = _named(queue.statuses)
        for row in await self.rows(query):
            name = (
                ("later" if row.later else "open")
                if row.status == queue.statuses.queued
                else names.get(row.status)
            )
            if name:
                counts[name] += row.number
        return counts


def _named(statuses: StatusSet) -> dict[str, str]:
    return {statuses.processing: "open", statuses.done: "done", statuses.failed: "failed"}


def is_finished(progress: dict[str, dict[str, int]]) -> bool:
    """Nothing is left that could be done now; what a host asked to do later waits in the database."""
    return not any(counts["open"] for counts in progress.values())
