"""Rows of lost workers: returned to the queue, and run in isolation when suspected of killing workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item, Stage

# A row that this many lost workers held is run alone: only then is a crash certainly its own.
SUSPECT_RESCUES = 2
# The class of such a failure, where others have that of their exception.
CRASH_CLASS = "WorkerCrashed"

# Give back up to :limit rows whose lease ran out and that no living worker holds; note each as a zombie.
# Every worker runs it; SKIP LOCKED makes that safe. A living worker keeps what it holds, even when a lock
# kept it from renewing the lease; only it knows what it does not hold, so it rescues those rows itself.
# A dying worker holds many innocent rows: only a crash while the row ran alone counts against it.
# The claim that a worker runs alone is written by `RunnerContext.isolate`.
RESCUE = """
WITH expired AS MATERIALIZED (
  SELECT t.id, t.{worker} AS worker, t.{crashes} AS crashes,
    coalesce(w.alone = concat('{stage}:', t.id, ':', t.{lease_seq}), false) AS alone
  FROM {table} AS t LEFT JOIN workers AS w ON w.id = t.{worker}
  WHERE t.{lease_until} < now() AND (w.id IS NULL OR w.heartbeat_at < now() - :lease::interval
    OR w.id = :worker AND t.id <> ALL (:held::{id_type}[]))
  ORDER BY t.{lease_until} LIMIT :limit FOR UPDATE OF t SKIP LOCKED
), judged AS (
  SELECT *, alone AND crashes + 1 >= :max_crashes AS is_fatal FROM expired
), freed AS (
  UPDATE {table} AS t SET
    {status} = CASE WHEN j.is_fatal THEN {failed} ELSE {queued} END,
    {error} = CASE WHEN j.is_fatal THEN 'crashed worker' ELSE 'lease ran out; its worker is gone' END,
    {rescues} = t.{rescues} + 1,
    {crashes} = t.{crashes} + j.alone::int,
    {due_at} = CASE WHEN j.alone
      THEN now() + least(power(2, t.{crashes}) * :wait::interval, :max_wait::interval) ELSE t.{due_at} END,
    {lease_until} = NULL,
    {finished_at} = CASE WHEN j.is_fatal THEN now() END
  FROM judged AS j WHERE t.id = j.id
  RETURNING t.id, t.tenant_id, j.worker, t.{crashes} AS crashes, j.alone, j.is_fatal, {domain} AS domain
), noted AS (
INSERT INTO zombies (stage, table_name, row_id, tenant_id, worker, crashes, reason)
SELECT '{stage}', '{table}', id::text, tenant_id, worker, crashes,
  CASE WHEN is_fatal THEN 'crashed worker' WHEN alone THEN 'worker crashed while it ran nothing else'
    ELSE 'lease ran out' END
FROM freed)
SELECT id, crashes, is_fatal, domain FROM freed"""


def rescue_statement(stage: Stage) -> Statement:
    domain = f"t.{stage.queue.host}" if stage.queue.host else "NULL::text"
    return stage.statement(RESCUE, domain=domain)


def crash_line(stage: str, row: Any) -> dict[str, Any]:
    """What the log says about a row that failed because its workers died; there is no traceback (R252)."""
    line = {"event": "item_processed", "level": "error", "stage": stage, "id": row.id, "state": "failed"}
    line |= {"error": "crashed worker", "class": CRASH_CLASS, "crashes": row.crashes}
    return line | {"domain": row.domain} if row.domain else line


def is_suspect(item: Item) -> bool:
    return item.crashes > 0 or item.rescues >= SUSPECT_RESCUES


class Isolation:
    """Who may run in this process: every item, or one suspect alone."""

    def __init__(self) -> None:
        self.running = 0
        self._open = asyncio.Event()
        self._open.set()
        self._empty = asyncio.Event()
        self._one_suspect = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    def enter(self) -> None:
        self.running += 1

    def leave(self) -> None:
        self.running -= 1
        if not self.running:
            self._empty.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Let nothing new run and wait until nothing runs; open again afterwards."""
        async with self._one_suspect:
            self._open.clear()
            try:
                while self.running:
                    self._empty.clear()
                    await self._empty.wait()
                yield
            finally:
                self._open.set()
