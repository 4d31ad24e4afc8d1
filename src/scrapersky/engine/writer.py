"""Writes outcomes: results, new rows and status in one transaction, and only where the lease is still ours.

Every statement checks the fencing number and the worker of the claim; a row that it does not return was lost
to another worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.claims import Claim, Claims, HostBatch
from scrapersky.engine.context import RunnerContext
from scrapersky.engine.database import Database, Statement, is_lock_timeout, quote, type_name
from scrapersky.engine.outcome import FailureNote, Outcome, OutcomeKind, outcome_of
from scrapersky.engine.stage import Item, Save, Stage
from scrapersky.engine.stats import Stats, item_line
from scrapersky.engine.visits import continue_visits

# A batch waits this long for a row that another session has locked. The limit holds until the transaction
# ends, so it covers the rows that are stored with the batch.
LOCK_TIMEOUT = "(SELECT set_config('lock_timeout', '1s', true)) IS NOT NULL"

# Items that are done and set no field of their own.
FINISH = """
UPDATE {table} AS t
SET {touch}{status} = {done}, {error} = NULL, {lease_until} = NULL, {finished_at} = now()
FROM unnest(:ids::{id_type}[], :seqs::int[]) AS v (id, seq)
WHERE {ours} AND {lock_timeout}
RETURNING t.id"""

# Items that are done, each with its own values for some fields and its own final status.
FINISH_WITH_FIELDS = """
UPDATE {table} AS t SET {assignments}
FROM jsonb_to_recordset(:items::text::jsonb) AS v (id {id_type}, seq int, _status text{types})
WHERE {ours} AND {lock_timeout}
RETURNING t.id"""

# Items that are not done: snoozed, to be retried, failed or released.
REQUEUE_OR_FAIL = """
UPDATE {table} AS t
SET {touch}{status} = v.status, {error} = v.error, {lease_until} = NULL,
  {due_at} = coalesce(v.until, now() + v.wait), {retries} = t.{retries} + v.retried,
  {finished_at} = CASE WHEN v.status = {failed} THEN now() END
FROM unnest(:ids::{id_type}[], :seqs::int[], :statuses::text[], :errors::text[], :waits::interval[],
  :untils::timestamptz[], :retried::int[]) AS v (id, seq, status, error, wait, until, retried)
WHERE {ours} AND {lock_timeout}
RETURNING t.id"""

STILL_OURS = """
SELECT t.id FROM {table} AS t, unnest(:ids::{id_type}[], :seqs::int[]) AS v (id, seq) WHERE {ours}"""

# Those that could be written now.
UNLOCKED = f"{STILL_OURS} FOR UPDATE OF t SKIP LOCKED"

# Returns the rows that are still ours. A locked one is not waited for: the others would lose their leases.
RENEW = (
    "WITH free AS MATERIALIZED ("
    + UNLOCKED
    + """
), renewed AS (
  UPDATE {table} AS t SET {lease_until} = now() + :lease::interval FROM free WHERE t.id = free.id
)"""
    + STILL_OURS
)


class RowLocked(Exception):
    """Another session has held a row's lock for longer than we wait; nothing was written."""


class Writer:
    """The statements that write one stage's outcomes."""

    def __init__(self, stage: Stage, database: Database, worker: int, save: Save) -> None:
        self.stage, self.database, self.worker, self.save = stage, database, worker, save
        self._finish = self._statement(FINISH)
        self._requeue_or_fail = self._statement(REQUEUE_OR_FAIL)
        self._renew, self._unlocked = self._statement(RENEW), self._statement(UNLOCKED)
        self._finish_with: dict[tuple[str, ...], Statement] = {}

    def _statement(self, template: str, **more: str) -> Statement:
        touch = "updated_at = now(), " if "updated_at" in self.stage.table.c else ""
        return self.stage.statement(template, touch=touch, lock_timeout=LOCK_TIMEOUT, **more)

    async def write(self, claims: list[Claim]) -> tuple[set[Any], int]:
        """Write all or nothing; returns the ids that were still ours and the number of new rows."""
        try:
            return await self._write(claims)
        except Exception as error:
            if is_lock_timeout(error):
                raise RowLocked from error
            raise

    async def _write(self, claims: list[Claim]) -> tuple[set[Any], int]:
        calls = self._calls(claims)
        rows = [(claim, rows_of_claim) for claim in claims if (rows_of_claim := self._rows(claim))]
        if len(calls) == 1 and not rows:
            return {row.id for row in await self.database.fetch(*calls[0])}, 0

        async def work(connection: AsyncConnection) -> tuple[set[Any], int]:
            ours: set[Any] = set()
            for statement, values in calls:
                ours |= {row.id for row in await statement.run(connection, values)}
            new = [(claim.item, row) for claim, some in rows if claim.item.id in ours for row in some]
            return ours, await self.save(connection, new) if new else 0

        return await self.database.in_transaction(work)

    def _rows(self, claim: Claim) -> Sequence[Any]:
        """What is saved with the item: the rows of its result, or the note of its failure."""
        outcome = claim.outcome
        if outcome.kind is OutcomeKind.FAILED:
            name, reason = outcome.error_class or "", outcome.reason or ""
            return [FailureNote(self.stage.name, name, reason, outcome.traceback, claim.item.attempt)]
        return outcome.result.rows if outcome.result else ()

    def _calls(self, claims: list[Claim]) -> list[tuple[Statement, dict[str, Any]]]:
        plain: list[Claim] = []
        undone: list[Claim] = []
        with_fields: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
        for claim in claims:
            outcome = claim.outcome
            if outcome.kind is not OutcomeKind.DONE:
                undone.append(claim)
            elif outcome.result and (outcome.result.fields or outcome.result.status):
                with_fields[tuple(sorted(outcome.result.fields))].append(claim)
            else:
                plain.append(claim)
        calls = [(self._finish, self._leases([claim.item for claim in plain]))] if plain else []
        calls += [self._with_fields(fields, group) for fields, group in with_fields.items()]
        return calls + ([(self._requeue_or_fail, self._undone(undone))] if undone else [])

    def _leases(self, items: Sequence[Item]) -> dict[str, Any]:
        return {
            "ids": [item.id for item in items],
            "seqs": [item.seq for item in items],
            "worker": self.worker,
        }

    def _with_fields(self, fields: tuple[str, ...], claims: list[Claim]) -> tuple[Statement, dict[str, Any]]:
        if fields not in self._finish_with:
            self._finish_with[fields] = self._statement_with(fields)
        items = []
        for claim in claims:
            result = claim.outcome.result
            values = dict(result.fields) if result else {}
            status = (result and result.status) or self.stage.queue.statuses.done
            items.append({**values, "id": claim.item.id, "seq": claim.item.seq, "_status": status})
        return self._finish_with[fields], {
            "items": orjson.dumps(items, default=_json_value).decode(),
            "worker": self.worker,
        }

    def _statement_with(self, fields: tuple[str, ...]) -> Statement:
        queue, columns = self.stage.queue, self.stage.table.c
        assignments = {"updated_at": "now()"} if "updated_at" in columns else {}
        assignments |= {queue.error: "NULL", queue.column("lease_until"): "NULL"}
        assignments |= {queue.column("finished_at"): "now()", queue.status: "v._status"}
        # A field that the function sets wins.
        assignments |= {name: f"v.{quote(name)}" for name in fields}
        return self._statement(
            FINISH_WITH_FIELDS,
            assignments=", ".join(f"{quote(name)} = {value}" for name, value in assignments.items()),
            types="".join(f", {quote(name)} {type_name(columns[name].type)}" for name in fields),
        )

    def _undone(self, claims: list[Claim]) -> dict[str, Any]:
        statuses = self.stage.queue.statuses
        outcomes = [claim.outcome for claim in claims]
        failed, retried = OutcomeKind.FAILED, OutcomeKind.RETRIED
        return {
            **self._leases([claim.item for claim in claims]),
            "statuses": [statuses.failed if o.kind is failed else statuses.queued for o in outcomes],
            "errors": [o.reason for o in outcomes],
            "waits": [o.wait for o in outcomes],
            "untils": [o.until for o in outcomes],
            "retried": [int(o.kind is retried) for o in outcomes],
        }

    async def renew(self, items: Sequence[Item], lease: timedelta) -> set[Any]:
        """Extend the leases; returns the ids of those that are still ours."""
        return {
            row.id for row in await self.database.fetch(self._renew, {**self._leases(items), "lease": lease})
        }

    async def unlocked(self, items: Sequence[Item]) -> set[Any]:
        """The ids of those that could be written now."""
        return {row.id for row in await self.database.fetch(self._unlocked, self._leases(items))}


def _json_value(value: Any) -> str:
    """A value that JSON lacks, as PostgreSQL reads its type; bytea is written in hexadecimal."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


class WriteBuffer:
    """Everything that one stage holds in this process, and what of it waits to be written.

    Outcomes are written in batches. If a batch cannot be stored, each item is written alone, so that one
    fails alone. A row that another session has locked is set aside, and its neighbours are written.
    """

    # Seconds until the next attempt, when another session has locked a host or a row.
    HOST_RETRY = 0.05
    ROW_RETRY = 0.5

    def __init__(
        self, stage: Stage, claims: Claims, context: RunnerContext, stats: Stats, wake: Callable[[], None]
    ) -> None:
        self.stage, self.claims, self.context, self.stats, self._wake = stage, claims, context, stats, wake
        self.writer = Writer(stage, context.database, context.worker, context.save)
        self.held: dict[Any, Claim] = {}
        self.blocked: list[Claim] = []
        self._pending: list[Claim] = []
        self._hosts: list[HostBatch] = []
        self._any, self._full, self._any_blocked = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._flushing = asyncio.Lock()

    @property
    def is_empty(self) -> bool:
        return not (self.held or self._hosts or self._flushing.locked())

    @property
    def has_unwritten(self) -> bool:
        return bool(self._hosts) or any(claim.is_finished for claim in self.held.values())

    def add(self, claim: Claim, outcome: Outcome) -> None:
        if claim.lost:
            self._forget(claim)
            self.stats.count("lease_lost")
            self.context.report([item_line(self.stage.name, claim, "lease_lost")])
            return
        claim.outcome, claim.is_finished = outcome, True
        self._pending.append(claim)
        self._notify()

    def add_host(self, batch: HostBatch) -> None:
        """Release the host after what was done there is written, or continue the visit."""
        self._hosts.append(batch)
        self._notify()

    def _notify(self) -> None:
        self._any.set()
        ready = len(self._pending)
        if ready >= self.context.options.flush_items or ready >= len(self.held) - len(self.blocked):
            self._full.set()

    async def flush_forever(self) -> None:
        """Write what is pending when there is enough of it, or when the oldest has waited long enough."""
        while True:
            await self._any.wait()
            self._any.clear()
            if not self._full.is_set():
                with contextlib.suppress(TimeoutError):
                    wait = self.context.options.flush_after.total_seconds()
                    await asyncio.wait_for(self._full.wait(), wait)
            self._full.clear()
            await self.flush()

    async def flush(self) -> None:
        """Write what is pending in as few statements as possible, then release the hosts."""
        async with self._flushing:
            pending, self._pending = self._pending, []
            hosts, self._hosts = self._hosts, []
            try:
                if pending:
                    ours, rows_written = await self._write(pending)
                    written, pending = [claim for claim in pending if not claim.blocked], []
                    self._count(written, ours, rows_written)
                if hosts:
                    await continue_visits(self.context, hosts)
                    await self._release(hosts)
            except BaseException as error:
                # What is unwritten keeps its lease for as long as we live, so it must not be forgotten.
                self._pending = [claim for claim in pending if not claim.blocked] + self._pending
                if pending or isinstance(error, asyncio.CancelledError):
                    self._hosts = hosts + self._hosts
                    self._any.set()
                raise
        self._wake()

    async def _release(self, batches: list[HostBatch]) -> None:
        """Release the hosts; one that another session has locked is released a little later."""
        hosts = {batch.host: batch for batch in batches if batch.host}
        if not hosts:
            return
        visited = self._polite_claims() if any(batch.visit for batch in batches) else []
        released, locked = await self.context.database.with_retry(
            lambda: self.claims.release_hosts(list(hosts), visited)
        )
        for host in released:
            self.context.wake_after(host.free_in, host.waiting)
        for host, batch in hosts.items():
            if batch.visit:
                batch.visit.is_over = True
                if host not in locked:
                    batch.visit.end()
        if locked:
            self._hosts += [hosts[host] for host in locked]
            asyncio.get_running_loop().call_later(self.HOST_RETRY, self._notify)

    def _polite_claims(self) -> list[Claims]:
        """Those of the other stages in which a visit may have been."""
        runners = self.context.runners.values()
        return [each.claims for each in runners if each.stage.queue.host and each.claims is not self.claims]

    async def _write(self, claims: list[Claim]) -> tuple[set[Any], int]:
        """Write a batch; if it cannot be stored, write each item alone, so that one fails alone."""
        with_retry = self.context.database.with_retry
        try:
            return await with_retry(lambda: self.writer.write(claims))
        except RowLocked:
            return await self._write_around(claims)
        except Exception as error:  # noqa: BLE001 - it becomes the outcome of the item that caused it.
            if len(claims) == 1:
                chance = random.random()  # noqa: S311
                claims[0].outcome = outcome_of(error, claims[0].item, self.context.options, chance=chance)
                return await self._write_failure(claims)
        ours: set[Any] = set()
        rows_written = 0
        for claim in claims:
            written, rows = await self._write([claim])
            ours |= written
            rows_written += rows
        return ours, rows_written

    async def _write_around(self, claims: list[Claim]) -> tuple[set[Any], int]:
        """Another session has locked one of them: set it aside and write the others."""
        items = [claim.item for claim in claims]
        unlocked = await self.context.database.with_retry(lambda: self.writer.unlocked(items))
        free = [claim for claim in claims if claim.item.id in unlocked]
        if len(free) == len(claims):
            # Their own rows are free, so the lock is on what is stored with one of them.
            free = []
        for claim in claims:
            if claim not in free:
                self._block(claim)
        return await self._write(free) if free else (set(), 0)

    async def _write_failure(self, claims: list[Claim]) -> tuple[set[Any], int]:
        """Write a failure; if even that is impossible, the lease runs out and the rescue records it."""
        try:
            return await self.context.database.with_retry(lambda: self.writer.write(claims))
        except RowLocked:
            self._block(claims[0])
        except Exception as error:  # noqa: BLE001 - it must surface, and its neighbours continue.
            await self.context.report_error(self.stage.name, error)
        return set(), 0

    def _block(self, claim: Claim) -> None:
        if not claim.blocked:
            claim.blocked = True
            self.blocked.append(claim)
            self._any_blocked.set()

    async def write_blocked_forever(self) -> None:
        """Try again and again to write the rows that another session has locked, each alone."""
        while True:
            await self._any_blocked.wait()
            self._any_blocked.clear()
            for claim in list(self.blocked):
                self.blocked.remove(claim)
                claim.blocked = False
                try:
                    ours, rows_written = await self._write([claim])
                except BaseException:
                    self._block(claim)
                    raise
                if not claim.blocked:
                    self._count([claim], ours, rows_written)
                    self._wake()
            await asyncio.sleep(self.ROW_RETRY)

    def _count(self, claims: list[Claim], ours: set[Any], rows_written: int) -> None:
        kinds: Counter[str] = Counter(rows_written=rows_written)
        lines = []
        for claim in claims:
            self._forget(claim)
            outcome = claim.outcome
            kind = str(outcome.kind) if claim.item.id in ours else "lease_lost"
            kinds[kind] += 1
            lines.append(item_line(self.stage.name, claim, kind))
            if kind == OutcomeKind.DONE and outcome.result:
                lines += outcome.result.events
        errors = [claim.outcome.error_class for claim in claims if claim.outcome.error_class]
        tallies = [claim.item.tallies for claim in claims if claim.item.tallies]
        self.stats.items(kinds, [claim.ms for claim in claims if claim.began], errors, tallies)
        self.context.report(lines)

    def _forget(self, claim: Claim) -> None:
        """Hold it no longer; a row that was lost may be ours again by a newer claim."""
        if self.held.get(claim.item.id) is claim:
            del self.held[claim.item.id]
