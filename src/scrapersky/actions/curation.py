"""Curation: decisions about rows, made at once; each is an operation that can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.hosts import end_pauses_of
from scrapersky.actions.operations import (
    CURATE,
    RESET,
    RUN,
    Decision,
    Operation,
    check_expected,
    count_rows,
    create_operation,
    run_operation,
    start_undo,
)
from scrapersky.declarations import READ_PAGE, statuses
from scrapersky.queries.read_model import in_array
from scrapersky.queries.rows.entities import ENTITIES, Entity
from scrapersky.queries.rows.filters import NONE, Filters

# Up to this many rows the caller waits for the end; more are left to a process in the background.
INLINE_ROWS = 5_000
# A list of ids is answered with its counts (R048), as long as that takes seconds.
INLINE_IDS = 10_000
# Why an undo leaves rows as they are.
UNDO_REASONS = {
    "taken": "{} already processed",
    "changed_since": "{} changed since",
    "deleted": "{} deleted",
}


@dataclass(frozen=True, slots=True)
class CurationResult:
    """The number of changed rows, and of those that are queued now; no row, no operation."""

    operation_id: UUID | None
    matched: int
    updated: int
    queued: int
    skipped: dict[str, int]
    is_finished: bool

    def as_dict(self) -> dict[str, int]:
        return {"updated": self.updated, "queued": self.queued}


async def curate(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    curation_status: str,
    *,
    ids: Sequence[UUID] | None = None,
    filters: Filters | None = None,
) -> CurationResult:
    """Set the curation status of rows; Selected also queues them (R012, R050, R139, R152).

    Rows that wait below an excluded domain leave their queue, and return when the domain is no longer
    excluded. Rows in work are not interrupted.
    """
    decision = Decision(entity=entity, action=CURATE, value=curation_status, ids=ids or None, filters=filters)
    return await decide(engine, actor, decision)


async def run_now(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] | None = None,
    filters: Filters | None = None,
) -> CurationResult:
    """Queue rows at the head of their queue, whatever their status; the curation status is kept."""
    return await decide(engine, actor, Decision(entity=entity, action=RUN, ids=ids or None, filters=filters))


async def reset(
    engine: AsyncEngine,
    actor: Actor,
    entity: Entity,
    *,
    ids: Sequence[UUID] | None = None,
    filters: Filters | None = None,
) -> CurationResult:
    """Reset rows to the state of a new row: status New, no error, no tries; rows in work are skipped."""
    return await decide(
        engine, actor, Decision(entity=entity, action=RESET, ids=ids or None, filters=filters)
    )


def unread_pages(expected: int | None = None) -> Decision:
    """Read every page that is not read automatically: of the lowest priority and never queued (R258)."""
    entity = ENTITIES["page"]
    readable = [status for status in statuses.CURATION if status not in statuses.EXCLUDED]
    filters = Filters(priority_level=3, **{READ_PAGE.status: NONE, entity.curation_column: readable})
    return Decision(entity=entity, action=RUN, filters=filters, expected=expected)


async def decide(
    engine: AsyncEngine, actor: Actor, decision: Decision, *, in_background: bool = False
) -> CurationResult:
    """Make the decision; with `in_background` one about very many rows is left to another process."""
    decision.check()
    is_named = decision.ids is not None and decision.expected is None
    matched = len(set(decision.ids or ())) if is_named else await count_rows(engine, actor, decision)
    check_expected(decision.expected, matched)
    if not matched:
        return CurationResult(None, 0, 0, 0, {}, is_finished=True)
    if is_named and not await count_rows(engine, actor, decision):
        return CurationResult(None, matched, 0, 0, {"not_found": matched}, is_finished=True)
    limit = INLINE_ROWS if decision.ids is None else INLINE_IDS
    is_large = in_background and matched > limit
    operation = await create_operation(engine, actor, decision, matched=matched, is_leased=not is_large)
    if is_large:
        return _result(operation, is_finished=False)
    done = await run_operation(engine, operation)
    if decision.action == RUN and decision.ids is not None:
        await _end_pauses(engine, actor, decision)
    return _result(done)


async def undo(
    engine: AsyncEngine, actor: Actor, operation_id: UUID, *, in_background: bool = False
) -> CurationResult:
    """Put rows back that are still as the operation left them."""
    inline_rows = INLINE_ROWS if in_background else 2**31
    operation = await start_undo(engine, actor, operation_id, inline_rows=inline_rows)
    if operation.token is None:
        return _result(operation, is_finished=False)
    return _result(await run_operation(engine, operation))


def describe_undo(result: CurationResult) -> str:
    """What an undo has put back and what it has left, in one sentence."""
    if not result.is_finished:
        return f"{result.matched:,} rows are being put back"
    reasons = [UNDO_REASONS[reason].format(f"{number:,}") for reason, number in result.skipped.items()]
    done = f"{result.updated:,} of {result.matched:,} put back"
    return f"{done}; {', '.join(reasons)}" if reasons else done


async def _end_pauses(engine: AsyncEngine, actor: Actor, decision: Decision) -> None:
    host, columns = decision.entity.first_stage.host, decision.entity.table.c
    if host is not None:
        mine = columns.tenant_id == actor.tenant_id, in_array(columns.id, decision.ids or ())
        await end_pauses_of(engine, select(columns[host]).where(*mine))


def _result(operation: Operation, *, is_finished: bool = True) -> CurationResult:
    return CurationResult(
        operation_id=operation.id,
        matched=operation.matched,
        updated=operation.changed,
        queued=operation.queued,
        skipped=operation.skipped,
        is_finished=is_finished,
    )
