"""Runs of a stage that is not drained continuously: so many rows per interval, so many runs at once.

The whole fleet shares one row of the schedules table for each such stage. It says in which interval the last
run began and which workers have a run open; a worker that is no longer heard of does not count.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import BigInteger, Float, Integer, Interval, Text, bindparam, text

from scrapersky.engine.database import Database
from scrapersky.engine.stage import Stage, StageOptions

# Begin a run if this interval has none yet, began no longer than the grace ago, and few enough runs are open.
# Our own open runs (:mine) are written as we know them: a run whose answer was lost would stay open for ever.
BEGIN = text("""
WITH clock AS (
  SELECT extract(epoch FROM now())::float8 AS now,
    floor(extract(epoch FROM now()) / :every)::bigint * :every AS slot),
begun AS (
  INSERT INTO schedules AS s (name, slot, last_run_at, running)
  SELECT :job, slot, now(), ARRAY[:me] FROM clock WHERE clock.now - slot <= :grace
  ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, last_run_at = now(), runs = s.runs + 1,
    running = ARRAY(SELECT r FROM unnest(s.running) r JOIN workers w ON w.id = r
                    WHERE r <> :me AND w.heartbeat_at > now() - :lease) || array_fill(:me, ARRAY[:mine + 1])
    WHERE s.slot < excluded.slot
      AND (SELECT count(*) FROM unnest(s.running) r JOIN workers w ON w.id = r
           WHERE r <> :me AND w.heartbeat_at > now() - :lease) + :mine < :max_instances
  RETURNING name)
SELECT EXISTS (SELECT FROM begun) AS begun, slot + :every - clock.now AS left,
  clock.now - slot <= :grace
    AND NOT EXISTS (SELECT FROM schedules s WHERE s.name = :job AND s.slot >= clock.slot) AS may_begin_later
FROM clock""").bindparams(
    bindparam("job", type_=Text),
    bindparam("me", type_=Integer),
    bindparam("mine", type_=Integer),
    bindparam("every", type_=BigInteger),
    bindparam("grace", type_=Float),
    bindparam("max_instances", type_=Integer),
    bindparam("lease", type_=Interval),
)

END = text(r"""
UPDATE schedules SET running = running[\:array_position(running, :me) - 1]
  || running[array_position(running, :me) + 1\:]
WHERE name = :job AND :me = ANY (running)""").bindparams(
    bindparam("job", type_=Text), bindparam("me", type_=Integer)
)

# Seconds until the next look while as many runs as allowed are open.
AGAIN = 1.0


@dataclass(slots=True, eq=False)
class Run:
    """Permission to claim `left` more rows until `ends`, by the event loop's clock."""

    left: int
    ends: float


class Throttle:
    """The runs of one stage in this process; `wake_in` is told when the next one may begin."""

    def __init__(
        self,
        stage: Stage,
        tuning: StageOptions,
        database: Database,
        me: int,
        lease: timedelta,
        wake_in: Callable[[timedelta], None],
    ) -> None:
        self.database, self.batch, self.wake_in = database, tuning.batch, wake_in
        every = max(1, int(tuning.interval.total_seconds()))
        self._values: dict[str, Any] = {"job": stage.name, "every": every, "me": me, "lease": lease}
        self._values |= {
            "grace": tuning.misfire_grace.total_seconds(),
            "max_instances": tuning.max_instances,
        }
        self.run: Run | None = None
        self._closed: list[Run] = []
        self._ask_at = 0.0

    async def open(self) -> Run | None:
        """The run in which rows may be claimed now, if there is one."""
        self._close_over()
        now = asyncio.get_running_loop().time()
        if not self.run and now >= self._ask_at:
            await self._begin(now)
        return self.run

    def _close_over(self) -> None:
        """Close the run that has used up its rows or its time."""
        if self.run and (not self.run.left or asyncio.get_running_loop().time() >= self.run.ends):
            self._closed.append(self.run)
            self.run = None

    async def _begin(self, now: float) -> None:
        values = {**self._values, "mine": len(self._closed)}
        answer = (await self.database.with_retry(lambda: self.database.rows(BEGIN, values)))[0]
        if answer.begun:
            self.run = Run(self.batch, now + answer.left)
        wait = min(AGAIN, answer.left) if answer.may_begin_later and not answer.begun else answer.left
        self._ask_at = now + wait
        self.wake_in(timedelta(seconds=wait))

    async def end(self, busy: Set[Run | None] = frozenset()) -> None:
        """Give back the runs that may claim no more and have no row in work.

        A worker that may not claim at present does so too, or it would keep the others from beginning theirs.
        """
        self._close_over()
        for run in [run for run in self._closed if run not in busy]:
            self._closed.remove(run)
            await self.database.with_retry(self._give_back)

    async def _give_back(self) -> None:
        await self.database.rows(END, {name: self._values[name] for name in ("job", "me")})

    async def close(self) -> None:
        """Give back all runs: the process ends."""
        if self.run:
            self._closed.append(self.run)
            self.run = None
        self._ask_at = float("inf")
        await self.end()
