"""The audit log: its entries, and whether the chain of their hashes is intact."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, and_, desc, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.queries.read_model import TenantRowsQuery, count_up_to

COUNT_LIMIT = 10_000
ENTRIES_AT_ONCE = 5_000
MAX_FAULTS = 100
LOG, VALUES, HEADS = tables.audit_log, tables.audit_values, tables.audit_heads
WITH_VALUES = LOG.outerjoin(
    VALUES, and_(VALUES.c.tenant_id == LOG.c.tenant_id, VALUES.c.number == LOG.c.number)
)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Selects the entries that match all that is set."""

    action: str | None = None
    table_name: str | None = None
    row_id: str | None = None
    user_id: UUID | None = None
    correlation_id: str | None = None
    operation_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        for name in ("action", "table_name", "row_id", "user_id", "correlation_id", "operation_id"):
            if (value := getattr(self, name)) is not None:
                yield LOG.c[name] == value
        if self.since is not None:
            yield LOG.c.created_at >= self.since
        if self.until is not None:
            yield LOG.c.created_at < self.until


@dataclass(frozen=True, slots=True)
class ChainFault:
    """What is wrong at one place of the chain."""

    number: int
    problem: str


@dataclass(slots=True)
class ChainReport:
    """`hash` is that of the last entry; written down elsewhere, it also proves that nobody rebuilt the chain.

    `erased_values` counts entries whose values are no longer there, as they may be.
    """

    entries: int = 0
    first_number: int = 1
    last_number: int = 0
    hash: str = ""
    erased_values: int = 0
    faults: list[ChainFault] = field(default_factory=list)

    @property
    def is_intact(self) -> bool:
        return not self.faults

    def add(self, number: int, problem: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(ChainFault(number, problem))


class AuditQuery(TenantRowsQuery):
    """The audit log of one tenant."""

    async def find(
        self, matching: AuditFilter | None = None, *, after: int | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """A page of entries, the newest first, and the number after which the next page begins."""
        conditions = [LOG.c.tenant_id == self._tenant_id, *(matching or AuditFilter()).conditions()]
        erased = and_(LOG.c.values_hash.is_not(None), VALUES.c.number.is_(None)).label("values_erased")
        columns = [column for column in LOG.c if column.name not in ("tenant_id", "values_hash")]
        query = select(*columns, VALUES.c.before, VALUES.c.after, erased).select_from(WITH_VALUES)
        older = [] if after is None else [LOG.c.number < after]
        page = query.where(*conditions, *older).order_by(desc(LOG.c.number)).limit(limit + 1)
        rows = await self.dicts(page)
        total = await self.scalar(select(count_up_to(LOG, *conditions, limit=COUNT_LIMIT + 1)))
        return {
            "items": rows[:limit],
            "next": rows[limit - 1]["number"] if len(rows) > limit else None,
            "total": min(total, COUNT_LIMIT),
            "total_exact": total <= COUNT_LIMIT,
        }

    async def verify(self) -> ChainReport:
        """Compute every hash of the chain again, from the entries that retention has left."""
        report = ChainReport()
        async with self.snapshot() as connection:
            head = (
                await connection.execute(select(HEADS).where(HEADS.c.tenant_id == self._tenant_id))
            ).first()
            if head is not None:
                report.first_number = head.first_number
            previous: Row[Any] | None = None
            async for entry in self._entries(connection, report.first_number):
                _check(report, previous, entry)
                previous = entry
        _check_end(report, previous, head)
        return report

    async def _entries(self, connection: AsyncConnection, number: int) -> AsyncIterator[Row[Any]]:
        """The entries in their order, with what the database computes of them."""
        values_hash = func.audit_values_hash(VALUES.c.key, VALUES.c.before, VALUES.c.after)
        query = (
            select(
                LOG.c.number,
                LOG.c.hash,
                LOG.c.previous_hash,
                (func.audit_entry_hash(LOG.table_valued()) == LOG.c.hash).label("is_entry_intact"),
                and_(LOG.c.values_hash.is_not(None), VALUES.c.number.is_(None)).label("is_erased"),
                and_(VALUES.c.number.is_not(None), LOG.c.values_hash.is_distinct_from(values_hash)).label(
                    "are_values_changed"
                ),
            )
            .select_from(WITH_VALUES)
            .where(LOG.c.tenant_id == self._tenant_id)
            .order_by(LOG.c.number)
            .limit(ENTRIES_AT_ONCE)
        )
        while rows := (await connection.execute(query.where(LOG.c.number >= number))).all():
            for row in rows:
                yield row
            number = rows[-1].number + 1


def _check(report: ChainReport, previous: Row[Any] | None, entry: Row[Any]) -> None:
    expected = report.first_number if previous is None else previous.number + 1
    if entry.number != expected:
        report.add(expected, "the entry is missing")
    elif previous is not None and entry.previous_hash != previous.hash:
        report.add(entry.number, "the entry does not follow the one before it")
    if not entry.is_entry_intact:
        report.add(entry.number, "the entry was changed")
    if entry.are_values_changed:
        report.add(entry.number, "the values were changed")
    report.entries += 1
    report.erased_values += entry.is_erased


def _check_end(report: ChainReport, last: Row[Any] | None, head: Row[Any] | None) -> None:
    if last is not None:
        report.last_number, report.hash = last.number, last.hash.hex()
    end = (head.number, head.hash) if head is not None else (0, b"")
    # Retention may have left nothing but the head.
    is_empty = last is None and (head is None or head.first_number > head.number)
    if not is_empty and (last is None or (last.number, last.hash) != end):
        report.add(end[0], "the log does not end where its head says")
