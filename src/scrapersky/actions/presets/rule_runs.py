"""Applies rules to rows that came since the last time; each application is an operation."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.curation import decide
from scrapersky.actions.delivery.sends import Send, send_contacts
from scrapersky.actions.operations import Decision
from scrapersky.actions.operations.operation import entity_of
from scrapersky.database import tenant_engine
from scrapersky.declarations import statuses
from scrapersky.engine.database import is_transient
from scrapersky.engine.outcome import reason_of
from scrapersky.errors import ActionError
from scrapersky.log import Report
from scrapersky.queries.rows.filters import Filters, conditions
from scrapersky.tables.ids import first_id

RULES = tables.rules
ROWS_AT_ONCE = 5_000
# A row may be committed this long after its identifier was made, so each run looks back.
OVERLAP = timedelta(minutes=2)


async def apply_rules(engine: AsyncEngine, report: Report, *, min_confidence: float) -> int:
    """Decide about new rows by every enabled rule; returns how many rows. The engine is the owner's.

    The rules of a disabled tenant rest, and later find what came meanwhile.
    """
    query = (
        select(RULES, func.now().label("now"))
        .join(tables.tenants, tables.tenants.c.id == RULES.c.tenant_id)
        .where(RULES.c.is_enabled, tables.tenants.c.is_active)
        .order_by(RULES.c.id)
    )
    async with engine.connect() as connection:
        rules = (await connection.execute(query)).all()
    total = 0
    for rule in rules:
        try:
            total += await _apply(tenant_engine(engine, rule.tenant_id), rule, min_confidence)
        except Exception as error:
            # Without the database none would run; but one that takes too long must not stop the others.
            if is_transient(error) and not isinstance(error, ActionError):
                raise
            reason = str(error) if isinstance(error, ActionError) else reason_of(error)
            report([{"event": "rule_failed", "level": "error", "rule": str(rule.id), "error": reason}])
    return total


async def _apply(engine: AsyncEngine, rule: Any, min_confidence: float) -> int:
    entity = entity_of(rule.table_name)
    actor = Actor(rule.tenant_id, rule.user_id, name=f"rule {rule.name}"[:200])
    total = 0
    while ids := await _new_rows(engine, rule, min_confidence):
        if rule.destination_id is not None:
            sent = await _send(engine, actor, rule, ids)
            total += sent
            if not sent or len(ids) < ROWS_AT_ONCE:
                break
            continue
        decision = Decision(
            entity=entity,
            value=rule.decision,
            ids=ids,
            filters=Filters(curation_status=statuses.NEW),
            rule_id=rule.id,
        )
        total += (await decide(engine, actor, decision)).updated
        if len(ids) < ROWS_AT_ONCE:
            break
    values = {"checked_at": rule.now, "changed_rows": RULES.c.changed_rows + total}
    async with engine.begin() as connection:
        await connection.execute(update(RULES).where(RULES.c.id == rule.id).values(values))
    return total


async def _send(engine: AsyncEngine, actor: Actor, rule: Any, ids: list[UUID]) -> int:
    """Send the contacts; what is left out is left out for good, because it has been looked at."""
    sending = Send(destination_id=rule.destination_id, ids=ids, rule_id=rule.id)
    return (await send_contacts(engine, actor, sending)).updated


async def _new_rows(engine: AsyncEngine, rule: Any, min_confidence: float) -> list[UUID]:
    async with engine.connect() as connection:
        query = _matching(rule) if rule.destination_id is None else _undelivered(rule, min_confidence)
        return list((await connection.scalars(query)).all())


def _undelivered(rule: Any, min_confidence: float) -> Select[Any]:
    """Contacts that match, whose address was validated since the last time, and that were never delivered.

    What was read must be sure enough; contacts that people added have no confidence.
    """
    entity, columns, deliveries = entity_of(rule.table_name), tables.contacts.c, tables.deliveries.c
    delivered = select(deliveries.id).where(
        deliveries.contact_id == columns.id, deliveries.destination_id == rule.destination_id
    )
    return (
        select(columns.id)
        .where(
            *conditions(entity, rule.tenant_id, Filters.from_json(rule.filters)),
            columns.email_validated_at >= rule.checked_at - OVERLAP,
            columns.created_at >= rule.enabled_at,
            columns.email_validation_result == statuses.EMAIL_RESULT[0],
            columns.email_relation.is_distinct_from("free"),
            ~columns.is_email_hidden,
            func.coalesce(columns.confidence, 1) >= min_confidence,
            ~delivered.exists(),
        )
        .order_by(columns.id)
        .limit(ROWS_AT_ONCE)
    )


def _matching(rule: Any) -> Select[Any]:
    """New rows that match the rule, and about which neither a person nor the rule has decided yet."""
    entity = entity_of(rule.table_name)
    columns = entity.table.c
    since = first_id(rule.checked_at - OVERLAP)
    journal, operations = tables.operation_rows.c, tables.operations.c
    decided = (
        select(journal.row_id)
        .join(tables.operations, operations.id == journal.operation_id)
        .where(
            operations.tenant_id == rule.tenant_id,
            operations.table_name == rule.table_name,
            operations.id >= since,
            journal.row_id == columns.id,
        )
    )
    return (
        select(columns.id)
        .where(
            *conditions(entity, rule.tenant_id, Filters.from_json(rule.filters)),
            columns[entity.curation_column] == statuses.NEW,
            columns.id >= since,
            columns.created_at >= rule.enabled_at,
            ~decided.exists(),
        )
        .order_by(columns.id)
        .limit(ROWS_AT_ONCE)
    )
