"""Claims work for one stage: a fair batch of rows, or the best rows of hosts that are due.

Each claim is one statement on partial indexes. The pick is a MATERIALIZED expression: written as
`id IN (SELECT … LIMIT n)` the planner may repeat it for each row and claim everything.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.database import Database, Statement, quote, type_name
from scrapersky.engine.outcome import RELEASED, Outcome, RetryAfter, bounded_wait, reason_of
from scrapersky.engine.stage import EngineOptions, Item, Stage
from scrapersky.engine.throttle import Run

if TYPE_CHECKING:
    from scrapersky.engine.visits import Visit

PRIORITIES = (1, 2, 3)

# The next tenant after :after that has rows, whether they are due or not.
NEXT_TENANT = """
WITH turn AS (
  SELECT tenant_id FROM (
    (SELECT tenant_id FROM {table} WHERE {claimable} AND tenant_id > :after ORDER BY tenant_id LIMIT 1)
    UNION ALL
    (SELECT tenant_id FROM {table} WHERE {claimable} ORDER BY tenant_id LIMIT 1)
  ) AS following LIMIT 1
), awake AS (
  SELECT tenant_id FROM turn WHERE tenant_id <> ALL (:resting::uuid[])
), picked AS MATERIALIZED ("""

# The lease runs by the database's clock.
TAKE_PICKED = """
), taken AS (
  UPDATE {table} AS t SET {status} = {processing}, {error} = NULL, {lease_seq} = t.{lease_seq} + 1,
    {lease_until} = now() + :lease::interval, {worker} = :worker
  FROM picked WHERE t.id = picked.id
  RETURNING {columns}
)"""

# Up to :limit rows of one tenant, in the order of the queue. If none is due there is one row without an id.
CLAIM_IN_ORDER = (
    NEXT_TENANT
    + """
  SELECT id FROM {table}
  WHERE {claimable} AND {due_at} <= now() AND tenant_id = (SELECT tenant_id FROM awake)
  ORDER BY {order} LIMIT :limit FOR UPDATE SKIP LOCKED"""
    + TAKE_PICKED
    + """
SELECT turn.tenant_id AS turn, taken.* FROM turn LEFT JOIN taken ON true"""
)

# The same by priority. Each level is probed, so that rows that are not due yet are never read past.
CLAIM_BEST = (
    NEXT_TENANT
    + """
  SELECT best.id FROM unnest(:priorities::smallint[]) AS level CROSS JOIN LATERAL (
    SELECT id FROM {table}
    WHERE {claimable} AND {due_at} <= now() AND tenant_id = (SELECT tenant_id FROM awake)
      AND {priority} = level
    ORDER BY {due_at} LIMIT :limit FOR UPDATE SKIP LOCKED
  ) AS best LIMIT :limit"""
    + TAKE_PICKED
    + """
SELECT turn.tenant_id AS turn, taken.* FROM turn LEFT JOIN taken ON true"""
)

# Up to :hosts hosts that are due, each with up to :rows_per_host of its best rows. To hold a host is to have
# moved its next_allowed_at: nobody else may call it before, and if we die it is free after the lease.
CLAIM_HOSTS = (
    """
WITH due AS MATERIALIZED (
  SELECT host FROM hosts
  WHERE {waiting_since} IS NOT NULL AND greatest(next_allowed_at, {waiting_since}) <= now()
    AND coalesce(paused_until <= now(), true) AND {host_filter}
  ORDER BY greatest(next_allowed_at, {waiting_since}) LIMIT :hosts FOR UPDATE SKIP LOCKED
), held AS (
  UPDATE hosts AS h
  SET next_allowed_at = now() + :lease::interval, lease_seq = h.lease_seq + 1, worker = :worker
  FROM due WHERE h.host = due.host
  RETURNING h.host AS held_host, h.lease_seq AS held_seq, h.delay_seconds AS held_delay,
    h.consecutive_errors AS held_errors
), picked AS MATERIALIZED (
  SELECT best.id FROM due CROSS JOIN LATERAL (
    SELECT id FROM {table} WHERE {claimable} AND {table}.{host} = due.host AND {due_at} <= now()
      AND tenant_id <> ALL (:resting::uuid[])
    ORDER BY {order} LIMIT :rows_per_host FOR UPDATE SKIP LOCKED
  ) AS best"""
    + TAKE_PICKED
    + """
SELECT held.*, taken.* FROM held LEFT JOIN taken ON taken.{host} = held.held_host"""
)

OUR_HOSTS = """
SELECT h.host FROM hosts AS h JOIN unnest(:names::text[], :seqs::int[]) AS v (host, seq)
  ON h.host = v.host AND h.lease_seq = v.seq
WHERE h.worker = :worker"""

# A host that another session has locked, such as one that queues thousands of rows, is not waited for.
LOCK_OUR_HOSTS = f"{OUR_HOSTS} FOR UPDATE OF h SKIP LOCKED"

# The best rows of hosts that are ours already: a visit continues with them, unless a person paused the host.
FOLLOW_HOSTS = (
    f"WITH picked AS MATERIALIZED (SELECT best.id FROM ({OUR_HOSTS}"
    + """ AND coalesce(h.paused_until <= now(), true)) AS ours"""
    + """ CROSS JOIN LATERAL (
    SELECT id FROM {table} WHERE {claimable} AND {table}.{host} = ours.host AND {due_at} <= now()
      AND tenant_id <> ALL (:resting::uuid[])
    ORDER BY {order} LIMIT :rows_per_host FOR UPDATE SKIP LOCKED
  ) AS best"""
    + TAKE_PICKED
    + "SELECT * FROM taken"
)

# Rows that the stage before has just finished and that have a second queue.
FOLLOW_ROWS = (
    """
WITH picked AS MATERIALIZED (
  SELECT id FROM {table} WHERE {claimable} AND id = ANY (:ids::{id_type}[]) AND {due_at} <= now()
    AND tenant_id <> ALL (:resting::uuid[])
  FOR UPDATE SKIP LOCKED"""
    + TAKE_PICKED
    + "SELECT * FROM taken"
)

# Since when rows of one stage wait for a host. A host for which only resting tenants have rows is looked at
# again much later, or when one is awake again.
WAITING_SINCE = """
  {waiting_since} = coalesce(
    (SELECT now() WHERE EXISTS (
      SELECT FROM {table} WHERE {claimable} AND {table}.{host} = h.host AND {due_at} <= now()
        AND tenant_id <> ALL (:resting_{stage}::uuid[]))),
    (SELECT min({due_at}) FROM {table} WHERE {claimable} AND {table}.{host} = h.host
      AND tenant_id <> ALL (:resting_{stage})),
    (SELECT now() + interval '1 hour' WHERE cardinality(:resting_{stage}) > 0 AND EXISTS (
      SELECT FROM {table} WHERE {claimable} AND {table}.{host} = h.host))),"""

# The host may have asked for its delay only during this batch.
RELEASE_HOSTS = """
UPDATE hosts AS h SET{waiting_since}
  next_allowed_at = now() + greatest(v.wait, h.delay_seconds * interval '1 second'),
  consecutive_errors = v.errors, backoff_reason = v.reason, worker = NULL,
  backoff_until = CASE WHEN v.own_choice THEN now() + v.wait END
FROM unnest(:names::text[], :waits::interval[], :errors::int[], :reasons::text[], :own_choices::bool[])
  AS v (host, wait, errors, reason, own_choice)
WHERE h.host = v.host
RETURNING h.next_allowed_at - now() AS free_in, array_remove(ARRAY[{waiting}], NULL) AS waiting"""

# Returns the hosts that are still ours, also those that another session has locked.
RENEW_HOSTS = f"""
WITH free AS MATERIALIZED ({LOCK_OUR_HOSTS}
), renewed AS (
  UPDATE hosts AS h SET next_allowed_at = now() + :lease::interval FROM free WHERE h.host = free.host
){OUR_HOSTS}"""


@dataclass(slots=True, eq=False)
class Host:
    """A host that is leased to us: nobody else in the fleet calls it."""

    name: str
    seq: int
    delay: timedelta
    errors: int
    since: float
    backoff: timedelta | None = None
    # Why it is left alone, and whether it asked for that itself.
    reason: str = ""
    asked: bool = False

    def record(self, error: Exception | None, options: EngineOptions) -> None:
        """Count faults of the host itself; too many in a row, or a wait that it asked for, pause it."""
        if error is None:
            self.errors = 0
            return
        is_fault = bool(getattr(error, "hurts_host", False))
        self.errors += is_fault
        if isinstance(error, RetryAfter):
            self.backoff, self.asked = max(self.delay, bounded_wait(error.wait)), error.is_asked
            self.reason = reason_of(error)
        elif is_fault and self.errors >= options.host_errors:
            exponent = min(self.errors // options.host_errors - 1, 2)
            self.backoff, self.asked = options.host_backoff * options.host_backoff_factor**exponent, False
            self.reason = reason_of(error)


@dataclass(slots=True, eq=False)
class HostBatch:
    """Items that run one after another: the rows of one host, or one row of a stage that calls no host."""

    items: list[Item]
    host: Host | None = None
    visit: Visit | None = None


@dataclass(slots=True, eq=False)
class Claim:
    """An item that is ours until its outcome is written."""

    item: Item
    since: float
    outcome: Outcome = RELEASED
    is_finished: bool = False
    ms: float = 0.0
    began: float = 0.0
    task: asyncio.Task[None] | None = None
    lost: bool = False
    overdue: bool = False
    blocked: bool = False
    run: Run | None = None


class Claims:
    """Claims rows tenant by tenant, or hosts in the order in which they are due; releases the hosts.

    `ids` are the only rows to claim. `host_columns` are the columns of the hosts table that say since when
    rows wait for a host; those of this process' stages are looked at when a host is released.
    """

    def __init__(
        self,
        stage: Stage,
        database: Database,
        worker: int,
        options: EngineOptions,
        *,
        ids: Sequence[Any] | None = None,
        host_columns: Sequence[str] = (),
    ) -> None:
        self.stage, self.database, self.worker, self.options = stage, database, worker, options
        self._ids = {} if ids is None else {"ids": list(ids)}
        self._after: Any = UUID(int=0)
        # Tenants of which nothing is claimed.
        self.resting: list[UUID] = []
        queue = stage.queue
        roles = ("lease_seq", "retries", "crashes", "rescues", "correlation_id")
        self._parts = attrgetter("id", "tenant_id", *(queue.column(role) for role in roles))
        template = CLAIM_HOSTS if queue.host else CLAIM_BEST if queue.priority else CLAIM_IN_ORDER
        self._claim = self._claim_statement(template)
        self._follow = self._claim_statement(FOLLOW_HOSTS if queue.host else FOLLOW_ROWS)
        self._host_columns = host_columns or [queue.waiting_since]
        self._releases: dict[tuple[str, ...], Statement] = {}
        self._ours, self._lock = Statement(OUR_HOSTS), Statement(LOCK_OUR_HOSTS)
        self._renew = Statement(RENEW_HOSTS)

    def _claim_statement(self, template: str) -> Statement:
        stage, queue = self.stage, self.stage.queue
        claimable, host_filter = queue.claimable(), "true"
        if self._ids:
            claimable += f" AND {queue.table}.id = ANY (:ids::{type_name(stage.table.c.id.type)}[])"
            host_filter = f"host IN (SELECT {queue.host} FROM {queue.table} WHERE {claimable})"
        roles = ("lease_seq", "retries", "crashes", "rescues", "correlation_id", "due_at")
        parts = [queue.column(role) for role in roles]
        parts += [*queue.order, *(name for name in (queue.max_retries, queue.host) if name)]
        columns = dict.fromkeys(["id", "tenant_id", *parts, *stage.reads])
        return stage.statement(
            template,
            claimable=claimable,
            host_filter=host_filter,
            columns=", ".join(f"t.{quote(name)}" for name in columns),
        )

    async def take(self, limit: int, rows_per_host: int) -> list[HostBatch]:
        """Claim up to `limit` rows, or up to `limit` hosts with `rows_per_host` rows each."""
        if self.stage.queue.host:
            return await self._take_hosts(limit, rows_per_host)
        return await self._take_rows(limit)

    async def _fetch(self, **values: Any) -> list[Any]:
        values |= {"lease": self.options.lease, "worker": self.worker, "resting": self.resting, **self._ids}
        return await self.database.with_retry(lambda: self.database.fetch(self._claim, values))

    async def _take_rows(self, limit: int) -> list[HostBatch]:
        """Tenants take turns; one that has nothing due passes its turn on, until all were asked."""
        first = None
        while rows := await self._fetch(limit=limit, after=self._after, priorities=PRIORITIES):
            self._after = rows[0].turn
            if rows[0].id is not None:
                return [HostBatch([self._item(row)]) for row in rows]
            if first == self._after:
                break
            first = first or self._after
        return []

    async def _take_hosts(self, limit: int, rows_per_host: int) -> list[HostBatch]:
        batches: dict[str, HostBatch] = {}
        for row in await self._fetch(hosts=limit, rows_per_host=rows_per_host):
            batch = batches.get(row.held_host)
            if batch is None:
                batch = batches[row.held_host] = HostBatch([], self._host(row))
            if row.id is not None:
                batch.items.append(self._item(row))
        for batch in batches.values():
            batch.items.sort(key=self._rank)
        return list(batches.values())

    async def follow_hosts(self, hosts: Sequence[Host], rows_per_host: int) -> list[list[Item]]:
        """Claim the best rows of hosts that we hold."""
        by_host: dict[str | None, list[Item]] = defaultdict(list)
        for item in sorted(
            await self._followed(**self._leases(hosts), rows_per_host=rows_per_host), key=self._rank
        ):
            by_host[item.host].append(item)
        return [by_host[host.name] for host in hosts]

    async def follow_rows(self, groups: Sequence[Sequence[Any]]) -> list[list[Item]]:
        """Claim those of the rows that wait in this queue."""
        items = await self._followed(ids=[row_id for ids in groups for row_id in ids])
        by_id = {item.id: item for item in items}
        return [[by_id[row_id] for row_id in ids if row_id in by_id] for ids in groups]

    async def _followed(self, **values: Any) -> list[Item]:
        values |= {"lease": self.options.lease, "worker": self.worker, "resting": self.resting}
        rows = await self.database.with_retry(lambda: self.database.fetch(self._follow, values))
        return [self._item(row) for row in rows]

    def _host(self, row: Any) -> Host:
        delay = max(self.options.host_delay, timedelta(seconds=row.held_delay or 0))
        # A host whose rows are all due later is not called, so it needs no pause.
        delay = delay if row.id is not None else timedelta(0)
        return Host(row.held_host, row.held_seq, delay, row.held_errors, perf_counter())

    def _rank(self, item: Item) -> tuple[Any, ...]:
        return tuple(getattr(item.row, name) for name in self.stage.queue.order)

    def _item(self, row: Any) -> Item:
        queue = self.stage.queue
        max_retries = getattr(row, queue.max_retries) if queue.max_retries else self.options.max_retries
        row_id, tenant, seq, retries, crashes, rescues, request = self._parts(row)
        host = getattr(row, queue.host) if queue.host else None
        return Item(row_id, tenant, row, seq, retries, crashes, max_retries, host, rescues, request)

    async def release_hosts(
        self, hosts: Sequence[Host], others: Sequence[Claims] = ()
    ) -> tuple[list[Any], list[Host]]:
        """Release the hosts; returns for each how soon it is free and which queues wait for it.

        `others` are the claims of the other stages that the holder may have worked in there.

        Lock, then decide in a second statement: in one, rows queued meanwhile would be overlooked. Hosts that
        another session has locked are returned, to be released later.
        """

        async def work(connection: AsyncConnection) -> tuple[list[Any], list[Host]]:
            locked = {row.host for row in await self._lock.run(connection, self._leases(hosts))}
            ours = [host for host in hosts if host.name in locked]
            values = {
                "names": [host.name for host in ours],
                "waits": [host.delay if host.backoff is None else host.backoff for host in ours],
                "errors": [host.errors for host in ours],
                "reasons": [host.reason or None for host in ours],
                "own_choices": [bool(host.backoff and not host.asked) for host in ours],
                **{f"resting_{claims.stage.name}": claims.resting for claims in (self, *others)},
            }
            released = await self.release_statement((self, *others)).run(connection, values)
            if len(ours) == len(hosts):
                return released, []
            still_ours = {row.host for row in await self._ours.run(connection, self._leases(hosts))} - locked
            return released, [host for host in hosts if host.name in still_ours]

        return await self.database.in_transaction(work)

    def release_statement(self, claims: tuple[Claims, ...]) -> Statement:
        """The statement that looks at the queues of these stages."""
        polite = {each.stage.name: each.stage for each in claims if each.stage.queue.host}
        names = tuple(sorted(polite))
        if names not in self._releases:
            columns = self._host_columns
            waiting = (f"CASE WHEN h.{name} <= h.next_allowed_at THEN '{name}' END" for name in columns)
            since = "".join(polite[name].sql(WAITING_SINCE) for name in names)
            sql = RELEASE_HOSTS.format(waiting_since=since, waiting=", ".join(waiting))
            self._releases[names] = Statement(sql)
        return self._releases[names]

    async def renew_hosts(self, hosts: Sequence[Host]) -> set[str]:
        """Extend the leases of hosts; returns the names of those that are still ours."""
        values = {**self._leases(hosts), "lease": self.options.lease}
        return {row.host for row in await self.database.fetch(self._renew, values)}

    def _leases(self, hosts: Sequence[Host]) -> dict[str, Any]:
        names, seqs = [host.name for host in hosts], [host.seq for host in hosts]
        return {"names": names, "seqs": seqs, "worker": self.worker}
