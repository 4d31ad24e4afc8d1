"""The statements that give rows back: finished, failed, for later, renewed, rescued.

Each checks the claim's fencing number and worker; a row that does not come back was lost to somebody else.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DateTime,
    Integer,
    Interval,
    Table,
    Text,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal,
    null,
    select,
    update,
)
from sqlalchemy import column as plain_column
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from scrapersky.engine.claims import column
from scrapersky.engine.given import given
from scrapersky.engine.stage import Stage


def _pairs(stage: Stage, **more: TypeEngine[Any]) -> Any:
    """The items to write: id, fencing number and whatever else is given."""
    return given(id=stage.table.c.id.type, seq=Integer(), **more)


def _ours(stage: Stage, v: Any) -> Any:
    """Rows that are still ours by this very claim."""
    work, table = stage.work, stage.table
    return update(table).where(
        table.c.id == v.c.id,
        column(stage, "lease_seq") == v.c.seq,
        column(stage, "worker") == bindparam("me", type_=Integer),
        table.c[work.status] == literal(work.words.processing),
    )


def _stamp(stage: Stage) -> dict[str, Any]:
    return {"updated_at": func.now()} if "updated_at" in stage.table.c else {}


def finish(stage: Stage) -> Any:
    """The given items are done and set no field of their own."""
    return _finish(stage, _pairs(stage), {stage.work.status: stage.work.words.done})


def finish_with(stage: Stage, fields: tuple[str, ...]) -> Any:
    """The given items are done, each with its own values for `fields` and its own final word."""
    types = {"id": stage.table.c.id.type, "seq": Integer(), "_status": Text()}
    types |= {name: stage.table.c[name].type for name in fields}
    rows = func.jsonb_to_recordset(cast(bindparam("items", type_=Text), JSONB))
    v = rows.table_valued(*(plain_column(name, kind) for name, kind in types.items()), name="v")
    v = v.render_derived(with_types=True)
    return _finish(stage, v, {stage.work.status: v.c._status, **{name: v.c[name] for name in fields}})


def _finish(stage: Stage, v: Any, values: dict[str, Any]) -> Any:
    work = stage.work
    rest = {work.error: None, work.column("lease_until"): None, work.column("finished_at"): func.now()}
    return _ours(stage, v).values({**_stamp(stage), **rest, **values}).returning(stage.table.c.id)


def settle(stage: Stage) -> Any:
    """The given items are not done: each gets its status, reason, next time and whether a retry was used."""
    work = stage.work
    more: dict[str, TypeEngine[Any]] = {
        "status": Text(),
        "error": Text(),
        "wait": Interval(),
        "until": DateTime(timezone=True),
    }
    v = _pairs(stage, **more, retried=Integer())
    failed = v.c.status == literal(work.words.failed)
    return (
        _ours(stage, v)
        .values(
            {
                **_stamp(stage),
                work.status: v.c.status,
                work.error: v.c.error,
                work.column("lease_until"): None,
                work.column("due_at"): func.coalesce(v.c.until, func.now() + v.c.wait),
                work.column("retries"): column(stage, "retries") + v.c.retried,
                work.column("finished_at"): case((failed, func.now()), else_=null()),
            }
        )
        .returning(stage.table.c.id)
    )


def renew(stage: Stage) -> Any:
    """Keep the given items; gives back those that are still ours."""
    lease = func.now() + bindparam("lease", type_=Interval)
    rows = _ours(stage, _pairs(stage)).values({stage.work.column("lease_until"): lease})
    return rows.returning(stage.table.c.id)


def rescue(stage: Stage, zombies: Table) -> Any:
    """Take up to :n rows whose lease ran out from their dead workers, and write each down as a zombie.

    Every worker runs it; SKIP LOCKED makes that safe. A row that has crashed too often fails.
    """
    work, table = stage.work, stage.table
    crashes = column(stage, "crashes")
    worker = column(stage, "worker").label("worker")
    lost = select(table.c.id, worker).where(column(stage, "lease_until") < func.now())
    lost = lost.order_by(column(stage, "lease_until")).limit(bindparam("n", type_=Integer))
    expired = lost.with_for_update(skip_locked=True).cte("expired").prefix_with("MATERIALIZED")
    hopeless = crashes + 1 >= bindparam("max_crashes", type_=Integer)
    freed = (
        update(table)
        .where(table.c.id == expired.c.id)
        .values(
            {
                work.status: case((hopeless, work.words.failed), else_=work.words.queued),
                work.error: case((hopeless, "crashed worker"), else_="lease ran out; its worker is gone"),
                work.column("crashes"): crashes + 1,
                work.column("lease_until"): None,
                work.column("finished_at"): case((hopeless, func.now()), else_=null()),
            }
        )
        .returning(table.c.id, table.c.tenant_id, expired.c.worker, crashes.label("crashes"))
        .cte("freed")
    )
    reason = case((freed.c.crashes >= bindparam("max_crashes"), "crashed worker"), else_="lease ran out")
    rows = select(
        literal(work.name), literal(work.table), cast(freed.c.id, Text), freed.c.tenant_id, freed.c.worker,
        freed.c.crashes, reason,
    )  # fmt: skip
    columns = ["stage", "table_name", "row_id", "tenant_id", "worker", "crashes", "reason"]
    return insert(zombies).from_select(columns, rows).returning(zombies.c.row_id, zombies.c.crashes)
