"""Begins operations: checks the decision, counts its rows, and writes the operation with its audit entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.installation.quotas import require_queue_room
from scrapersky.actions.operations.changes import CURATE, DELIVER_CONTACTS, RESET, RUN, RowChange
from scrapersky.actions.operations.leases import LEASE
from scrapersky.actions.operations.operation import Operation
from scrapersky.declarations import statuses
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.log import pluralize
from scrapersky.queries.read_model import in_array
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import Filters, conditions, parse_curation_status, parse_filters
from scrapersky.queries.rows.lists import ListQuery

MAX_IDS = 100_000
# Below this number every difference from the expected count matters; above it, more than one percent.
EXACT_BELOW = 100
TOLERATED_PERCENT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An action on the rows with the ids, or on all that match the filters; with both, on those that match.

    `expected` is the number of rows that the person was shown.
    """

    entity: Entity
    action: str = CURATE
    value: str | None = None
    ids: Sequence[UUID] | None = None
    filters: Filters | None = None
    expected: int | None = None
    grace: timedelta = timedelta(0)
    rule_id: UUID | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str | None:
        """The curation status that the rows get, or the destination that contacts go to."""
        if self.action == RESET:
            return statuses.NEW
        if self.action == DELIVER_CONTACTS:
            return self.value
        return parse_curation_status(self.value or "") if self.action == CURATE else None

    def check(self) -> None:
        if self.ids is None and self.filters is None:
            raise InvalidInput("Ids or a filter are required")
        if self.ids is not None and len(self.ids) > MAX_IDS:
            raise InvalidInput(f"More than {MAX_IDS:,} ids; use a filter")
        if self.action == CURATE:
            parse_curation_status(self.value or "")
        parse_filters(self.entity, (self.filters or Filters()).params)


async def count_rows(engine: AsyncEngine, actor: Actor, decision: Decision) -> int:
    """The number of rows that the decision would change now."""
    decision.check()
    entity, filters = decision.entity, decision.filters or Filters()
    query = ListQuery(engine, actor.tenant_id)
    if decision.ids is None:
        return await query.count(entity, filters)
    matching = conditions(entity, actor.tenant_id, filters)
    is_named = in_array(entity.table.c.id, set(decision.ids))
    return int(await query.scalar(select(func.count()).select_from(entity.table).where(is_named, *matching)))


def check_expected(expected: int | None, actual: int) -> None:
    """Refuse a decision about other rows than the person was shown."""
    if expected is None or expected == actual:
        return
    if min(expected, actual) >= EXACT_BELOW and abs(actual - expected) * 100 <= expected * TOLERATED_PERCENT:
        return
    raise Conflict(
        f"You expected {pluralize(expected, 'row')}, but {actual:,} match now",
        expected=expected,
        actual=actual,
    )


async def create_operation(
    engine: AsyncEngine, actor: Actor, decision: Decision, *, matched: int, is_leased: bool
) -> Operation:
    """Write the operation; with a lease the caller runs it, otherwise any process does."""
    decision.check()
    if decision.action in (RUN, DELIVER_CONTACTS) or decision.status == statuses.SELECTED:
        await require_queue_room(engine, actor.tenant_id, matched)
    async with engine.begin() as connection:
        return await insert_operation(
            connection, actor, _values(actor, decision, matched), is_leased=is_leased
        )


async def add_operation(
    connection: AsyncConnection, actor: Actor, decision: Decision, *, matched: int
) -> Operation:
    """Add an operation that any process runs, in the caller's transaction."""
    return await insert_operation(connection, actor, _values(actor, decision, matched), is_leased=False)


def _values(actor: Actor, decision: Decision, matched: int) -> dict[str, Any]:
    change = RowChange(decision.entity, decision.action, decision.status, actor.user_id)
    ids = None if decision.ids is None else sorted(set(decision.ids))
    return {
        "action": decision.action,
        "table_name": decision.entity.table.name,
        "value": decision.status,
        "filters": (decision.filters or Filters()).to_json(),
        "ids": ids,
        "journaled_columns": list(change.journaled_columns),
        "grace_seconds": int(decision.grace.total_seconds()),
        "expected": decision.expected,
        "matched": matched,
        "rule_id": decision.rule_id,
        "options": dict(decision.options),
    }


async def insert_operation(
    connection: AsyncConnection, actor: Actor, values: dict[str, Any], *, is_leased: bool
) -> Operation:
    """Add the operation and its audit entry, in the caller's transaction."""
    who = {
        "tenant_id": actor.tenant_id,
        "created_by": actor.user_id,
        "actor": actor.name,
        "correlation_id": actor.correlation_id,
    }
    lease: dict[str, Any] = {
        "status": statuses.OPERATION_RUNNING,
        "lease_token": uuid4(),
        "lease_until": func.now() + LEASE,
        "started_at": func.now(),
    }
    operations = tables.operations
    query = insert(operations).values({**values, **who, **(lease if is_leased else {})}).returning(operations)
    operation = Operation.from_row((await connection.execute(query)).one())
    about = {name: values[name] for name in ("value", "filters", "matched") if values.get(name)}
    await record(
        connection,
        actor,
        f"{operation.entity.name}.{operation.action}",
        table=values["table_name"],
        after=about,
        operation_id=operation.id,
    )
    return operation
