"""A queue in a status column: which column, which statuses, and the columns beside it. Plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSet:
    """The statuses of one column; `other` are those that only people and rules write."""

    queued: str
    processing: str
    done: str
    failed: str
    other: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.queued, self.processing, self.done, self.failed, *self.other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The columns in which one table carries one stage's queue.

    A new row without a status is queued if `queued_by_default`. `prefix` separates two queues on one table.
    `excluded_by` is the curation column whose `excluded_statuses` keep a row from being claimed, `condition`
    a further SQL condition. Rows are claimed by `order_by`, in which `due_at` stands for the queue's own
    column; a column before it holds priority levels from 1 to 3. A polite queue names the column of its
    politeness key: `host`.
    """

    name: str
    table: str
    status: str
    error: str
    statuses: StatusSet
    queued_by_default: bool = False
    prefix: str = ""
    due_at: str = ""
    retries: str = ""
    max_retries: str | None = None
    order_by: tuple[str, ...] = ("due_at",)
    host: str | None = None
    excluded_by: str | None = None
    excluded_statuses: tuple[str, ...] = ()
    condition: str = ""

    @property
    def order(self) -> tuple[str, ...]:
        """The columns by which rows are claimed."""
        return tuple(self.column(name) if name == "due_at" else name for name in self.order_by)

    @property
    def priority(self) -> str | None:
        """The column of the priority levels, if rows of the same level are claimed by age."""
        return self.order_by[0] if self.order_by[1:] == ("due_at",) else None

    @property
    def waiting_since(self) -> str:
        """The column of the hosts table that says since when rows of this queue are waiting for the host."""
        return f"{self.name}_waiting_since"

    def column(self, role: str) -> str:
        fixed = {"due_at": self.due_at, "retries": self.retries}.get(role)
        return fixed or f"{self.prefix}{role}"

    def claimable(self, row: str = "") -> str:
        """The condition under which a row may be claimed, as SQL over the alias `row`."""
        dot = f"{row}." if row else ""
        parts = [f"{dot}{self.status} = '{self.statuses.queued}'"]
        if self.excluded_by:
            excluded = ", ".join(f"'{status}'" for status in self.excluded_statuses)
            parts.append(f"{dot}{self.excluded_by} NOT IN ({excluded})")
        if self.condition:
            parts.append(f"{dot}{self.condition}")
        return " AND ".join(parts)
