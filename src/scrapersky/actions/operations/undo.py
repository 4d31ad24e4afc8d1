"""Takes an operation back, or stops it; both are what a person asks for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.operations.changes import DELIVER_CONTACTS, UNDO
from scrapersky.actions.operations.creation import insert_operation
from scrapersky.actions.operations.operation import Operation
from scrapersky.declarations import statuses
from scrapersky.errors import Conflict, NotFound

OPERATIONS = tables.operations


async def start_undo(engine: AsyncEngine, actor: Actor, operation_id: UUID, *, inline_rows: int) -> Operation:
    """Create the operation that puts the rows back; with more rows than `inline_rows` any process runs it."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, operation_id)
        await _check_undo(connection, row)
        undone = {"undone_at": func.now(), "status": statuses.UNDONE}
        await connection.execute(update(OPERATIONS).where(OPERATIONS.c.id == row.id).values(undone))
        values: dict[str, Any] = {
            "action": UNDO,
            "table_name": row.table_name,
            "value": row.value,
            "journaled_columns": row.journaled_columns,
            "matched": row.changed,
            "undo_of": row.id,
        }
        return await insert_operation(connection, actor, values, is_leased=row.changed <= inline_rows)


async def _check_undo(connection: AsyncConnection, row: Any) -> None:
    if row.action == UNDO:
        raise Conflict("An undo cannot be undone")
    if row.undone_at is not None:
        raise Conflict("The operation is undone already")
    if row.finished_at is None:
        raise Conflict("The operation is still running; cancel it first")
    if row.action == DELIVER_CONTACTS:
        return  # It is taken back by the deliveries that wait, not from a journal.
    journal = tables.operation_rows.c
    # The cleanup deletes a long journal in batches; what is left of it would put back only some rows.
    kept = select(func.count()).select_from(tables.operation_rows).where(journal.operation_id == row.id)
    if (await connection.scalar(kept)) != row.changed:
        raise Conflict("The time in which the operation could be undone is over")


async def cancel_operation(engine: AsyncEngine, actor: Actor, operation_id: UUID) -> None:
    """Stop the operation after its current chunk; what it has changed can be undone."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, operation_id)
        if row.finished_at is not None:
            raise Conflict(f"The operation is {row.status} already")
        if row.action == UNDO:
            raise Conflict("An undo cannot be cancelled")
        values: dict[str, Any] = {"cancel_requested": True}
        if row.started_at is None:
            values |= {"status": statuses.OPERATION_CANCELLED, "finished_at": func.now()}
        elif row.lease_token is None:
            # It rests after an error. Whoever takes it next first does what follows from its last chunk.
            values["lease_until"] = None
        await connection.execute(update(OPERATIONS).where(OPERATIONS.c.id == row.id).values(values))
        await record(
            connection, actor, "operation.cancel", table=OPERATIONS.name, row_id=row.id, operation_id=row.id
        )


async def _lock(connection: AsyncConnection, actor: Actor, operation_id: UUID) -> Any:
    mine = OPERATIONS.c.id == operation_id, OPERATIONS.c.tenant_id == actor.tenant_id
    row = (await connection.execute(select(OPERATIONS).where(*mine).with_for_update())).first()
    if row is None:
        raise NotFound(f"There is no operation {operation_id}")
    return row
