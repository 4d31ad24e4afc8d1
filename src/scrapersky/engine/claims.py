"""The statements that take rows: a fair batch, or the best rows of hosts that are due.

Each is one statement on partial indexes. The pick is a MATERIALIZED expression of its own: written as
`id IN (SELECT … LIMIT n)` the planner may repeat it per row and claim everything.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import (
    CTE,
    Boolean,
    Integer,
    Interval,
    Select,
    SmallInteger,
    Table,
    Text,
    TextClause,
    bindparam,
    case,
    func,
    literal,
    null,
    select,
    text,
    true,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, array
from sqlalchemy.sql.elements import ColumnElement

from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import unnest_rows
from scrapersky.engine.stage import Stage

PRIORITIES = (1, 2, 3)


def column(stage: Stage, role: str) -> ColumnElement[Any]:
    return stage.table.c[stage.queue.column(role)]


def claimable(queue: Queue) -> TextClause:
    """As the partial indexes say it, word for word; otherwise the planner cannot use them."""
    return text(queue.claimable())


def _due(stage: Stage) -> ColumnElement[bool]:
    return column(stage, "due_at") <= func.now()


def _order(stage: Stage) -> list[ColumnElement[Any]]:
    first = [stage.table.c[stage.queue.priority]] if stage.queue.priority else []
    return [*first, column(stage, "due_at")]


def _materialized(query: Select[Any], name: str) -> CTE:
    return query.cte(name).prefix_with("MATERIALIZED", dialect="postgresql")


def _take(stage: Stage, picked: CTE) -> Any:
    """Mark the picked rows as ours under the database's clock and hand them out."""
    table, queue = stage.table, stage.queue
    given = [table.c.id, table.c.tenant_id, column(stage, "lease_seq"), column(stage, "retries")]
    given += [column(stage, "crashes"), column(stage, "rescues"), *_order(stage)]
    given += [table.c[name] for name in (queue.max_retries, queue.host) if name]
    names = {item.name for item in given}
    given += [table.c[name] for name in dict.fromkeys(stage.reads) if name not in names]
    return (
        update(table)
        .where(table.c.id == picked.c.id)
        .values(
            {
                queue.status: queue.statuses.processing,
                queue.error: None,
                queue.column("lease_seq"): column(stage, "lease_seq") + 1,
                queue.column("lease_until"): func.now() + bindparam("lease", type_=Interval),
                queue.column("worker"): bindparam("me", type_=Integer),
            }
        )
        .returning(*given)
    )


def _wanted(stage: Stage, named: bool) -> list[ColumnElement[bool]]:
    """Which rows may be claimed at all; of `named` ones only those in :ids."""
    conditions: list[Any] = [claimable(stage.queue)]
    if named:
        column_id = stage.table.c.id
        conditions.append(column_id == func.any(bindparam("ids", type_=ARRAY(column_id.type))))
    return conditions


def claim(stage: Stage, *, named: bool = False) -> Any:
    """Up to :n rows of the next tenant after :after, best priority and oldest first; `named`: of :ids alone.

    It says whose turn it was even if that tenant had nothing due: a first row without an id.
    """
    table, queue = stage.table, stage.queue
    wanted = _wanted(stage, named)
    owner = select(table.c.tenant_id).where(*wanted).order_by(table.c.tenant_id).limit(1)
    following = owner.where(table.c.tenant_id > bindparam("after", type_=table.c.tenant_id.type))
    turn = union_all(following.subquery().select(), owner.subquery().select()).limit(1).cte("turn")
    whose = select(turn.c.tenant_id).scalar_subquery()
    rows = select(table.c.id).where(*wanted, _due(stage), table.c.tenant_id == whose)
    rows = rows.order_by(column(stage, "due_at")).limit(bindparam("n", type_=Integer))
    if queue.priority:
        rows = _by_priority(table.c[queue.priority], rows.with_for_update(skip_locked=True))
    else:
        rows = rows.with_for_update(skip_locked=True)
    taken = _take(stage, _materialized(rows, "picked")).cte("taken")
    return select(turn.c.tenant_id.label("turn"), taken).select_from(turn.outerjoin(taken, true()))


def _by_priority(priority: ColumnElement[Any], rows: Select[Any]) -> Select[Any]:
    """Probe each of the few priorities, so that rows parked for later never have to be read past."""
    each = (
        func.unnest(literal(list(PRIORITIES), ARRAY(SmallInteger)))
        .table_valued("level", name="p")
        .render_derived()
    )
    best = rows.where(priority == each.c.level).lateral("best")
    return select(best.c.id).select_from(each.join(best, true())).limit(bindparam("n", type_=Integer))


def claim_hosts(stage: Stage, hosts: Table, *, named: bool = False) -> Any:
    """Up to :k hosts whose turn has come, each with up to :m of its best rows; the hosts are ours then.

    Of `named` rows, which are in :ids, only the hosts are taken.

    To hold a host is to have moved its next_allowed_at: nobody else may call it before, and if we die it
    is available again after the lease, never earlier.
    """
    queue, table = stage.queue, stage.table
    since = func.greatest(hosts.c.next_allowed_at, hosts.c[queue.waiting_since])
    due = select(hosts.c.host).where(hosts.c[queue.waiting_since].is_not(None), since <= func.now())
    wanted = _wanted(stage, named)
    if named:
        due = due.where(hosts.c.host.in_(select(table.c[str(queue.host)]).where(*wanted)))
    due = due.order_by(since).limit(bindparam("k", type_=Integer)).with_for_update(skip_locked=True, of=hosts)
    turn = _materialized(due, "turn")
    rows = select(table.c.id).where(*wanted, table.c[str(queue.host)] == turn.c.host, _due(stage))
    rows = rows.order_by(*_order(stage)).limit(bindparam("m", type_=Integer))
    best = rows.with_for_update(skip_locked=True).lateral("best")
    picked = _materialized(select(best.c.id).select_from(turn.join(best, true())), "picked")
    held = (
        update(hosts)
        .where(hosts.c.host == turn.c.host)
        .values(
            next_allowed_at=func.now() + bindparam("lease", type_=Interval),
            lease_seq=hosts.c.lease_seq + 1,
            worker=bindparam("me", type_=Integer),
        )
        .returning(
            hosts.c.host.label("held_host"),
            hosts.c.lease_seq.label("held_seq"),
            hosts.c.delay_seconds.label("held_delay"),
            hosts.c.consecutive_errors.label("held_errors"),
        )
        .cte("held")
    )
    taken = _take(stage, picked).cte("taken")
    return select(held, taken).select_from(
        held.outerjoin(taken, taken.c[str(queue.host)] == held.c.held_host)
    )


def our_hosts(hosts: Table) -> Any:
    """Those of the given hosts that are still ours."""
    held = unnest_rows(host=hosts.c.host.type, seq=Integer())
    mine = (hosts.c.host == held.c.host) & (hosts.c.lease_seq == held.c.seq)
    return select(hosts.c.host).join(held, mine).where(hosts.c.worker == bindparam("me", type_=Integer))


def lock_hosts(hosts: Table) -> Any:
    """First half of a release: lock the host rows that are still ours.

    One that somebody else has locked, such as a transaction that queues thousands of rows, is not waited for.
    """
    return our_hosts(hosts).with_for_update(of=hosts, skip_locked=True)


def release_hosts(stage: Stage, hosts: Table) -> Any:
    """Second half, with a newer snapshot than the lock: say since when work awaits each host, if any."""
    queue, table = stage.queue, stage.table
    left = unnest_rows(
        host=hosts.c.host.type, wait=Interval(), errors=Integer(), reason=Text(), own=Boolean()
    )
    open_rows = select(column(stage, "due_at")).where(
        claimable(queue), table.c[str(queue.host)] == hosts.c.host
    )
    due_now = open_rows.where(_due(stage)).limit(1).correlate(hosts).exists()
    asked: Any = hosts.c.delay_seconds * literal(timedelta(seconds=1), Interval)
    first = open_rows.with_only_columns(func.min(column(stage, "due_at"))).correlate(hosts).scalar_subquery()
    return (
        update(hosts)
        .where(hosts.c.host == left.c.host)
        .values(
            {
                queue.waiting_since: func.coalesce(
                    select(func.now()).where(due_now).correlate(hosts).scalar_subquery(), first
                ),
                # The pause it asks for may have become known only during this visit.
                "next_allowed_at": func.now() + func.greatest(left.c.wait, asked),
                "consecutive_errors": left.c.errors,
                "backoff_reason": left.c.reason,
                "backoff_until": case((left.c.own, func.now() + left.c.wait)),
                "worker": None,
            }
        )
        .returning((hosts.c.next_allowed_at - func.now()).label("free_in"), _awaiting(hosts))
    )


def _awaiting(hosts: Table) -> Any:
    """The names of the columns that say that work awaits the host as soon as it may be called again."""
    columns = [one for one in hosts.c if one.name.endswith("_waiting_since")]
    ready = [case((one <= hosts.c.next_allowed_at, one.name)) for one in columns]
    return func.array_remove(array(ready), null()).label("awaiting")


def renew_hosts(hosts: Table) -> Any:
    """Keep the hosts that are ours; gives back those that still are, also when their row is locked."""
    free = _materialized(lock_hosts(hosts), "free")
    later = func.now() + bindparam("lease", type_=Interval)
    kept = update(hosts).where(hosts.c.host == free.c.host).values(next_allowed_at=later)
    return our_hosts(hosts).add_cte(kept.cte("kept"))
