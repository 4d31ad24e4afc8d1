"""Interval mode: a stage that claims so many rows per interval, in so many concurrent runs of the fleet.

The fleet shares one row of the table scheduler_slots for each such stage. It says in which interval the
last run began and which workers have an open run; a worker without a heartbeat does not count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from scrapersky.engine.database import Database, Statement
from scrapersky.engine.stage import Stage, StageOptions

# Begin a run if this interval has none yet, began no longer than :grace ago, and few enough runs are open.
# Our own open runs (:mine) are written as we know them: a run whose answer was lost would stay open for ever.
BEGIN_RUN = """
WITH clock AS (
  SELECT extract(epoch FROM now())::float8 AS now,
    floor(extract(epoch FROM now()) / :every::bigint)::bigint * :every AS slot),
begun AS (
  INSERT INTO scheduler_slots AS s (name, slot, last_run_at, running)
  SELECT :job::text, slot, now(), ARRAY[:worker::int] FROM clock WHERE clock.now - slot <= :grace::float8
  ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, last_run_at = now(), runs = s.runs + 1,
    running = ARRAY(SELECT r FROM unnest(s.running) r JOIN workers w ON w.id = r
                    WHERE r <> :worker AND w.heartbeat_at > now() - :lease::interval)
      || array_fill(:worker, ARRAY[:mine::int + 1])
    WHERE s.slot < excluded.slot
      AND (SELECT count(*) FROM unnest(s.running) r JOIN workers w ON w.id = r
           WHERE r <> :worker AND w.heartbeat_at > now() - :lease) + :mine < :max_instances::int
  RETURNING name)
SELECT EXISTS (SELECT FROM begun) AS begun, slot + :every - clock.now AS seconds_left,
  clock.now - slot <= :grace
    AND NOT EXISTS (SELECT FROM scheduler_slots s WHERE s.name = :job AND s.slot >= clock.slot)
    AS may_begin_later
FROM clock"""

END_RUN = """
UPDATE scheduler_slots SET running = running[1:array_position(running, :worker) - 1]
  || running[array_position(running, :worker) + 1:cardinality(running)]
WHERE name = :job AND :worker::int = ANY (running)"""

# Seconds until the next attempt while as many runs as allowed are open.
ATTEMPT_EVERY = 1.0


@dataclass(slots=True, eq=False)
class Run:
    """Permission to claim `left` more rows until `ends`, by the event loop's clock."""

    left: int
    ends: float


class Throttle:
    """The runs of one stage in this process; the runner is woken when the next one may begin."""

    def __init__(
        self,
        stage: Stage,
        options: StageOptions,
        database: Database,
        worker: int,
        lease: timedelta,
        wake_after: Callable[[timedelta], None],
    ) -> None:
        self.database, self.wake_after = database, wake_after
        self._begin_run, self._end_run = Statement(BEGIN_RUN), Statement(END_RUN)
        self._values: dict[str, Any] = {"job": stage.name, "worker": worker, "lease": lease}
        self.run: Run | None = None
        self._closed: list[Run] = []
        self.configure(options)

    def configure(self, options: StageOptions) -> None:
        """Use these options from the next run on; the run that is open claims no more."""
        self.batch = options.batch
        self._values |= {
            "every": max(1, int(options.interval.total_seconds())),
            "grace": options.misfire_grace.total_seconds(),
            "max_instances": options.max_instances,
        }
        self._ask_at = 0.0
        self._close()

    async def open(self) -> Run | None:
        """The run in which rows may be claimed now, if there is one."""
        self._close_finished()
        now = asyncio.get_running_loop().time()
        if not self.run and now >= self._ask_at:
            await self._begin(now)
        return self.run

    def _close_finished(self) -> None:
        """Close the run that has used up its rows or its time."""
        if self.run and (not self.run.left or asyncio.get_running_loop().time() >= self.run.ends):
            self._close()

    def _close(self) -> None:
        if self.run:
            self._closed.append(self.run)
            self.run = None

    async def _begin(self, now: float) -> None:
        values = {**self._values, "mine": len(self._closed)}
        rows = await self.database.with_retry(lambda: self.database.fetch(self._begin_run, values))
        answer, wait = rows[0], rows[0].seconds_left
        if answer.begun:
            self.run = Run(self.batch, now + wait)
        elif answer.may_begin_later:
            wait = min(ATTEMPT_EVERY, wait)
        self._ask_at = now + wait
        self.wake_after(timedelta(seconds=wait))

    async def end(self, busy: Set[Run | None] = frozenset()) -> None:
        """End the runs that may claim no more and of which no row is running.

        A worker that may not claim at present does so too, or it would keep others from beginning theirs.
        """
        self._close_finished()
        for run in [run for run in self._closed if run not in busy]:
            self._closed.remove(run)
            await self.database.with_retry(lambda: self.database.fetch(self._end_run, self._values))

    async def close(self) -> None:
        """End all runs: the process is stopping."""
        self._close()
        self._ask_at = float("inf")
        await self.end()
