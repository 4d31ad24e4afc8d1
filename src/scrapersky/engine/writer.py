"""Writes settled items: results, new rows and status in one transaction, and only what is still ours."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine import settling
from scrapersky.engine.database import Database, Statement, is_lock_timeout
from scrapersky.engine.outcome import RELEASED, FailureNote, Outcome
from scrapersky.engine.stage import Item, Save, Stage
from scrapersky.engine.throttle import Run

# Milliseconds for which a batch waits for a row that somebody else has locked.
LOCK_PATIENCE = "1000"


@dataclass(slots=True, eq=False)
class Held:
    """An item that is ours from its claim until it is settled; `outcome` is what became of it."""

    item: Item
    since: float
    outcome: Outcome | None = None
    ms: float = 0.0
    began: float = 0.0
    task: asyncio.Task[None] | None = None
    lost: bool = False
    overdue: bool = False
    blocked: bool = False
    run: Run | None = None

    @property
    def outcome_(self) -> Outcome:
        return self.outcome or RELEASED


class Locked(Exception):
    """Somebody else has locked a row for longer than we wait; nothing was written."""


class Writer:
    def __init__(self, stage: Stage, database: Database, me: int, save: Save) -> None:
        self.stage, self.database, self.me, self.save = stage, database, me, save
        self._finish = Statement(settling.finish(stage))
        self._settle = Statement(settling.settle(stage))
        self._renew = Statement(settling.renew(stage))
        self._unlocked = Statement(settling.unlocked(stage))
        self._finish_with: dict[tuple[str, ...], Statement] = {}

    async def write(self, entries: list[Held]) -> tuple[set[Any], int]:
        """Write all entries or none; gives the ids that were still ours and the number of new rows."""
        try:
            return await self._write(entries)
        except Exception as error:
            if is_lock_timeout(error):
                raise Locked from error
            raise

    async def _write(self, entries: list[Held]) -> tuple[set[Any], int]:
        calls = self._calls(entries)
        rows = [(entry, found) for entry in entries if (found := self._rows(entry))]
        if len(calls) == 1 and not rows:
            return {row.id for row in await self.database.fetch(*calls[0])}, 0

        async def operation(connection: AsyncConnection) -> tuple[set[Any], int]:
            kept: set[Any] = set()
            for prepared, values in calls:
                kept |= {row.id for row in await prepared.run(connection, values)}
            found = [(entry.item, row) for entry, some in rows if entry.item.id in kept for row in some]
            return kept, await self.save(connection, found) if found else 0

        return await self.database.in_transaction(operation)

    def _rows(self, entry: Held) -> Sequence[Any]:
        """What is saved with the entry: the rows it found, or the note of its failure."""
        outcome, item = entry.outcome_, entry.item
        if outcome.kind == "failed":
            name, reason = outcome.error_class or "", outcome.reason or ""
            return [FailureNote(self.stage.name, name, reason, outcome.traceback, item.attempt)]
        return outcome.result.rows if outcome.result else ()

    def _calls(self, entries: list[Held]) -> list[tuple[Statement, dict[str, Any]]]:
        plain: list[Held] = []
        undone: list[Held] = []
        with_fields: dict[tuple[str, ...], list[Held]] = defaultdict(list)
        for entry in entries:
            done = entry.outcome_.result
            if entry.outcome_.kind != "done":
                undone.append(entry)
            elif done and (done.fields or done.status):
                with_fields[tuple(sorted(done.fields))].append(entry)
            else:
                plain.append(entry)
        calls = [(self._finish, self._pairs(plain))] if plain else []
        calls += [self._with_fields(fields, group) for fields, group in with_fields.items()]
        return calls + ([(self._settle, self._undone(undone))] if undone else [])

    def _pairs(self, entries: list[Held]) -> dict[str, Any]:
        ids, seqs = [entry.item.id for entry in entries], [entry.item.seq for entry in entries]
        return {"id_list": ids, "seq_list": seqs, "me": self.me, "patience": LOCK_PATIENCE}

    def _with_fields(self, fields: tuple[str, ...], entries: list[Held]) -> tuple[Statement, dict[str, Any]]:
        if fields not in self._finish_with:
            self._finish_with[fields] = Statement(settling.finish_with(self.stage, fields))
        items = []
        for entry in entries:
            done = entry.outcome_.result
            given = dict(done.fields) if done else {}
            word = (done and done.status) or self.stage.queue.statuses.done
            items.append({**given, "id": entry.item.id, "seq": entry.item.seq, "_status": word})
        values = {"items": orjson.dumps(items, default=_json_value).decode()}
        return self._finish_with[fields], {**values, "me": self.me, "patience": LOCK_PATIENCE}

    def _undone(self, entries: list[Held]) -> dict[str, Any]:
        statuses = self.stage.queue.statuses
        outcomes = [entry.outcome_ for entry in entries]
        return {
            **self._pairs(entries),
            "status_list": [statuses.failed if o.kind == "failed" else statuses.queued for o in outcomes],
            "error_list": [o.reason for o in outcomes],
            "wait_list": [o.wait for o in outcomes],
            "until_list": [o.until for o in outcomes],
            "retried_list": [1 if o.kind == "retried" else 0 for o in outcomes],
        }

    async def renew(self, items: list[Item], lease: timedelta) -> set[Any]:
        values = {"id_list": [item.id for item in items], "seq_list": [item.seq for item in items]}
        rows = await self.database.fetch(self._renew, {**values, "lease": lease, "me": self.me})
        return {row.id for row in rows}

    async def unlocked(self, entries: list[Held]) -> set[Any]:
        """The ids of those that could be written now."""
        return {row.id for row in await self.database.fetch(self._unlocked, self._pairs(entries))}


def _json_value(value: Any) -> str:
    """A value that JSON lacks, as PostgreSQL reads its type; bytea is written in hexadecimal."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)
