"""Files of businesses: a search in an uploaded CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, File, Form, Response, UploadFile
from pydantic import BaseModel, Field

from scrapersky.actions.place_files.place_file import PlaceFileOptions, submit_place_file
from scrapersky.actions.search_request import MAX_KIND, MAX_LOCATION
from scrapersky.api.bodies.uploads import upload_chunks
from scrapersky.api.caller import Context, Operator
from scrapersky.api.context import PREFIX
from scrapersky.api.routes.submissions.lines import Encoding, ImportNote
from scrapersky.database import data_folder
from scrapersky.declarations import SEARCH_PLACES
from scrapersky.errors import InvalidInput
from scrapersky.extract.geography import country_code
from scrapersky.queries.places.columns import ColumnMappingQuery
from scrapersky.sources.csv.uploads import Uploads
from scrapersky.wiring import known_sources

MAX_LISTED = 1_000

router = APIRouter(tags=["submissions"])


class AcceptedPlaceFile(BaseModel):
    """`columns` says which column each field was read from; `refused` are lines that name no business."""

    id: UUID
    status: str
    status_url: str
    places: int
    columns: dict[str, str]
    refused: list[ImportNote]
    refused_count: Annotated[int, Field(description=f"All of them; `refused` has the first {MAX_LISTED:,}.")]
    notes: list[ImportNote]


@router.post("/searches/import-csv", status_code=202)
async def import_places(
    caller: Operator,
    context: Context,
    response: Response,
    file: Annotated[UploadFile, File(description="A CSV file of businesses; at most 10 MiB.")],
    mapping: Annotated[
        str, Form(max_length=200, description="A column mapping, by name or id; else the headings decide.")
    ] = "",
    business_type: Annotated[str, Form(max_length=MAX_KIND, description="Only these businesses.")] = "",
    location: Annotated[str, Form(max_length=MAX_LOCATION, description="Words of the address.")] = "",
    country: Annotated[str, Form(max_length=60, description="Of numbers that name none: DE.")] = "",
    encoding: Encoding = "",
) -> AcceptedPlaceFile:
    """Queue a search in a file of businesses."""
    code = country_code(country) if country else ""
    if code is None:
        raise InvalidInput(f"Invalid country {country!r}; expected a code such as DE")
    mappings = ColumnMappingQuery(caller.engine, caller.actor.tenant_id)
    columns = (await mappings.find(mapping))["columns"] if mapping else {}

    def read() -> Iterator[bytes]:
        file.file.seek(0)
        return upload_chunks(file.file)

    submitted = await submit_place_file(
        caller.engine,
        caller.actor,
        known_sources(context.settings),
        Uploads(data_folder(context.settings), caller.actor.tenant_id),
        read,
        columns,
        PlaceFileOptions(kind=business_type, location=location, country=code, encoding=encoding),
    )
    status_url = f"{PREFIX}/searches/{submitted.search.id}"
    response.headers["Location"] = status_url
    return AcceptedPlaceFile(
        id=submitted.search.id,
        status=SEARCH_PLACES.statuses.queued,
        status_url=status_url,
        places=submitted.places,
        columns=submitted.columns,
        refused=_notes(submitted.refused),
        refused_count=len(submitted.refused),
        notes=_notes(submitted.notes),
    )


def _notes(lines: list[tuple[int, str]]) -> list[ImportNote]:
    return [ImportNote(row_number=number, note=note) for number, note in lines[:MAX_LISTED]]
