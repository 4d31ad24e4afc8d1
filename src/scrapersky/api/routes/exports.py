"""Exports: every list as a CSV, JSON Lines, XLSX or Parquet file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Annotated, Any

from anyio import CancelScope
from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from scrapersky.actions.contacts.rechecks import checked_chunks
from scrapersky.actions.installation.quotas import count_export
from scrapersky.api.caller import Caller, Context, Viewer
from scrapersky.api.lists import filters_of
from scrapersky.destinations.contact_format import FileFormat
from scrapersky.destinations.row_stream import MEDIA_TYPES, RowStream
from scrapersky.queries.exports import Export, Rows, list_export
from scrapersky.queries.rows.entities import LISTS, Entity
from scrapersky.queries.rows.filters import Filters
from scrapersky.settings import Settings
from scrapersky.wiring import open_rechecks

PATHS = {
    "place": "/places/staging",
    "business": "/local-businesses",
    "domain": "/domains",
    "sitemap": "/sitemap-files",
    "page": "/pages",
    "contact": "/contacts",
    "search": "/searches",
    "job": "/jobs",
    "delivery": "/deliveries",
}
FILES: dict[str, Any] = {media_type.partition(";")[0]: {} for media_type in MEDIA_TYPES.values()}

router = APIRouter(tags=["exports"])
Format = Annotated[FileFormat, Query(alias="format", description="csv, jsonl, xlsx or parquet.")]


def _export_route(entity: Entity, file_name: str) -> Callable[..., Any]:
    filter_params = Depends(filters_of(entity))

    async def export_rows(
        caller: Viewer, context: Context, form: Format = "csv", filters: Filters = filter_params
    ) -> StreamingResponse:
        await count_export(caller.engine, caller.actor.tenant_id)
        export = list_export(caller.engine, entity, caller.actor.tenant_id, filters)
        stream = RowStream(form, export.columns, entity.plural.capitalize())
        name = f"{file_name}-{datetime.now(UTC):%Y-%m-%d}.{form}"
        return StreamingResponse(
            _pieces(context.settings, caller, export, stream),
            media_type=MEDIA_TYPES[form],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return export_rows


async def _pieces(
    settings: Settings, caller: Caller, export: Export, stream: RowStream
) -> AsyncIterator[bytes]:
    async with open_rechecks(settings) as rechecks:
        chunks = checked_chunks(caller.engine, export, rechecks)
        while rows := await _read_whole(chunks):
            # In a thread, because a workbook takes a while and other requests wait.
            yield await asyncio.to_thread(stream.add, rows)
    yield await asyncio.to_thread(stream.close)


async def _read_whole(chunks: AsyncIterator[Rows]) -> Rows | None:
    """The next chunk. A client that leaves cancels every wait of the response, again and again.

    Its connection could then neither be returned nor be closed properly, so a chunk is read to its end.
    """
    with CancelScope(shield=True):
        rows = await anext(chunks, None)
    return rows


for _name, _path in PATHS.items():
    _entity = LISTS[_name]
    router.add_api_route(
        f"{_path}/export",
        _export_route(_entity, _path.strip("/").replace("/", "-")),
        name=f"export_{_entity.plural.replace(' ', '_')}",
        response_class=StreamingResponse,
        responses={200: {"content": FILES, "description": "The file."}},
        description=f"The {_entity.plural} that match the filters of the list, the newest first.",
    )
