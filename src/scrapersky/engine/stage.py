"""A stage: its queue, the function that runs on each row, and what that function returns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import Statement, type_name

# The columns of a queue; each has a role and, in two queues on one table, a prefix.
ROLES = (
    "due_at", "retries", "rescues", "crashes", "lease_seq", "lease_until", "worker", "finished_at",
    "correlation_id",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Item:
    """One claimed row: `row` has the columns that its stage reads, `seq` is the fencing number of the claim.

    `rescues` counts the workers that were lost while they held the row, `crashes` those that ran nothing but
    this row. `host` is the host that is leased for the item, if its stage is polite.
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
    # The request that queued the row, if one did.
    correlation_id: str | None = None
    # What its function counted beside the outcome, by name.
    tallies: dict[str, int] | None = None

    def count(self, name: str, number: int = 1) -> None:
        """Add to a figure of the stage, such as the requests that were sent; written with the outcome."""
        self.tallies = self.tallies or {}
        self.tallies[name] = self.tallies.get(name, 0) + number

    @property
    def attempt(self) -> int:
        """The number of this attempt, counted from 1; those whose worker was lost count too."""
        return self.retries + self.rescues + 1


# What runs in the current task, for those who account for its cost.
RUNNING_ITEM: ContextVar[Item | None] = ContextVar("running_item", default=None)


@dataclass(frozen=True, slots=True)
class Result:
    """What a stage's function returns: fields of its own row, and rows for other tables."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[Any] = ()
    status: str | None = None
    # Log lines, written once all this is stored.
    events: Sequence[dict[str, Any]] = ()


Run = Callable[[Item, Any], Awaitable[Result | None]]
Save = Callable[[AsyncConnection, Sequence[tuple[Item, Any]]], Awaitable[int]]


async def save_nothing(connection: AsyncConnection, rows: Sequence[tuple[Item, Any]]) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A queue and the function that runs on its rows.

    `reads` are the columns handed to the function; `feeds` is the queue that this stage fills, for
    back-pressure; `job_id` is its stable name on the schedule; `queues` are the names of the stages that it
    hands rows over to, in which a visit of its host continues.
    """

    queue: Queue
    table: Table
    run: Run
    reads: tuple[str, ...] = ()
    job_id: str = ""
    feeds: Queue | None = None
    queues: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.queue.name

    def statement(self, template: str, **more: str) -> Statement:
        return Statement(self.sql(template, **more))

    def sql(self, template: str, **more: str) -> str:
        """SQL over this stage's queue: {table}, {status}, {due_at}, {queued} and the like are its names.

        {claimable} is the condition for a claim, {ours} that the row `t` is still ours by the claim `v`.
        """
        queue, statuses = self.queue, self.queue.statuses
        names = {role: queue.column(role) for role in ROLES}
        names |= {name: f"'{getattr(statuses, name)}'" for name in ("queued", "processing", "done", "failed")}
        names |= {"table": queue.table, "stage": queue.name, "status": queue.status, "error": queue.error}
        names |= {"host": str(queue.host), "waiting_since": queue.waiting_since}
        names |= {"priority": str(queue.priority), "id_type": type_name(self.table.c.id.type)}
        names["order"] = ", ".join(queue.order)
        names["claimable"] = queue.claimable()
        names["ours"] = (
            "t.id = v.id AND t.{lease_seq} = v.seq AND t.{worker} = :worker AND t.{status} = {processing}"
        ).format_map(names)
        return template.format_map(names | more)


@dataclass(frozen=True, slots=True)
class StageOptions:
    """How one stage is run. `limit` is the number of rows to claim in all, `ids` are the only rows to claim.

    A stage that is not `continuous` claims at most `batch` rows per `interval` in the whole fleet, in at most
    `max_instances` concurrent runs; a run that cannot begin within `misfire_grace` waits for the next one.
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
    """How the engine behaves; each value comes from a setting."""

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
    # Whether a worker that holds a host continues with the next stages there, and for how long.
    visits: bool = False
    visit_time: timedelta = timedelta(seconds=60)
