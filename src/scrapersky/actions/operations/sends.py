"""One chunk of a send: the next contacts become deliveries to one destination, or are left out."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.actions.operations.operation import Operation, Progress
from scrapersky.declarations import DELIVER
from scrapersky.queries.delivery.left_out import chosen_contacts, reason_left_out

CONTACTS_PER_CHUNK = 1_000
DELIVERIES = tables.deliveries
# The triggers of the queue then let a row return to the end that it had before.
ALLOW_RESTORING = select(func.set_config("scrapersky.undo", "on", True))


async def send_next(connection: AsyncConnection, operation: Operation) -> Progress:
    """Queue the next contacts of the operation, in the caller's transaction."""
    contacts = tables.contacts.c
    ids = _next_ids(operation)
    kind = str(operation.options["kind"])
    reason = reason_left_out(kind, operation.options.get("include", ())).label("reason")
    chosen = (
        chosen_contacts(operation.tenant_id, operation.filters, ids)
        .add_columns(reason)
        .where(contacts.created_at <= operation.created_at)
        .order_by(contacts.id)
        .limit(CONTACTS_PER_CHUNK)
    )
    if operation.cursor is not None:
        chosen = chosen.where(contacts.id > operation.cursor)
    rows = (await connection.execute(chosen)).all()
    sent = [row.id for row in rows if row.reason is None]
    queued = await _queue(connection, operation, sent)
    skipped: dict[str, int] = {}
    for row in rows:
        if row.reason is not None:
            skipped[row.reason] = skipped.get(row.reason, 0) + 1
    if queued < len(sent):
        skipped["in_work"] = len(sent) - queued
    return Progress(
        changed=queued,
        queued=queued,
        skipped=skipped,
        cursor=(ids[-1] if ids else None) if ids is not None else (rows[-1].id if rows else None),
        is_last=len(ids if ids is not None else rows) < CONTACTS_PER_CHUNK,
    )


def _next_ids(operation: Operation) -> list[UUID] | None:
    if operation.ids is None:
        return None
    start = 0 if operation.cursor is None else bisect_right(operation.ids, operation.cursor)
    return list(operation.ids[start : start + CONTACTS_PER_CHUNK])


async def _queue(connection: AsyncConnection, operation: Operation, ids: list[UUID]) -> int:
    """A contact that was delivered before is delivered again: it may have changed since."""
    if not ids:
        return 0
    again: dict[str, Any] = {
        DELIVER.status: DELIVER.statuses.queued,
        DELIVER.error: None,
        DELIVER.column("due_at"): func.now() + operation.grace,
        **{DELIVER.column(role): 0 for role in ("retries", "rescues", "crashes")},
        "operation_id": operation.id,
        "updated_at": func.now(),
    }
    rows = [
        {
            "tenant_id": operation.tenant_id,
            "contact_id": identifier,
            "destination_id": UUID(str(operation.value)),
            "created_by": operation.user_id,
            "operation_id": operation.id,
            "due_at": func.now() + operation.grace,
        }
        for identifier in ids
    ]
    statement = (
        insert(DELIVERIES)
        .values(rows)
        .on_conflict_do_update(
            index_elements=["contact_id", "destination_id", "tenant_id"],
            set_=again,
            where=DELIVERIES.c.status.is_distinct_from(DELIVER.statuses.processing),
        )
        .returning(literal(1))
    )
    return len((await connection.execute(statement)).all())


async def withdraw(connection: AsyncConnection, operation: Operation) -> Progress:
    """Take back what still waits; what was sent cannot be taken back."""
    columns = DELIVERIES.c
    mine = columns.operation_id == operation.undo_of, columns.tenant_id == operation.tenant_id
    waits = columns.status == DELIVER.statuses.queued
    await connection.execute(ALLOW_RESTORING)
    kept = update(DELIVERIES).where(*mine, waits, columns.external_id.is_not(None))
    again = await connection.execute(kept.values(status=DELIVER.statuses.done, updated_at=func.now()))
    gone = await connection.execute(delete(DELIVERIES).where(*mine, waits))
    back = again.rowcount + gone.rowcount
    taken = operation.matched - back
    return Progress(changed=back, skipped={"taken": taken} if taken > 0 else {}, is_last=True)
