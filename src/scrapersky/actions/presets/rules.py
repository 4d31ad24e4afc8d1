"""Rules: decisions about new rows that a person makes once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.operations.operation import entity_of
from scrapersky.actions.presets.saved_views import preset_name
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.queries.rows.entities import Entity, get_entity
from scrapersky.queries.rows.filters import parse_curation_status, parse_filters

RULES = tables.rules
Params = Mapping[str, Sequence[str]]


def check_filters(entity: Entity, params: Params) -> dict[str, list[str]]:
    """The filters of a rule as they are stored."""
    filters = parse_filters(entity, params).to_json()
    if entity.curation_column in filters:
        raise InvalidInput("A rule decides about new rows only; it cannot filter by the curation status")
    if not filters:
        raise InvalidInput("A rule needs at least one filter")
    return filters


async def create_rule(
    engine: AsyncEngine,
    actor: Actor,
    *,
    name: str,
    entity: str,
    filters: Params,
    decision: str | None = None,
    destination_id: UUID | None = None,
    is_enabled: bool = True,
) -> UUID:
    """Add a rule about rows that come from now on: it decides, or it sends contacts to a destination."""
    chosen = get_entity(entity)
    values = {
        "name": preset_name(name),
        "table_name": chosen.table.name,
        "filters": check_filters(chosen, filters),
        **_effect(chosen, decision, destination_id),
        "is_enabled": is_enabled,
    }
    owner = {"tenant_id": actor.tenant_id, "user_id": actor.user_id}
    async with engine.begin() as connection:
        if destination_id is not None:
            await _check_destination(connection, actor, destination_id)
        statement = insert(RULES).values({**values, **owner}).on_conflict_do_nothing().returning(RULES.c.id)
        rule_id = (await connection.execute(statement)).scalar()
        if rule_id is None:
            raise Conflict(f"There is a rule {name!r} already")
        await record(connection, actor, "rule.create", table=RULES.name, row_id=rule_id, after=values)
    return UUID(str(rule_id))


def _effect(entity: Entity, decision: str | None, destination_id: UUID | None) -> dict[str, Any]:
    if (decision is None) == (destination_id is None):
        raise InvalidInput("A rule needs either a decision or a destination")
    if destination_id is not None and entity.table is not tables.contacts:
        raise InvalidInput("Only contacts can be sent to a destination")
    status = None if decision is None else parse_curation_status(decision)
    return {"decision": status, "destination_id": destination_id}


async def _check_destination(connection: AsyncConnection, actor: Actor, destination_id: UUID) -> None:
    columns = tables.destinations.c
    mine = columns.id == destination_id, columns.tenant_id == actor.tenant_id
    if (await connection.execute(select(columns.id).where(*mine))).first() is None:
        raise NotFound(f"There is no destination {destination_id}")


async def update_rule(engine: AsyncEngine, actor: Actor, rule_id: UUID, changes: Mapping[str, Any]) -> None:
    """Change a rule; one that is enabled again does not decide about the rows that came meanwhile."""
    try:
        async with engine.begin() as connection:
            row = await _lock(connection, actor, rule_id)
            values = _check_changes(entity_of(row.table_name), changes)
            if "decision" in values and row.destination_id is not None:
                raise InvalidInput("The rule sends contacts to a destination; it decides nothing")
            moments = {"updated_at": func.now()}
            if "filters" in values or (values.get("is_enabled") and not row.is_enabled):
                moments |= {"enabled_at": func.now(), "checked_at": func.now()}
            await connection.execute(update(RULES).where(RULES.c.id == rule_id).values({**values, **moments}))
            before = {name: row._mapping[name] for name in values}
            await record(
                connection,
                actor,
                "rule.update",
                table=RULES.name,
                row_id=rule_id,
                before=before,
                after=values,
            )
    except IntegrityError:
        raise Conflict("There is a rule with this name already") from None


def _check_changes(entity: Entity, changes: Mapping[str, Any]) -> dict[str, Any]:
    checks: dict[str, Callable[[Any], Any]] = {
        "name": preset_name,
        "filters": lambda filters: check_filters(entity, filters),
        "decision": parse_curation_status,
    }
    return {name: checks[name](value) if name in checks else value for name, value in changes.items()}


async def delete_rule(engine: AsyncEngine, actor: Actor, rule_id: UUID) -> None:
    async with engine.begin() as connection:
        row = await _lock(connection, actor, rule_id)
        await connection.execute(delete(RULES).where(RULES.c.id == rule_id))
        before = {
            name: row._mapping[name]
            for name in ("name", "table_name", "filters", "decision", "destination_id")
        }
        await record(connection, actor, "rule.delete", table=RULES.name, row_id=rule_id, before=before)


async def _lock(connection: AsyncConnection, actor: Actor, rule_id: UUID) -> Any:
    mine = RULES.c.id == rule_id, RULES.c.tenant_id == actor.tenant_id
    row = (await connection.execute(select(RULES).where(*mine).with_for_update())).first()
    if row is None:
        raise NotFound(f"There is no rule {rule_id}")
    return row
