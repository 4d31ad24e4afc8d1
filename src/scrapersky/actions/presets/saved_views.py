"""Saved views: the parameters of a list under a name, of one person or shared with the tenant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.queries.rows.entities import LISTS, Entity
from scrapersky.queries.rows.filters import parse_filters
from scrapersky.queries.rows.sorts import parse_sort

VIEWS = tables.saved_views
SORT = "sort"
Params = Mapping[str, Sequence[str]]


def check_params(entity: Entity, params: Params) -> dict[str, list[str]]:
    """The parameters of a list as they are stored; unknown names and values are refused."""
    filters = parse_filters(entity, {name: values for name, values in params.items() if name != SORT})
    checked = filters.to_json()
    if SORT in params:
        [text] = params[SORT] if len(params[SORT]) == 1 else [""]
        checked[SORT] = [parse_sort(entity, text).text]
    return checked


async def create_view(
    engine: AsyncEngine, actor: Actor, *, name: str, entity: str, params: Params, is_shared: bool = False
) -> UUID:
    values = {
        "tenant_id": actor.tenant_id,
        "user_id": actor.user_id,
        "name": preset_name(name),
        "table_name": LISTS[entity].table.name,
        "query": check_params(LISTS[entity], params),
        "is_shared": is_shared,
    }
    async with engine.begin() as connection:
        statement = insert(VIEWS).values(values).on_conflict_do_nothing().returning(VIEWS.c.id)
        view_id = (await connection.execute(statement)).scalar()
        if view_id is None:
            raise Conflict(f"You have a view {name!r} of this list already")
        await record(
            connection, actor, "view.create", table=VIEWS.name, row_id=view_id, after=_audited(values)
        )
    return UUID(str(view_id))


async def update_view(engine: AsyncEngine, actor: Actor, view_id: UUID, changes: Mapping[str, Any]) -> None:
    """Change the name, the parameters or whether it is shared; only the owner may."""
    try:
        async with engine.begin() as connection:
            row = await _lock(connection, actor, view_id)
            values = dict(changes)
            if "query" in values:
                entity = next(entity for entity in LISTS.values() if entity.table.name == row.table_name)
                values["query"] = check_params(entity, values["query"])
            if "name" in values:
                values["name"] = preset_name(values["name"])
            await connection.execute(
                update(VIEWS).where(VIEWS.c.id == view_id).values({**values, "updated_at": func.now()})
            )
            before = {name: row._mapping[name] for name in values}
            await record(
                connection,
                actor,
                "view.update",
                table=VIEWS.name,
                row_id=view_id,
                before=before,
                after=values,
            )
    except IntegrityError:
        raise Conflict("You have a view with this name already") from None


async def delete_view(engine: AsyncEngine, actor: Actor, view_id: UUID) -> None:
    async with engine.begin() as connection:
        row = await _lock(connection, actor, view_id)
        await _refuse_if_scheduled(connection, view_id)
        await connection.execute(delete(VIEWS).where(VIEWS.c.id == view_id))
        before = _audited(dict(row._mapping))
        await record(connection, actor, "view.delete", table=VIEWS.name, row_id=view_id, before=before)


async def _refuse_if_scheduled(connection: AsyncConnection, view_id: UUID) -> None:
    """While the view is locked, no schedule can begin to use it."""
    schedules = tables.schedules.c
    query = select(schedules.name).where(schedules.view_id == view_id).order_by(schedules.name)
    if names := (await connection.scalars(query)).all():
        raise Conflict(f"The view is used by the schedule {', '.join(map(repr, names))}; delete that first")


async def _lock(connection: AsyncConnection, actor: Actor, view_id: UUID) -> Any:
    """The view, if it is the actor's own; one of somebody else does not exist for them to change."""
    mine = VIEWS.c.id == view_id, VIEWS.c.tenant_id == actor.tenant_id, VIEWS.c.user_id == actor.user_id
    row = (await connection.execute(select(VIEWS).where(*mine).with_for_update())).first()
    if row is None:
        raise NotFound(f"You have no view {view_id}")
    return row


def preset_name(text: str) -> str:
    """The name that a person gives to a view or a rule."""
    if not text.strip():
        raise InvalidInput("The name is empty")
    return text.strip()


def _audited(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ("name", "table_name", "query", "is_shared")}
