"""What makes a table workable: its status column, the words in it, and the columns the engine keeps beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import CheckConstraint, Column, DateTime, Index, Integer, SmallInteger, Table, Text, text


@dataclass(frozen=True, slots=True)
class Words:
    """One table's words for the engine's states; `extra` are words that only people or rules write."""

    queued: str
    processing: str
    done: str
    failed: str
    extra: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (self.queued, self.processing, self.done, self.failed, *self.extra)


@dataclass(frozen=True, slots=True)
class Work:
    """The names of the columns that carry one stage's work on one table.

    `prefix` tells two stages on one table apart. `host` names the column with the politeness key and
    `awaits` the flag on the hosts table; both are given or neither is.
    """

    table: str
    status: str
    words: Words
    error: str
    prefix: str = ""
    due_at: str = ""
    retries: str = ""
    max_retries: str | None = None
    priority: str | None = None
    host: str | None = None
    awaits: str | None = None
    only: str = ""
    tenant: str = "tenant_id"
    id: str = "id"
    barred: str = field(default="")

    def name(self, column: str) -> str:
        given = {"due_at": self.due_at, "retries": self.retries}.get(column)
        return given or f"{self.prefix}{column}"


def work_columns(work: Work, *, default: str | None = None) -> list[Column[object]]:
    """The columns of one stage's work, its status and error included; `default` is the status of a new row."""
    status_default = None if default is None else text(f"'{default}'")
    return [
        Column(work.status, Text, server_default=status_default, nullable=default is None),
        Column(work.error, Text),
        Column(work.name("due_at"), DateTime(timezone=True), nullable=False, server_default=text("now()")),
        Column(work.name("retries"), Integer, nullable=False, server_default=text("0")),
        Column(work.name("crashes"), SmallInteger, nullable=False, server_default=text("0")),
        Column(work.name("lease_seq"), Integer, nullable=False, server_default=text("0")),
        Column(work.name("lease_until"), DateTime(timezone=True)),
        Column(work.name("worker"), Integer),
        Column(work.name("finished_at"), DateTime(timezone=True)),
    ]
