"""The statements that give rows back: finished, failed, for later, renewed, rescued.

Each checks the claim's fencing number and worker; a row that does not come back was lost to somebody else.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DateTime,
    Float,
    Integer,
    Interval,
    Table,
    Text,
    all_,
    and_,
    bindparam,
    case,
    cast,
    false,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    true,
    update,
)
from sqlalchemy import column as plain_column
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import TypeEngine

from scrapersky.engine.claims import column
from scrapersky.engine.database import unnest_rows
from scrapersky.engine.stage import Stage


def _pairs(stage: Stage, **more: TypeEngine[Any]) -> Any:
    """The items to write: id, fencing number and whatever else is given."""
    return unnest_rows(id=stage.table.c.id.type, seq=Integer(), **more)


def _mine(stage: Stage, v: Any) -> tuple[Any, ...]:
    """That a row is still ours by this very claim."""
    queue, table = stage.queue, stage.table
    return (
        table.c.id == v.c.id,
        column(stage, "lease_seq") == v.c.seq,
        column(stage, "worker") == bindparam("me", type_=Integer),
        table.c[queue.status] == literal(queue.statuses.processing),
    )


def _ours(stage: Stage, v: Any) -> Any:
    """Change rows that are still ours; a row locked by somebody else is waited for for :patience at most.

    The limit holds until the transaction ends, so that it covers the rows that are stored with these.
    """
    limit = func.set_config("lock_timeout", bindparam("patience", type_=Text), true())
    return update(stage.table).where(*_mine(stage, v), select(limit).scalar_subquery().is_not(None))


def _stamp(stage: Stage) -> dict[str, Any]:
    return {"updated_at": func.now()} if "updated_at" in stage.table.c else {}


def finish(stage: Stage) -> Any:
    """The given items are done and set no field of their own."""
    return _finish(stage, _pairs(stage), {stage.queue.status: stage.queue.statuses.done})


def finish_with(stage: Stage, fields: tuple[str, ...]) -> Any:
    """The given items are done, each with its own values for `fields` and its own final word."""
    types = {"id": stage.table.c.id.type, "seq": Integer(), "_status": Text()}
    types |= {name: stage.table.c[name].type for name in fields}
    rows = func.jsonb_to_recordset(cast(bindparam("items", type_=Text), JSONB))
    v = rows.table_valued(*(plain_column(name, kind) for name, kind in types.items()), name="v")
    v = v.render_derived(with_types=True)
    return _finish(stage, v, {stage.queue.status: v.c._status, **{name: v.c[name] for name in fields}})


def _finish(stage: Stage, v: Any, values: dict[str, Any]) -> Any:
    queue = stage.queue
    rest = {queue.error: None, queue.column("lease_until"): None, queue.column("finished_at"): func.now()}
    return _ours(stage, v).values({**_stamp(stage), **rest, **values}).returning(stage.table.c.id)


def settle(stage: Stage) -> Any:
    """The given items are not done: each gets its status, reason, next time and whether a retry was used."""
    queue = stage.queue
    more: dict[str, TypeEngine[Any]] = {
        "status": Text(),
        "error": Text(),
        "wait": Interval(),
        "until": DateTime(timezone=True),
    }
    v = _pairs(stage, **more, retried=Integer())
    failed = v.c.status == literal(queue.statuses.failed)
    return (
        _ours(stage, v)
        .values(
            {
                **_stamp(stage),
                queue.status: v.c.status,
                queue.error: v.c.error,
                queue.column("lease_until"): None,
                queue.column("due_at"): func.coalesce(v.c.until, func.now() + v.c.wait),
                queue.column("retries"): column(stage, "retries") + v.c.retried,
                queue.column("finished_at"): case((failed, func.now()), else_=null()),
            }
        )
        .returning(stage.table.c.id)
    )


def unlocked(stage: Stage) -> Any:
    """Those of the given items that are still ours and that nobody else has locked."""
    rows = select(stage.table.c.id).where(*_mine(stage, _pairs(stage)))
    return rows.with_for_update(of=stage.table, skip_locked=True)


def renew(stage: Stage) -> Any:
    """Keep the given items; gives back those that are still ours.

    A row that somebody else has locked is not waited for: the others of the batch would lose their leases.
    """
    table, lease = stage.table, func.now() + bindparam("lease", type_=Interval)
    free = unlocked(stage).cte("free").prefix_with("MATERIALIZED")
    kept = update(table).where(table.c.id == free.c.id).values({stage.queue.column("lease_until"): lease})
    return select(table.c.id).where(*_mine(stage, _pairs(stage))).add_cte(kept.cte("kept"))


def _expired(stage: Stage, workers: Table) -> Any:
    """Up to :n rows whose lease ran out and that nobody holds any more.

    A worker that lives keeps what it holds, even when a lock kept it from renewing the lease; only it knows
    what it does not hold, so it rescues those rows itself.
    """
    table, lease, worker = stage.table, column(stage, "lease_until"), column(stage, "worker")
    held = bindparam("held", type_=ARRAY(table.c.id.type))
    dead = or_(
        workers.c.id.is_(None),
        workers.c.heartbeat_at < func.now() - bindparam("lease", type_=Interval),
        and_(workers.c.id == bindparam("me", type_=Integer), table.c.id != all_(held)),
    )
    # As `Worker.isolate` writes it.
    claim = func.concat(literal(f"{stage.name}:"), table.c.id, ":", column(stage, "lease_seq"))
    alone = workers.c.alone == claim
    lost = (
        select(table.c.id, worker.label("worker"), func.coalesce(alone, false()).label("alone"))
        .select_from(table.outerjoin(workers, workers.c.id == worker))
        .where(lease < func.now(), dead)
        .order_by(lease)
        .limit(bindparam("n", type_=Integer))
    )
    return lost.with_for_update(of=table, skip_locked=True).cte("expired").prefix_with("MATERIALIZED")


def rescue(stage: Stage, zombies: Table, workers: Table) -> Any:
    """Take rows whose lease ran out from their dead workers, and write each down as a zombie.

    Every worker runs it; SKIP LOCKED makes that safe. Many rows are in the hands of a worker that dies, and
    most have done nothing: only a crash while it ran alone counts against a row, and after :max_crashes of
    them it fails. Before its next run it waits as after any failure.
    """
    queue, table = stage.queue, stage.table
    crashes, due = column(stage, "crashes"), queue.column("due_at")
    expired = _expired(stage, workers)
    hopeless = expired.c.alone & (crashes + 1 >= bindparam("max_crashes", type_=Integer))
    doubled = func.power(2, crashes, type_=Float) * bindparam("wait", type_=Interval)
    wait = func.least(doubled, bindparam("longest_wait", type_=Interval))
    freed = (
        update(table)
        .where(table.c.id == expired.c.id)
        .values(
            {
                queue.status: case((hopeless, queue.statuses.failed), else_=queue.statuses.queued),
                queue.error: case((hopeless, "crashed worker"), else_="lease ran out; its worker is gone"),
                queue.column("rescues"): column(stage, "rescues") + 1,
                queue.column("crashes"): crashes + cast(expired.c.alone, Integer),
                due: case((expired.c.alone, func.now() + wait), else_=table.c[due]),
                queue.column("lease_until"): None,
                queue.column("finished_at"): case((hopeless, func.now()), else_=null()),
            }
        )
        .returning(table.c.id, table.c.tenant_id, expired.c.worker, crashes.label("crashes"), expired.c.alone)
        .cte("freed")
    )
    reason = case(
        (freed.c.alone & (freed.c.crashes >= bindparam("max_crashes")), "crashed worker"),
        (freed.c.alone, "worker crashed while it ran nothing else"),
        else_="lease ran out",
    )
    rows = select(
        literal(queue.name), literal(queue.table), cast(freed.c.id, Text), freed.c.tenant_id, freed.c.worker,
        freed.c.crashes, reason,
    )  # fmt: skip
    columns = ["stage", "table_name", "row_id", "tenant_id", "worker", "crashes", "reason"]
    return insert(zombies).from_select(columns, rows).returning(zombies.c.row_id, zombies.c.crashes)
