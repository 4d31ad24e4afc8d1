"""One chunk of an operation: a statement that finds, locks, journals and changes the next rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    ColumnElement,
    Select,
    and_,
    case,
    cast,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.actions.operations.changes import LEASE_ROLE, SIGNATURE, hashed, skip_reasons
from scrapersky.actions.operations.operation import Operation, Progress
from scrapersky.queries.read_model import in_array
from scrapersky.queries.rows.filters import conditions

# One UPDATE and one commit for this many ids (R047), or this many filtered rows (R051).
IDS_PER_CHUNK = 100
ROWS_PER_CHUNK = 1_000
JOURNAL = tables.operation_rows
# The triggers of the queues then let a row return to any status but that of a row in work.
ALLOW_RESTORING = select(func.set_config("scrapersky.undo", "on", True))


async def change_next(connection: AsyncConnection, operation: Operation) -> Progress:
    """Change the next rows of the operation, in the caller's transaction."""
    if operation.ids is not None:
        return await _change_ids(connection, operation, operation.ids)
    return await _change_matching(connection, operation)


async def _change_ids(connection: AsyncConnection, operation: Operation, ids: Sequence[UUID]) -> Progress:
    start = 0 if operation.cursor is None else bisect_right(ids, operation.cursor)
    batch = list(ids[start : start + IDS_PER_CHUNK])
    chosen = _lock(operation).where(in_array(operation.entity.table.c.id, batch))
    row = (await connection.execute(_change(operation, chosen.cte("chosen")))).one()
    missing = {"not_found": len(batch) - row.changed} if row.changed < len(batch) else {}
    return Progress(
        changed=row.changed,
        queued=row.queued,
        skipped=_reasons(row) | missing,
        cursor=batch[-1] if batch else None,
        is_last=start + IDS_PER_CHUNK >= len(ids),
    )


async def _change_matching(connection: AsyncConnection, operation: Operation) -> Progress:
    columns = operation.entity.table.c
    following = select(columns.id).where(*_matching(operation)).order_by(columns.id).limit(ROWS_PER_CHUNK)
    if operation.cursor is not None:
        following = following.where(columns.id > operation.cursor)
    # A row that ceases to match while we wait for its lock is not changed, but the cursor passes it.
    batch = following.cte("batch")
    chosen = _lock(operation).join(batch, columns.id == batch.c.id)
    last = select(batch.c.id).order_by(batch.c.id.desc()).limit(1).scalar_subquery()
    seen = select(func.count()).select_from(batch).scalar_subquery()
    statement = _change(operation, chosen.cte("chosen")).add_columns(last.label("last"), seen.label("seen"))
    row = (await connection.execute(statement)).one()
    return Progress(
        changed=row.changed,
        queued=row.queued,
        skipped=_reasons(row),
        cursor=row.last,
        is_last=row.seen < ROWS_PER_CHUNK,
    )


def _matching(operation: Operation) -> list[ColumnElement[bool]]:
    """Rows that came after the decision are not part of it."""
    columns = operation.entity.table.c
    matching = conditions(operation.entity, operation.tenant_id, operation.filters)
    return [*matching, columns.created_at <= operation.created_at]


def _lock(operation: Operation) -> Select[Any]:
    """The rows with their values before, locked by ascending id, so that two operations cannot deadlock."""
    table, change = operation.entity.table, operation.change
    before = func.jsonb_build_array(*(table.c[name] for name in operation.columns))
    query = select(table.c.id, before.label("before"), *change.permissions()).where(*_matching(operation))
    return query.order_by(table.c.id).with_for_update(key_share=True, of=table)


def _change(operation: Operation, chosen: CTE) -> Any:
    """Update the chosen rows, add them to the journal, and count."""
    table, change = operation.entity.table, operation.change
    stage = change.counted_stage
    status = literal(None) if stage is None else table.c[stage.status]
    changed = (
        update(table)
        .where(table.c.id == chosen.c.id)
        .values(change.values(chosen))
        .returning(
            table.c.id,
            chosen.c.before,
            hashed(operation.entity, operation.columns).label("after_hash"),
            status.label("status"),
        )
        .cte("changed")
    )
    rows = select(
        literal(operation.id),
        changed.c.id,
        literal(operation.tenant_id),
        func.now(),
        changed.c.after_hash,
        changed.c.before,
    )
    names = ["operation_id", "row_id", "tenant_id", "changed_at", "after_hash", "before"]
    journal = insert(JOURNAL).from_select(names, rows, include_defaults=False).cte("journal")
    is_queued = literal(False) if stage is None else changed.c.status == stage.statuses.queued
    counts = {"queued": is_queued, **skip_reasons(change, changed)}
    return (
        select(
            func.count().label("changed"),
            *(func.count().filter(condition).label(name) for name, condition in counts.items()),
        )
        .select_from(changed)
        .add_cte(journal)
    )


def _reasons(row: Any) -> dict[str, int]:
    names = ("in_work", "no_email", "domain_excluded", "taken", "changed_since", "deleted")
    return {name: getattr(row, name) for name in names if getattr(row, name, 0)}


async def restore_next(connection: AsyncConnection, operation: Operation) -> Progress:
    """Put the next rows of the journal back, where they are still as the operation left them."""
    await connection.execute(ALLOW_RESTORING)
    row = (await connection.execute(_restore(operation))).one()
    return Progress(
        changed=row.restored,
        skipped=_reasons(row),
        cursor=row.last,
        is_last=row.seen < ROWS_PER_CHUNK,
    )


def _restore(operation: Operation) -> Any:
    entity, table = operation.entity, operation.entity.table
    following = select(JOURNAL.c.row_id, JOURNAL.c.before, JOURNAL.c.after_hash, JOURNAL.c.changed_at).where(
        JOURNAL.c.operation_id == operation.undo_of, JOURNAL.c.tenant_id == operation.tenant_id
    )
    if operation.cursor is not None:
        following = following.where(JOURNAL.c.row_id > operation.cursor)
    batch = following.order_by(JOURNAL.c.row_id).limit(ROWS_PER_CHUNK).cte("batch")
    locked = (
        select(
            table.c.id,
            batch.c.before,
            batch.c.changed_at,
            and_(
                hashed(entity, operation.columns) == batch.c.after_hash, ~_decided_again(operation, batch)
            ).label("is_unchanged"),
            _was_taken(operation, batch).label("was_taken"),
        )
        .join(batch, table.c.id == batch.c.row_id)
        .where(table.c.tenant_id == operation.tenant_id)
        .order_by(table.c.id)
        .with_for_update(key_share=True, of=table)
        .cte("locked")
    )
    restored = (
        update(table)
        .where(table.c.id == locked.c.id, locked.c.is_unchanged)
        .values(_values_before(operation, locked))
        .returning(table.c.id)
        .cte("restored")
    )
    is_lost = ~locked.c.is_unchanged
    return select(
        select(func.count()).select_from(restored).scalar_subquery().label("restored"),
        select(func.count()).select_from(batch).scalar_subquery().label("seen"),
        select(batch.c.row_id).order_by(batch.c.row_id.desc()).limit(1).scalar_subquery().label("last"),
        func.count().filter(and_(is_lost, locked.c.was_taken)).label("taken"),
        func.count().filter(and_(is_lost, ~locked.c.was_taken)).label("changed_since"),
        (select(func.count()).select_from(batch).scalar_subquery() - func.count()).label("deleted"),
    ).select_from(locked)


def _decided_again(operation: Operation, batch: CTE) -> ColumnElement[bool]:
    """Whether a later decision about the same columns still stands, even one with the same outcome."""
    later, row = tables.operations.alias("later"), JOURNAL.alias("later_row")
    compared = [name for name in operation.columns if name not in SIGNATURE]
    exists = (
        select(row.c.row_id)
        .join(later, later.c.id == row.c.operation_id)
        .where(
            later.c.tenant_id == operation.tenant_id,
            later.c.table_name == operation.entity.table.name,
            later.c.undone_at.is_(None),
            later.c.journaled_columns.overlap(compared),
            row.c.row_id == batch.c.row_id,
            row.c.changed_at > batch.c.changed_at,
        )
        .exists()
    )
    # Every decision writes the time of the change, so that most rows need no look at other journals.
    is_last_change = operation.entity.table.c.updated_at == batch.c.changed_at
    return case((is_last_change, false()), else_=exists)


def _was_taken(operation: Operation, batch: CTE) -> ColumnElement[bool]:
    """Whether a worker has claimed the row since."""
    columns = operation.entity.table.c
    taken = [
        columns[name] != _value(batch, place, columns[name])
        for place, name in enumerate(operation.columns)
        if name.endswith(LEASE_ROLE)
    ]
    return or_(false(), *taken)


def _value(source: Any, place: int, column: Any) -> ColumnElement[Any]:
    """One journaled value, as the column holds it."""
    return cast(source.c.before.op("->>")(literal(place)), column.type)


def _values_before(operation: Operation, locked: CTE) -> dict[str, Any]:
    columns = operation.entity.table.c
    values = {
        name: _value(locked, place, columns[name])
        for place, name in enumerate(operation.columns)
        if not name.endswith(LEASE_ROLE)
    }
    # Where something else has changed the row meanwhile, the time of that change is not taken back.
    is_last_change = columns.updated_at == locked.c.changed_at
    return values | {"updated_at": case((is_last_change, values["updated_at"]), else_=func.now())}
