"""The queue as a state machine: random steps against the real database and a model of a few lines (E1)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from lab import QUICK, results, stage, things, workers
from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.engine.claims import Claim, Claims
from scrapersky.engine.database import Database
from scrapersky.engine.outcome import RELEASED, Discard, Outcome, OutcomeKind, Snooze, outcome_of
from scrapersky.engine.rescue import rescue_statement
from scrapersky.engine.stage import Item, Result
from scrapersky.engine.writer import Writer

OPTIONS = replace(QUICK, lease=timedelta(hours=1), retry_base=timedelta(minutes=1))
WORKERS = (1, 2)
KEYS = st.sampled_from([f"k{n}" for n in range(3)])
ERRORS = {
    "retry": ValueError("no"),
    "later": Snooze("not now", wait=timedelta(hours=1)),
    "give up": Discard("never"),
}


@dataclass
class Row:
    """What the model knows of one row."""

    status: str = "Queued"
    retries: int = 0
    rescues: int = 0
    crashes: int = 0
    alone: int = 0
    seq: int = 0
    worker: int | None = None
    due: bool = True
    expired: bool = False
    rejected: bool = False
    word: str | None = None

    @property
    def claimable(self) -> bool:
        return self.status == "Queued" and self.due and not self.rejected

    def queue(self) -> None:
        if self.status == "Queued":
            return
        if self.status != "Processing":
            self.retries = self.rescues = self.crashes = 0
            self.due = True
        self.status, self.worker = "Queued", None

    def holds(self, claim: ModelClaim) -> bool:
        return self.status == "Processing" and (self.seq, self.worker) == (claim.item.seq, claim.worker)


@dataclass(frozen=True)
class ModelClaim:
    """One claim of one row, current or stale."""

    key: str
    worker: int
    item: Item


async def save_last(connection: Any, rows: Any) -> int:
    """A row may be queued and done again, so the newest result stands."""
    statement = insert(results)
    newest = {"word": statement.excluded.word}
    statement = statement.on_conflict_do_update(index_elements=["thing_id"], set_=newest)
    # The note of a failure comes as a row, too; this lab keeps none.
    if found := [row for _, row in rows if isinstance(row, dict)]:
        await connection.execute(statement, found)
    return len(found)


class Queue(RuleBasedStateMachine):
    claims = Bundle("claims")

    def __init__(self, runner: asyncio.Runner, engine: AsyncEngine) -> None:
        super().__init__()
        self.runner, self.engine = runner, engine
        self.model: dict[str, Row] = {}
        database, one = Database(engine), stage(reads=("key",))
        self.claims_by = {me: Claims(one, database, me, OPTIONS) for me in WORKERS}
        self.writers = {me: Writer(one, database, me, save_last) for me in WORKERS}
        self.database, self.sweep = database, rescue_statement(one)

    def say(self, statement: Any, values: dict[str, Any] | None = None) -> list[Any]:
        return self.runner.run(self.database.rows(statement, values))

    @initialize(keys=st.sets(KEYS, min_size=1))
    def begin(self, keys: set[str]) -> None:
        self.say(text("TRUNCATE things, results, zombies, workers"))
        for key in sorted(keys):
            self.enqueue(key)

    # ---- people

    @rule(key=KEYS, what=st.sampled_from(["enqueue", "queue_again", "reject", "select", "filter_out"]))
    def decide(self, key: str, what: str) -> None:
        """One rule for all that people do, so that most steps are those of workers."""
        getattr(self, what)(key)

    def enqueue(self, key: str) -> None:
        self.say(insert(things).values(key=key).on_conflict_do_nothing())
        self.model.setdefault(key, Row())

    def queue_again(self, key: str) -> None:
        self.change(key, status="Queued")
        if row := self.model.get(key):
            row.queue()

    def reject(self, key: str) -> None:
        self.change(key, curation="Rejected")
        if row := self.model.get(key):
            row.rejected = True

    def select(self, key: str) -> None:
        self.change(key, curation="Selected")
        if row := self.model.get(key):
            row.rejected = False

    def filter_out(self, key: str) -> None:
        self.change(key, status="Filtered", lease_until=None)
        if row := self.model.get(key):
            row.status = "Filtered"

    def change(self, key: str, **values: Any) -> None:
        self.say(update(things).where(things.c.key == key).values(**values))

    # ---- workers

    @rule(target=claims, number=st.integers(1, 3))
    def claim_by_one(self, number: int) -> Any:
        return self.claim(1, number)

    @rule(target=claims, number=st.integers(1, 3))
    def claim_by_the_other(self, number: int) -> Any:
        return self.claim(2, number)

    def claim(self, me: int, number: int) -> Any:
        waiting = sum(row.claimable for row in self.model.values())
        batches = self.runner.run(self.claims_by[me].take(number, 1))
        taken = [ModelClaim(visit.items[0].row.key, me, visit.items[0]) for visit in batches]
        assert len(taken) == min(number, waiting)
        for one in taken:
            row = self.model[one.key]
            assert row.claimable, "a row was claimed that was not to be had"
            row.status, row.worker, row.expired = "Processing", me, False
            row.seq += 1
            assert one.item.seq == row.seq
            tried = (one.item.retries, one.item.rescues, one.item.crashes)
            assert tried == (row.retries, row.rescues, row.crashes)
        return multiple(*taken)

    def write(self, claim: ModelClaim, outcome: Outcome) -> bool:
        """Write it as its worker would; says whether it counted, which it must exactly when it is current."""
        row = self.model[claim.key]
        held = Claim(claim.item, 0.0, outcome=outcome)
        kept, _ = self.runner.run(self.writers[claim.worker].write([held]))
        assert (kept == {claim.item.id}) == row.holds(claim)
        return bool(kept)

    @rule(claim=claims)
    def finish(self, claim: ModelClaim) -> None:
        word = str(claim.item.seq)
        done = Result(rows=[{"thing_id": claim.item.id, "word": word}])
        if self.write(claim, Outcome(OutcomeKind.DONE, result=done)):
            row = self.model[claim.key]
            row.status, row.word = "Complete", word

    @rule(claim=claims, kind=st.sampled_from(sorted(ERRORS)))
    def fail(self, claim: ModelClaim, kind: str) -> None:
        outcome = outcome_of(ERRORS[kind], claim.item, OPTIONS, chance=0.5)
        if self.write(claim, outcome):
            row = self.model[claim.key]
            if kind == "give up" or (kind == "retry" and row.retries == 3):
                row.status = "Error"
            else:
                row.status, row.worker, row.due = "Queued", None, False
                row.retries += kind == "retry"

    @rule(claim=claims)
    def give_back(self, claim: ModelClaim) -> None:
        if self.write(claim, RELEASED):
            row = self.model[claim.key]
            row.status, row.worker, row.due = "Queued", None, True

    @rule(claim=claims)
    def renew(self, claim: ModelClaim) -> None:
        row = self.model[claim.key]
        kept = self.runner.run(self.writers[claim.worker].renew([claim.item], OPTIONS.lease))
        assert (kept == {claim.item.id}) == row.holds(claim)
        if kept:
            row.expired = False

    @rule(claim=claims)
    def run_alone(self, claim: ModelClaim) -> None:
        """Its worker says that it runs nothing else, and is not heard of again."""
        me, item = claim.worker, claim.item
        self.say(text("DELETE FROM workers WHERE id = :me"), {"me": me})
        mark = f"make_thing:{item.id}:{item.seq}"
        long_ago = func.now() - timedelta(days=1)
        self.say(insert(workers).values(id=me, alone=mark, heartbeat_at=long_ago))
        for key, row in self.model.items():
            if key == claim.key:
                row.alone = item.seq
            elif row.worker == me:
                row.alone = 0

    # ---- time

    @rule(claim=claims)
    def stall(self, claim: ModelClaim) -> None:
        key, past = claim.key, func.now() - timedelta(seconds=1)
        mine = update(things).where(things.c.key == key, things.c.status == "Processing")
        self.say(mine.values(lease_until=past))
        self.model[key].expired = self.model[key].status == "Processing"

    @rule()
    def rescue(self) -> None:
        expired = [row for row in self.model.values() if row.status == "Processing" and row.expired]
        values = {"limit": 100, "max_crashes": OPTIONS.max_crashes, "worker": 99, "held": []}
        values |= {"lease": OPTIONS.lease, "wait": OPTIONS.retry_base, "max_wait": OPTIONS.retry_cap}
        found = self.runner.run(self.database.fetch(self.sweep, values))
        assert len(found) == len(expired)
        for row in expired:
            alone = row.alone == row.seq
            row.rescues += 1
            row.crashes += alone
            if row.crashes >= OPTIONS.max_crashes:
                row.status = "Error"
            else:
                row.status, row.worker, row.due = "Queued", None, row.due and not alone

    @rule()
    def pass_time(self) -> None:
        self.say(update(things).values(due_at=func.now()))
        for row in self.model.values():
            row.due = True

    # ---- what must always hold

    @invariant()
    def database_and_model_agree(self) -> None:
        query = select(things, results.c.word).outerjoin(results, results.c.thing_id == things.c.id)
        found = {row.key: row for row in self.say(query)}
        assert found.keys() == self.model.keys(), "a row was lost or made twice"
        for key, row in self.model.items():
            there = found[key]
            assert (there.status, there.retries) == (row.status, row.retries)
            assert (there.rescues, there.crashes) == (row.rescues, row.crashes)
            assert (there.lease_seq, there.word) == (row.seq, row.word)
            assert (there.lease_until is not None) == (row.status == "Processing")
            assert there.retries <= 3
            assert there.crashes <= 3
            if row.status in ("Queued", "Processing"):
                assert there.worker == row.worker
            if row.status == "Error":
                assert there.error
