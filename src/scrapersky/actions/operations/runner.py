"""Runs an operation chunk by chunk: rows, journal, cursor and counts of a chunk are committed together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Select, literal, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.operations.changes import DELIVER_CONTACTS, UNDO
from scrapersky.actions.operations.chunks import change_next, restore_next
from scrapersky.actions.operations.exclusions import (
    dequeue_excluded_rows,
    requeue_excluded_rows,
    restore_excluded_rows,
)
from scrapersky.actions.operations.leases import (
    OperationLost,
    finish,
    release,
    renew,
    save_follow_up,
    save_progress,
)
from scrapersky.actions.operations.operation import Operation, Progress
from scrapersky.actions.operations.sends import send_next, withdraw
from scrapersky.declarations import statuses
from scrapersky.engine.database import is_transient, retry_on_deadlock
from scrapersky.engine.outcome import reason_of

DOMAINS_PER_BATCH = 100
MAX_ERROR = 1_000


async def run_operation(engine: AsyncEngine, operation: Operation) -> Operation:
    """Run the operation to its end, or until somebody cancels it; returns it with its counts."""
    try:
        return await _run(engine, operation)
    except OperationLost:
        raise
    except Exception as error:
        await _stop(engine, operation, error)
        raise


async def _run(engine: AsyncEngine, operation: Operation) -> Operation:
    # Whoever ran it before may have died between a chunk and what follows from it.
    operation = await _move_rows_below(engine, operation)
    while not (operation.is_at_end or operation.cancel_requested):
        operation = await _run_chunk(engine, operation)
        operation = await _move_rows_below(engine, operation)
    if not operation.is_at_end or operation.moves_rows_below:
        status = statuses.OPERATION_COMPLETE if operation.is_at_end else statuses.OPERATION_CANCELLED
        async with engine.begin() as connection:
            await finish(connection, operation, status)
    return operation


@retry_on_deadlock
async def _run_chunk(engine: AsyncEngine, operation: Operation) -> Operation:
    async with engine.begin() as connection:
        moved = operation.after(await _chunk(connection, operation))
        is_cancelled = await save_progress(connection, moved)
        if moved.is_at_end and not moved.moves_rows_below:
            await finish(connection, moved, statuses.OPERATION_COMPLETE)
    return replace(moved, cancel_requested=is_cancelled)


async def _chunk(connection: AsyncConnection, operation: Operation) -> Progress:
    if operation.action == DELIVER_CONTACTS:
        return await send_next(connection, operation)
    if operation.action == UNDO:
        # A send changes no column of the contacts.
        return await (restore_next if operation.columns else withdraw)(connection, operation)
    return await change_next(connection, operation)


async def _move_rows_below(engine: AsyncEngine, operation: Operation) -> Operation:
    """Take rows below excluded domains out of their queues, and return those of domains that are not."""
    if not operation.moves_rows_below or operation.followed_cursor == operation.cursor:
        return operation

    async def keep_lease(connection: AsyncConnection, number: int) -> None:
        await renew(connection, operation)

    async with engine.connect() as connection:
        ids = list((await connection.scalars(_changed_domains(operation))).all())
    for start in range(0, len(ids), DOMAINS_PER_BATCH):
        batch, tenant_id = ids[start : start + DOMAINS_PER_BATCH], operation.tenant_id
        await dequeue_excluded_rows(engine, tenant_id=tenant_id, domain_ids=batch, on_batch=keep_lease)
        if operation.action == UNDO:
            await restore_excluded_rows(engine, tenant_id, batch, on_batch=keep_lease)
        else:
            await requeue_excluded_rows(engine, tenant_id, batch, operation.grace, on_batch=keep_lease)
    async with engine.begin() as connection:
        await save_follow_up(connection, operation)
    return replace(operation, followed_cursor=operation.cursor)


def _changed_domains(operation: Operation) -> Select[Any]:
    """The domains of the last chunk; of an undo those that are as before, whoever put them back."""
    journal, domains = tables.operation_rows.c, tables.domains.c
    chosen = (
        select(journal.row_id)
        .where(journal.operation_id == operation.journal_id, journal.row_id <= operation.cursor)
        .order_by(journal.row_id)
    )
    if operation.followed_cursor is not None:
        chosen = chosen.where(journal.row_id > operation.followed_cursor)
    if operation.action != UNDO:
        return chosen
    column = operation.entity.curation_column
    status_before = journal.before.op("->>")(literal(operation.columns.index(column)))
    return chosen.join(tables.domains, domains.id == journal.row_id).where(domains[column] == status_before)


async def _stop(engine: AsyncEngine, operation: Operation, error: Exception) -> None:
    """After an error: others continue if it may pass, otherwise the operation has failed."""
    async with engine.begin() as connection:
        if is_transient(error):
            await release(connection, operation)
        else:
            reason = reason_of(error)[:MAX_ERROR]
            await finish(connection, operation, statuses.OPERATION_FAILED, reason)
