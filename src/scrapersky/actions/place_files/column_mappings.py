"""Column mappings: what the columns of a file mean, kept under a name for files of the same making."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.errors import Conflict, InvalidInput, NotFound
from scrapersky.queries.places.columns import MAX_HEADING
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv.headings import check_fields

MAPPINGS = tables.column_mappings
MAX_NAME = 200
TAKEN = "There is a column mapping with this name already"


async def create_mapping(engine: AsyncEngine, actor: Actor, *, name: str, columns: Mapping[str, str]) -> UUID:
    """`columns` has the heading of each field; "column 3" stands for a column without one."""
    values = {"name": mapping_name(name), "columns": require_business(columns)}
    who = {"tenant_id": actor.tenant_id, "created_by": actor.user_id}
    try:
        async with engine.begin() as connection:
            statement = insert(MAPPINGS).values(**values, **who).returning(MAPPINGS.c.id)
            mapping_id = UUID(str(await connection.scalar(statement)))
            await _record(connection, actor, "create", mapping_id, after=values)
    except IntegrityError:
        raise Conflict(TAKEN) from None
    return mapping_id


async def save_mapping(engine: AsyncEngine, actor: Actor, *, name: str, columns: Mapping[str, str]) -> UUID:
    """Make the mapping of this name, or give it other columns."""
    values = {"name": mapping_name(name), "columns": require_business(columns)}
    who = {"tenant_id": actor.tenant_id, "created_by": actor.user_id}
    changed = {"columns": values["columns"], "updated_at": func.now()}
    statement = upsert(MAPPINGS).values(**values, **who)
    saved = statement.on_conflict_do_update(index_elements=["name", "tenant_id"], set_=changed)
    async with engine.begin() as connection:
        mapping_id = UUID(str(await connection.scalar(saved.returning(MAPPINGS.c.id))))
        await _record(connection, actor, "save", mapping_id, after=values)
    return mapping_id


async def update_mapping(
    engine: AsyncEngine, actor: Actor, mapping_id: UUID, changes: Mapping[str, Any]
) -> None:
    """Change the name or the columns."""
    values: dict[str, Any] = {}
    if "name" in changes:
        values["name"] = mapping_name(changes["name"])
    if "columns" in changes:
        values["columns"] = require_business(changes["columns"])
    try:
        async with engine.begin() as connection:
            row = await _lock(connection, actor, mapping_id)
            changed = update(MAPPINGS).where(MAPPINGS.c.id == mapping_id)
            await connection.execute(changed.values({**values, "updated_at": func.now()}))
            before = {name: row._mapping[name] for name in values}
            await _record(connection, actor, "update", mapping_id, before=before, after=values)
    except IntegrityError:
        raise Conflict(TAKEN) from None


async def delete_mapping(engine: AsyncEngine, actor: Actor, mapping_id: UUID) -> None:
    """Delete it; searches that were made with it keep their columns."""
    async with engine.begin() as connection:
        row = await _lock(connection, actor, mapping_id)
        await connection.execute(delete(MAPPINGS).where(MAPPINGS.c.id == mapping_id))
        before = {"name": row.name, "columns": row.columns}
        await _record(connection, actor, "delete", mapping_id, before=before)


def mapping_name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME:
        raise InvalidInput(f"Give the column mapping a name of at most {MAX_NAME} characters")
    return name


def require_business(columns: Mapping[str, str]) -> dict[str, str]:
    """The heading of each field; without a name or website a file names no business."""
    try:
        check_fields(columns)
    except InvalidCSV as error:
        raise InvalidInput(str(error)) from None
    checked = {field: " ".join(heading.split()) for field, heading in columns.items()}
    if wrong := next((field for field, text in checked.items() if not 0 < len(text) <= MAX_HEADING), None):
        raise InvalidInput(f"The heading of {wrong} is empty or longer than {MAX_HEADING} characters")
    if not {"name", "website"} & set(checked):
        raise InvalidInput("Name the column that holds the name or the website of the business")
    return checked


async def _lock(connection: AsyncConnection, actor: Actor, mapping_id: UUID) -> Any:
    mine = MAPPINGS.c.id == mapping_id, MAPPINGS.c.tenant_id == actor.tenant_id
    row = (await connection.execute(select(MAPPINGS).where(*mine).with_for_update())).first()
    if row is None:
        raise NotFound(f"There is no column mapping {mapping_id}")
    return row


async def _record(
    connection: AsyncConnection,
    actor: Actor,
    action: str,
    mapping_id: UUID,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    verb = f"column_mapping.{action}"
    await record(connection, actor, verb, table=MAPPINGS.name, row_id=mapping_id, before=before, after=after)
