"""Column mappings: what the columns of files of businesses mean, under a name."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from scrapersky.actions.place_files.column_mappings import (
    MAX_NAME,
    create_mapping,
    delete_mapping,
    update_mapping,
)
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.queries.places.columns import MAX_HEADING, ColumnMappingQuery

router = APIRouter(prefix="/column-mappings", tags=["column-mappings"])
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Columns = Annotated[
    dict[Annotated[str, Field(max_length=50)], Annotated[str, Field(min_length=1, max_length=MAX_HEADING)]],
    Field(
        min_length=1,
        max_length=50,
        description="The heading of each field; `column 3` for a column without one.",
        examples=[{"name": "Kunde", "website": "Netz"}],
    ),
]


class ColumnMappingBody(Body):
    name: Name
    columns: Columns


class ColumnMappingChanges(Body):
    """What is left out stays as it is."""

    name: Name = left_out()
    columns: Columns = left_out()


class ColumnMappingModel(BaseModel):
    id: UUID
    name: str
    columns: dict[str, str]
    created_at: datetime
    updated_at: datetime


class ColumnMappingList(WholeList[ColumnMappingModel]):
    """All mappings, on one page."""


@router.get("")
async def list_column_mappings(caller: Viewer) -> ColumnMappingList:
    """List the column mappings of the tenant."""
    rows = await _query(caller).list_mappings()
    return ColumnMappingList.of([ColumnMappingModel.model_validate(row) for row in rows])


@router.post("", status_code=201)
async def add_column_mapping(
    body: ColumnMappingBody, caller: Operator, response: Response
) -> ColumnMappingModel:
    """Name a mapping; `POST /searches/import-csv` reads a file by it."""
    mapping_id = await create_mapping(caller.engine, caller.actor, name=body.name, columns=body.columns)
    response.headers["Location"] = f"{PREFIX}/column-mappings/{mapping_id}"
    return await get_column_mapping(mapping_id, caller)


@router.get("/{mapping_id:uuid}")
async def get_column_mapping(mapping_id: UUID, caller: Viewer) -> ColumnMappingModel:
    """One column mapping."""
    return ColumnMappingModel.model_validate(await _query(caller).show(mapping_id))


@router.patch("/{mapping_id:uuid}")
async def change_column_mapping(
    mapping_id: UUID, body: ColumnMappingChanges, caller: Operator
) -> ColumnMappingModel:
    """Change the name or the columns."""
    await update_mapping(caller.engine, caller.actor, mapping_id, body.model_dump(exclude_unset=True))
    return await get_column_mapping(mapping_id, caller)


@router.delete("/{mapping_id:uuid}", status_code=204)
async def delete_column_mapping(mapping_id: UUID, caller: Operator) -> None:
    """Delete a column mapping; searches that were made with it keep their columns."""
    await delete_mapping(caller.engine, caller.actor, mapping_id)


def _query(caller: Caller) -> ColumnMappingQuery:
    return ColumnMappingQuery(caller.engine, caller.actor.tenant_id)
