"""Exact counts of rows by tenant and facet, at a cost that does not depend on the number of rows.

Triggers append the net change of every statement to `row_count_changes`; the fold adds those up into
`row_counts`. The sum of both tables is exact in every snapshot: it commits and rolls back with the rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Select,
    SmallInteger,
    Text,
    cast,
    delete,
    func,
    literal,
    select,
    text,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, array, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.declarations import DECLARATIONS
from scrapersky.declarations.facets import FACETS
from scrapersky.declarations.queue import Queue
from scrapersky.engine.claims import PRIORITIES
from scrapersky.tables.columns import metadata
from scrapersky.tables.health_tables import row_count_changes, row_counts

FOLD_EVERY = timedelta(seconds=5)
FOLD_AT_ONCE = 50_000
VERIFY_EVERY = timedelta(days=1)
# One fold or repair at a time; any constant will do.
ADVISORY_LOCK = 7305526802


def count_triggers(table: str) -> list[str]:
    """The statements that keep the counts of one table."""

    def function(name: str, *sources: tuple[str, int]) -> str:
        facets = ", ".join(f"{column}::text" for column in FACETS[table])
        parts = " UNION ALL ".join(
            f"SELECT tenant_id, ARRAY[{facets}] AS facets, {sign} AS number FROM {source}"  # noqa: S608
            for source, sign in sources
        )
        return f"""CREATE FUNCTION {table}_count_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO row_count_changes (table_name, tenant_id, facets, number)
    SELECT '{table}', tenant_id, facets, sum(number) FROM ({parts}) AS changed
    GROUP BY tenant_id, facets HAVING sum(number) <> 0;
  RETURN NULL;
END $$"""  # noqa: S608 - the names are ours.

    def trigger(name: str, event: str, seen: str) -> str:
        return (
            f"CREATE TRIGGER {table}_count_{name} AFTER {event} ON {table}{seen} FOR EACH STATEMENT"
            f" EXECUTE FUNCTION {table}_count_{name}()"
        )

    old, new = "OLD TABLE AS old_rows", "NEW TABLE AS new_rows"
    return [
        function("insert", ("new_rows", 1)),
        function("update", ("old_rows", -1), ("new_rows", 1)),
        function("delete", ("old_rows", -1)),
        f"""CREATE FUNCTION {table}_count_truncate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM row_counts WHERE table_name = '{table}';
  DELETE FROM row_count_changes WHERE table_name = '{table}';
  RETURN NULL;
END $$""",  # noqa: S608 - the names are ours.
        trigger("insert", "INSERT", f" REFERENCING {new}"),
        trigger("update", "UPDATE", f" REFERENCING {old} {new}"),
        trigger("delete", "DELETE", f" REFERENCING {old}"),
        trigger("truncate", "TRUNCATE", ""),
    ]


# ---- reading


def _everything() -> FromClause:
    both = union_all(*(select(each.c.table_name, each.c.tenant_id, each.c.facets, each.c.number)
                       for each in (row_counts, row_count_changes)))  # fmt: skip
    return both.subquery("everything")


def counted_rows(table: str, source: FromClause | None = None) -> FromClause:
    """The counts of one table as if they were its rows: facet columns by name, `tenant_id` and `number`."""
    counts = _everything() if source is None else source
    columns = metadata.tables[table].c
    facets = [
        cast(counts.c.facets[place], columns[name].type).label(name)
        for place, name in enumerate(FACETS[table], 1)
    ]
    rows = select(counts.c.tenant_id, *facets, counts.c.number).where(counts.c.table_name == table)
    return rows.subquery(f"counted_{table}")


def stage_counts(queues: Sequence[Queue] = DECLARATIONS) -> Any:
    """Rows by `stage`, `tenant_id`, `status` and `is_excluded` (rejected or archived), in one statement."""
    counts = _everything()
    grouped = select(counts.c.table_name, counts.c.tenant_id, counts.c.facets, _sum(counts).label("number"))
    source: CTE = grouped.group_by(counts.c.table_name, counts.c.tenant_id, counts.c.facets).cte("counted")
    return union_all(*(_by_status(queue, counted_rows(queue.table, source)) for queue in queues))


def _by_status(queue: Queue, rows: FromClause) -> Select[Any]:
    is_excluded: ColumnElement[bool] = (
        rows.c[queue.excluded_by].in_(queue.excluded_statuses) if queue.excluded_by else literal(False)
    )
    status = rows.c[queue.status]
    query = select(
        literal(queue.name).label("stage"),
        rows.c.tenant_id,
        status.label("status"),
        is_excluded.label("is_excluded"),
        _sum(rows).label("number"),
    )
    if queue.condition:
        query = query.where(text(queue.condition))
    return query.group_by(rows.c.tenant_id, status, is_excluded)


def _sum(rows: FromClause) -> Any:
    return cast(func.sum(rows.c.number), row_count_changes.c.number.type)


async def waiting_rows(connection: AsyncConnection, queues: Sequence[Queue] = DECLARATIONS) -> dict[str, int]:
    """How many rows every stage could claim, now or when they are due."""
    queued = {queue.name: queue.statuses.queued for queue in queues}
    numbers = dict.fromkeys(queued, 0)
    for row in await connection.execute(stage_counts(queues)):
        if row.status == queued[row.stage] and not row.is_excluded:
            numbers[row.stage] += row.number
    return numbers


def tenant_waiting_rows(tenant_id: UUID) -> Select[Any]:
    """How many rows of a tenant wait in all queues."""
    numbers = []
    for queue in DECLARATIONS:
        rows = counted_rows(queue.table)
        is_waiting = text(queue.claimable())
        numbers.append(
            select(func.coalesce(_sum(rows), 0).label("number")).where(
                rows.c.tenant_id == tenant_id, is_waiting
            )
        )
    waiting = union_all(*numbers).subquery("waiting")
    return select(_sum(waiting))


def queue_rows(
    queue: Queue, *conditions: Any, first_only: bool = False, limit: int | None = None
) -> FromClause:
    """`due_at` of claimable rows, oldest first for every tenant and priority: the order of the queue's index.

    The counts know which tenants have any, so nothing else is probed.
    """
    table = metadata.tables[queue.table]
    counted = counted_rows(queue.table)
    owners = select(counted.c.tenant_id).where(text(queue.claimable())).group_by(counted.c.tenant_id)
    source: Any = owners.having(func.sum(counted.c.number) > 0).subquery("owners")
    due = table.c[queue.column("due_at")]
    mine = [text(queue.claimable()), table.c.tenant_id == source.c.tenant_id, *conditions]
    if queue.priority:
        levels = func.unnest(literal(list(PRIORITIES), ARRAY(SmallInteger)))
        each = levels.table_valued("level", name="levels").render_derived()
        source = source.join(each, true())
        mine.append(table.c[queue.priority] == each.c.level)
    rows = select(due.label("due_at")).where(*mine).order_by(due)
    queue_row = (rows.limit(1) if first_only else rows).lateral("found")
    return (
        select(queue_row.c.due_at)
        .select_from(source.join(queue_row, true()))
        .limit(limit)
        .subquery("queue_rows")
    )


def oldest_due(queue: Queue, *conditions: Any) -> Select[Any]:
    """The moment since which the oldest claimable row is due."""
    rows = queue_rows(queue, *conditions, first_only=True)
    return select(func.min(rows.c.due_at))


# ---- keeping


async def fold(connection: AsyncConnection) -> int:
    """Add the changes up into the counts, in the caller's transaction; says how many changes there were."""
    if not await connection.scalar(select(func.pg_try_advisory_xact_lock(ADVISORY_LOCK))):
        return 0
    total = 0
    while True:
        folded = int((await connection.execute(_FOLD, {"most": FOLD_AT_ONCE})).scalar_one())
        total += folded
        if folded < FOLD_AT_ONCE:
            break
    if total:
        await connection.execute(delete(row_counts).where(row_counts.c.number == 0))
    return total


_FOLD = text(
    """WITH gone AS (
  DELETE FROM row_count_changes
  WHERE ctid = ANY (ARRAY(SELECT ctid FROM row_count_changes LIMIT :most))
  RETURNING table_name, tenant_id, facets, number
), folded AS (
  INSERT INTO row_counts (table_name, tenant_id, facets, number)
  SELECT table_name, tenant_id, facets, sum(number) FROM gone
  GROUP BY table_name, tenant_id, facets HAVING sum(number) <> 0
  ON CONFLICT (table_name, tenant_id, facets)
  DO UPDATE SET number = row_counts.number + excluded.number
)
SELECT count(*) FROM gone"""
)


def differences(table: str) -> Select[Any]:
    """Where the counts of a table are not what its rows say; `number` is the difference. Reads every row."""
    rows = metadata.tables[table]
    facets = array([cast(rows.c[name], Text) for name in FACETS[table]])
    real = select(rows.c.tenant_id, facets.label("facets"), func.count().label("number"))
    counts = _everything()
    counted = select(counts.c.tenant_id, counts.c.facets, -counts.c.number).where(
        counts.c.table_name == table
    )
    both = union_all(real.group_by(rows.c.tenant_id, text("2")), counted).subquery("both")
    lacking = func.sum(both.c.number)
    columns = literal(table).label("table_name"), both.c.tenant_id, both.c.facets, lacking.label("number")
    return select(*columns).group_by(both.c.tenant_id, both.c.facets).having(lacking != 0)


async def find_wrong_counts(connection: AsyncConnection) -> dict[str, int]:
    """The tables whose counts are wrong, with the number of wrong counts; changes nothing."""
    return _numbers([row for table in FACETS for row in await connection.execute(differences(table))])


async def repair_counts(connection: AsyncConnection) -> dict[str, int]:
    """Correct the counts that are wrong while others keep writing; the tables concerned, with how many.

    A correction is a change like any other, computed in one snapshot; later commits count themselves.
    """
    await connection.execute(text("SET LOCAL statement_timeout = '30min'"))
    # Before the first snapshot: two repairs at once would both add what is lacking.
    await connection.execute(select(func.pg_advisory_xact_lock(ADVISORY_LOCK)))
    wrong: list[Any] = []
    for table in FACETS:
        columns = ["table_name", "tenant_id", "facets", "number"]
        repair = insert(row_count_changes).from_select(columns, differences(table), include_defaults=False)
        wrong += await connection.execute(repair.returning(row_count_changes.c.table_name))
    return _numbers(wrong)


def _numbers(rows: Iterable[Any]) -> dict[str, int]:
    numbers: dict[str, int] = defaultdict(int)
    for row in rows:
        numbers[row.table_name] += 1
    return dict(numbers)
