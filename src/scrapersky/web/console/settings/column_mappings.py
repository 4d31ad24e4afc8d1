"""Column mappings on the page of sources: what they mean, and their deletion."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.place_files.column_mappings import delete_mapping
from scrapersky.api.caller import Operator
from scrapersky.web.console.console import ConsoleContext

router = APIRouter()


@router.post("/settings/sources/column-mappings/{mapping_id:uuid}/delete")
async def delete_column_mapping(
    request: Request, mapping_id: UUID, caller: Operator, console: ConsoleContext
) -> Response:
    await delete_mapping(caller.engine, caller.actor, mapping_id)
    return console.redirect(request, "/settings/sources#column-mappings", "The column mapping is deleted.")
