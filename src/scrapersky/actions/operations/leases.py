"""The lease under which one process runs an operation; who has lost it cannot write."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.operations.changes import UNDO
from scrapersky.actions.operations.operation import Operation
from scrapersky.declarations import statuses

# Each chunk renews it, and a chunk has a time limit of its own.
LEASE = timedelta(seconds=30)
# After a database error that may pass, the operation rests for this long.
PAUSE = timedelta(seconds=5)
OPERATIONS = tables.operations


class OperationLost(Exception):
    """Another process runs the operation now, or it was deleted."""


async def claim_operation(engine: AsyncEngine) -> Operation | None:
    """Take an operation of any tenant that nobody runs; needs the engine of the owner."""
    columns = OPERATIONS.c
    is_free = or_(columns.lease_until.is_(None), columns.lease_until < func.now())
    free = select(columns.id).where(columns.finished_at.is_(None), is_free).order_by(columns.id).limit(1)
    chosen = free.with_for_update(skip_locked=True).scalar_subquery()
    values: dict[str, Any] = {
        "lease_token": uuid4(),
        "lease_until": func.now() + LEASE,
        "status": statuses.OPERATION_RUNNING,
        "started_at": func.coalesce(columns.started_at, func.now()),
    }
    async with engine.begin() as connection:
        query = update(OPERATIONS).where(columns.id == chosen).values(values).returning(OPERATIONS)
        row = (await connection.execute(query)).first()
    return None if row is None else Operation.from_row(row)


async def save_progress(connection: AsyncConnection, operation: Operation) -> bool:
    """Write how far the operation is, with the rows of its chunk; returns whether it is to be cancelled."""
    values: dict[str, Any] = {
        "cursor": operation.cursor,
        "changed": operation.changed,
        "queued": operation.queued,
        "skipped": operation.skipped,
        "lease_until": func.now() + LEASE,
    }
    return bool(await _write(connection, operation, values))


async def renew(connection: AsyncConnection, operation: Operation) -> None:
    """Keep the lease for what follows from a chunk, in the transaction of each of its steps."""
    await _write(connection, operation, {"lease_until": func.now() + LEASE})


async def save_follow_up(connection: AsyncConnection, operation: Operation) -> None:
    await _write(connection, operation, {"followed_cursor": operation.cursor})


async def finish(
    connection: AsyncConnection, operation: Operation, status: str, error: str | None = None
) -> None:
    """End the operation; an undo that failed may be tried again."""
    ended: dict[str, Any] = {"status": status, "error": error, "finished_at": func.now(), "lease_until": None}
    if status == statuses.OPERATION_COMPLETE:
        ended["cancel_requested"] = False  # It came too late.
    await _write(connection, operation, {**ended, "lease_token": None})
    if operation.action == UNDO and status == statuses.OPERATION_FAILED:
        undone = OPERATIONS.c.id == operation.undo_of
        status_before = case(
            (OPERATIONS.c.error.is_not(None), statuses.OPERATION_FAILED),
            (OPERATIONS.c.cancel_requested, statuses.OPERATION_CANCELLED),
            else_=statuses.OPERATION_COMPLETE,
        )
        values = {"undone_at": None, "status": status_before}
        await connection.execute(update(OPERATIONS).where(undone).values(values))


async def release(connection: AsyncConnection, operation: Operation) -> None:
    """Let another process continue after a pause."""
    await _write(connection, operation, {"lease_token": None, "lease_until": func.now() + PAUSE})


async def _write(connection: AsyncConnection, operation: Operation, values: dict[str, Any]) -> Any:
    columns = OPERATIONS.c
    mine = columns.id == operation.id, columns.lease_token == operation.token
    query = update(OPERATIONS).where(*mine).values(values).returning(columns.cancel_requested)
    row = (await connection.execute(query)).first()
    if row is None:
        raise OperationLost
    return row.cancel_requested
