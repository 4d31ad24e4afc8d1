"""How far the work on some domains is, stage by stage: what is still open, what is done, what failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import func, select, text

from scrapersky.engine.work import Words, Work
from scrapersky.queries.reading import Reader, among, table_of_work
from scrapersky.tables import works
from scrapersky.tables.counts import queue_rows, stage_counts

# The stages of a domain's journey, and the column that says whose row it is.
JOURNEY: tuple[tuple[Work, str], ...] = (
    (works.METADATA, "id"),
    (works.SITEMAP_ANALYSIS, "id"),
    (works.SITEMAP_JOB, "domain_id"),
    (works.SITEMAP_IMPORT, "domain_id"),
    (works.PAGE_PROCESSING, "domain_id"),
    (works.EMAIL_VALIDATION, "domain_id"),
)
BEFORE: tuple[Work, ...] = (works.PLACE_SEARCH, works.DEEP_SCAN, works.DOMAIN_EXTRACTION)


# What is due later than this is not waited for.
SOON = timedelta(seconds=15)
COUNT_AT_MOST = 10_000


class Progress(Reader):
    async def of_domains(self, ids: Sequence[UUID]) -> dict[str, dict[str, int]]:
        """Counts for these domains."""
        return {work.name: await self._counts(work, key, ids) for work, key in JOURNEY}

    async def of_everything(self) -> dict[str, dict[str, int]]:
        """Counts for all there is, the search for places included."""
        everything = (*BEFORE, *(work for work, _ in JOURNEY))
        works_by_name = {work.name: work for work in everything}
        found = {name: dict.fromkeys(("open", "later", "done", "failed"), 0) for name in works_by_name}
        queued = dict.fromkeys(works_by_name, 0)
        for row in await self.rows(stage_counts(everything)):
            words = works_by_name[row.stage].words
            if row.is_barred:
                continue
            if row.word == words.queued:
                queued[row.stage] += row.number
            elif name := _named(words).get(row.word):
                found[row.stage][name] += row.number
        for name, number in queued.items():
            later = await self._later(works_by_name[name], number) if number else 0
            found[name]["later"] = later
            found[name]["open"] += number - later
        return found

    async def _later(self, work: Work, queued: int) -> int:
        """How many of the queued rows are due later; counted from the end of the queue that is shorter.

        Only when both ends are longer than the limit is the limit told instead.
        """
        due = table_of_work(work).c[work.column("due_at")]
        for is_later in (True, False):
            moment = func.now() + SOON
            rows = queue_rows(work, due > moment if is_later else due <= moment, limit=COUNT_AT_MOST)
            number = int((await self.rows(select(func.count()).select_from(rows)))[0][0])
            if number < COUNT_AT_MOST:
                return number if is_later else max(0, queued - number)
        return COUNT_AT_MOST

    async def _counts(self, work: Work, key: str, ids: Sequence[UUID]) -> dict[str, int]:
        table = table_of_work(work)
        status = table.c[work.status]
        is_later = table.c[work.column("due_at")] > func.now() + SOON
        query: Any = select(
            status.label("word"), is_later.label("later"), func.count().label("number")
        ).group_by(status, is_later)
        if work.only:
            query = query.where(text(work.only))
        query = query.where(among(table.c[key], ids))
        if work.barred:
            query = query.where(table.c[work.barred].not_in(work.barring))
        counts = dict.fromkeys(("open", "later", "done", "failed"), 0)
        names = _named(work.words)
        for row in await self.rows(query):
            name = (
                ("later" if row.later else "open") if row.word == work.words.queued else names.get(row.word)
            )
            if name:
                counts[name] += row.number
        return counts


def _named(words: Words) -> dict[str, str]:
    return {words.processing: "open", words.done: "done", words.failed: "failed"}


def is_over(progress: dict[str, dict[str, int]]) -> bool:
    """Nothing is left that could be done now; what a host asked to do later waits in the database."""
    return not any(counts["open"] for counts in progress.values())
