"""Dead letters: rows that failed permanently, with reason, tries, traceback and the crashes of workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    case,
    cast,
    desc,
    func,
    literal,
    select,
    text,
    tuple_,
    union_all,
)

from scrapersky import tables
from scrapersky.declarations import DECLARATIONS, StageDeclaration, statuses
from scrapersky.engine.rescue import CRASH_CLASS
from scrapersky.errors import InvalidInput, NotFound
from scrapersky.queries.read_model import TenantRowsQuery, get_declaration, is_dead_letter, queue_table

OPEN = statuses.INVESTIGATION[0]
COUNT_LIMIT = 10_000
CRASHES = text("SELECT * FROM zombies WHERE stage = :stage AND row_id = :row_id ORDER BY id")
FAILURE = text("""
SELECT error_class, attempts, traceback FROM failures
WHERE tenant_id = :tenant_id AND stage = :stage AND row_id = :row_id
""")
INVESTIGATION = text("""
SELECT state, owner_id, note, created_at, updated_at FROM investigations
WHERE tenant_id = :tenant_id AND stage = :stage AND row_id = :row_id
""")
NOT_INVESTIGATED = {"state": OPEN, "owner_id": None, "note": "", "created_at": None, "updated_at": None}


@dataclass(frozen=True, slots=True)
class DeadLetterFilter:
    """Which dead letters: all parts must match; `contains` and `domain` are text anywhere."""

    stage: str | None = None
    error_class: str | None = None
    domain: str | None = None
    state: str | None = None
    contains: str | None = None


class Position(NamedTuple):
    """The last dead letter of a page."""

    failed_at: datetime
    stage: str
    row_id: str


class DeadLetterQuery(TenantRowsQuery):
    """The dead letters of one tenant."""

    async def newest(self, stage: str, *, contains: str = "", limit: int = 100) -> list[dict[str, Any]]:
        """The newest dead letters of a stage; `contains` is literal text in the reason."""
        declaration = get_declaration(stage)
        columns = queue_table(declaration).c
        query = select(
            columns.id,
            columns.tenant_id,
            columns[declaration.error].label("reason"),
            columns[declaration.column("retries")].label("retries"),
            columns[declaration.column("crashes")].label("crashes"),
            columns[declaration.column("finished_at")].label("failed_at"),
        ).where(*dead_letters(declaration, self._tenant_id, contains))
        rows = await self.dicts(query.order_by(desc("failed_at")).limit(limit))
        return [{"stage": stage, **row} for row in rows]

    async def find(
        self, matching: DeadLetterFilter, *, after: Position | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """A page of dead letters of all stages, the newest first, and where the next page begins."""
        stages = [_known_stage(matching.stage)] if matching.stage else DECLARATIONS
        rows = await self.dicts(self._page(stages, matching, after, limit + 1))
        counted = union_all(*(self._letters(stage, matching).limit(COUNT_LIMIT + 1) for stage in stages))
        total = await self.scalar(select(func.count()).select_from(counted.subquery()))
        last = rows[limit - 1] if len(rows) > limit else None
        return {
            "items": rows[:limit],
            "next": Position(last["failed_at"], last["stage"], last["id"]) if last else None,
            "total": min(total, COUNT_LIMIT),
            "total_exact": total <= COUNT_LIMIT,
        }

    def _page(
        self,
        stages: Sequence[StageDeclaration],
        matching: DeadLetterFilter,
        position: Position | None,
        limit: int,
    ) -> Any:
        order: tuple[ColumnElement[Any], ...] = desc("failed_at"), desc("stage"), desc("id")
        parts = []
        for stage in stages:
            letters = self._letters(stage, matching, position)
            parts.append(letters.order_by(*order).limit(limit))
        return union_all(*(select(part.subquery()) for part in parts)).order_by(*order).limit(limit)

    def _letters(
        self, stage: StageDeclaration, matching: DeadLetterFilter, position: Position | None = None
    ) -> Select[Any]:
        columns, failures, notes = queue_table(stage).c, tables.failures.c, tables.investigations.c
        crashes = columns[stage.column("crashes")]
        row_id = cast(columns.id, Text)
        error_class = func.coalesce(failures.error_class, case((crashes > 0, CRASH_CLASS)))
        host = columns[stage.host] if stage.host else literal(None, Text)
        domain = func.coalesce(failures.domain, host)
        state = func.coalesce(notes.state, OPEN)
        failed_at = func.coalesce(columns[stage.column("finished_at")], datetime.fromtimestamp(0, UTC))
        query = (
            select(
                literal(stage.name).label("stage"),
                row_id.label("id"),
                columns[stage.error].label("reason"),
                error_class.label("error_class"),
                domain.label("domain"),
                columns[stage.column("retries")].label("retries"),
                failures.attempts.label("attempts"),
                crashes.label("crashes"),
                failed_at.label("failed_at"),
                state.label("state"),
                notes.owner_id.label("owner_id"),
                notes.note.label("note"),
            )
            .select_from(queue_table(stage))
            .outerjoin(tables.failures, _same_row(tables.failures, stage))
            .outerjoin(tables.investigations, _same_row(tables.investigations, stage))
            .where(*dead_letters(stage, self._tenant_id, matching.contains or ""))
        )
        if matching.error_class:
            query = query.where(error_class == matching.error_class)
        if matching.domain:
            query = query.where(domain.icontains(matching.domain, autoescape=True))
        if matching.state:
            query = query.where(state == matching.state)
        if position:
            query = query.where(tuple_(failed_at, literal(stage.name), row_id) < tuple_(*position))
        return query

    async def count(self, stage: str, *, contains: str = "") -> int:
        """The number of dead letters of a stage, or of those with this text in their reason."""
        declaration = get_declaration(stage)
        query = select(func.count()).select_from(queue_table(declaration))
        return int(await self.scalar(query.where(*dead_letters(declaration, self._tenant_id, contains))))

    async def show(self, stage: str, row_id: str) -> dict[str, Any]:
        """One whole row, with the traceback of its failure, the crashes of its workers and the notes."""
        declaration, row_id = get_declaration(stage), row_id.lower()
        table = queue_table(declaration)
        query = select(table).where(table.c.tenant_id == self._tenant_id, cast(table.c.id, Text) == row_id)
        rows = await self.dicts(query)
        if not rows:
            raise NotFound(f"There is no row {row_id} in {declaration.table}")
        [row] = rows
        crashes = await self.dicts(CRASHES, {"stage": stage, "row_id": row_id})
        params = {"tenant_id": self._tenant_id, "stage": stage, "row_id": row_id}
        is_failed = row[declaration.status] == declaration.statuses.failed
        failures = await self.dicts(FAILURE, params) if is_failed else []
        notes = await self.dicts(INVESTIGATION, params)
        failure = failures[0] if failures else _crash_failure(declaration, row) if is_failed else {}
        investigation = notes[0] if notes else NOT_INVESTIGATED
        return {**row, "crash_history": crashes, "investigation": investigation, **failure}


def _crash_failure(stage: StageDeclaration, row: dict[str, Any]) -> dict[str, Any]:
    """What is known about a row that failed without an exception: its workers died."""
    crashes = row[stage.column("crashes")]
    if not crashes:
        return {}
    attempts = row[stage.column("retries")] + row[stage.column("rescues")]
    return {
        "error_class": CRASH_CLASS,
        "attempts": attempts,
        "traceback": f"{crashes} worker processes died while each ran nothing but this row. A process that"
        " dies leaves no traceback; the times and workers are in the crash history.",
    }


def _same_row(notes: Any, stage: StageDeclaration) -> Any:
    table = queue_table(stage).c
    is_same = notes.c.tenant_id == table.tenant_id, notes.c.row_id == cast(table.id, Text)
    return and_(*is_same, notes.c.stage == stage.name)


def dead_letters(stage: StageDeclaration, tenant_id: UUID, contains: str = "") -> list[ColumnElement[bool]]:
    """The conditions of a tenant's dead letters, with this text in their reason if there is any."""
    columns = queue_table(stage).c
    conditions = [is_dead_letter(stage), columns.tenant_id == tenant_id]
    return [*conditions, columns[stage.error].contains(contains, autoescape=True)] if contains else conditions


def _known_stage(name: str) -> StageDeclaration:
    """The stage of a filter: a wrong name is a wrong value, not a missing row."""
    try:
        return get_declaration(name)
    except NotFound as error:
        raise InvalidInput(str(error)) from None
