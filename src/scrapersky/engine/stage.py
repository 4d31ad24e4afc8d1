"""A stage: what it reads, the one function it runs on each row, and what that function gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.declarations.queue import Queue


@dataclass(slots=True, eq=False)
class Item:
    """One claimed row: `row` has the columns its stage reads, `seq` is this claim's fencing number.

    `rescues` says how often its worker was lost while it held the row, `crashes` how often that happened
    while it ran nothing but this row.
    """

    id: Any
    tenant_id: Any
    row: Any
    seq: int
    retries: int
    crashes: int
    max_retries: int
    host: str | None = None
    rescues: int = 0

    @property
    def attempt(self) -> int:
        """The number of this attempt, counted from 1; those whose worker was lost count too."""
        return self.retries + self.rescues + 1


@dataclass(frozen=True, slots=True)
class Result:
    """What a stage's function found: fields to set on its own row, and rows for the next tables."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[Any] = ()
    status: str | None = None
    # Lines for the log, written once all this is stored.
    events: Sequence[dict[str, Any]] = ()


Run = Callable[[Item, Any], Awaitable[Result | None]]
Save = Callable[[AsyncConnection, Sequence[tuple[Item, Any]]], Awaitable[int]]


async def save_nothing(connection: AsyncConnection, rows: Sequence[tuple[Item, Any]]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A declaration that reads like a line of the pipeline's table.

    `reads` are the columns handed to the function; `feeds` is the work this stage makes more of, for
    back-pressure; `job_id` is its stable name on the schedule.
    """

    queue: Queue
    table: Table
    run: Run
    reads: tuple[str, ...] = ()
    job_id: str = ""
    feeds: Queue | None = None

    @property
    def name(self) -> str:
        return self.queue.name


@dataclass(frozen=True, slots=True)
class StageOptions:
    """How one stage is run; all but two figures come from settings.

    `limit` is the number of rows to take in all, `ids` names the only rows to take.

    A stage that is not `continuous` claims at most `batch` rows per `interval` in the whole fleet, by at most
    `max_instances` runs at once; a run that could not begin within `misfire_grace` waits for the next one.
    """

    continuous: bool = True
    batch: int = 100
    batch_floor: int = 1
    concurrency: int = 20
    interval: timedelta = timedelta(minutes=1)
    max_instances: int = 1
    misfire_grace: timedelta = timedelta(minutes=1)
    timeout: timedelta = timedelta(seconds=55)
    per_host: int = 10
    high_water: int = 0
    low_water: int = 0
    target: timedelta = timedelta(seconds=5)
    limit: int | None = None
    ids: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the engine itself behaves; every figure comes from a setting."""

    lease: timedelta = timedelta(seconds=60)
    heartbeat: timedelta = timedelta(seconds=15)
    sweep: timedelta = timedelta(seconds=10)
    grace: timedelta = timedelta(seconds=30)
    max_retries: int = 3
    retry_base: timedelta = timedelta(minutes=1)
    retry_cap: timedelta = timedelta(hours=1)
    retry_jitter: float = 0.2
    max_crashes: int = 3
    flush_items: int = 100
    flush_after: timedelta = timedelta(milliseconds=100)
    poll_first: timedelta = timedelta(milliseconds=50)
    poll_longest: timedelta = timedelta(milliseconds=500)
    poll_listening: timedelta = timedelta(seconds=2)
    listen: bool = True
    host_delay: timedelta = timedelta(seconds=1)
    host_errors: int = 5
    host_backoff: timedelta = timedelta(minutes=5)
    host_backoff_factor: int = 3
