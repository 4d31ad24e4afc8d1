"""Files of domains, pages, sitemaps or businesses: upload, preview with column mapping, import."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData, UploadFile

from scrapersky.actions.place_files.column_mappings import mapping_name, require_business, save_mapping
from scrapersky.actions.place_files.place_file import (
    PlaceFileOptions,
    choice_for,
    headings_of,
    submit_chosen,
)
from scrapersky.actions.place_files.table_preview import (
    PLACE,
    PLACE_FIELDS,
    TablePreview,
    preview_table,
    rejected_file,
)
from scrapersky.actions.submission_input import MAX_INPUT_BYTES
from scrapersky.actions.submissions import IMPORTED, SubmissionOptions, import_csv
from scrapersky.api.caller import Caller, Operator
from scrapersky.database import data_folder
from scrapersky.errors import ActionError, InvalidInput, NotFound
from scrapersky.queries.places.columns import ColumnChoice, ColumnMappingQuery, ColumnQuery
from scrapersky.sources.csv.headings import named_heading
from scrapersky.sources.csv.uploads import Uploads
from scrapersky.web.console.add.lines import LINE_KINDS, REFUSED, describe_submission
from scrapersky.web.console.add.searches import search_page
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import MAX_SUBMISSION_BYTES, read_form, text_of
from scrapersky.wiring import known_sources

KINDS = {
    "domain": "Domains",
    PLACE: "Businesses or places",
    "page": "Pages",
    "sitemap": "Sitemaps",
}
# The form has some fields beside the file.
MAX_DRAWN = 200
SEARCH_FIELDS = ("what", "where", "country")

router = APIRouter()


@router.get("/add/file")
async def choose(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    return await _choose(request, caller, console)


@router.post("/add/file")
async def upload(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Keep the file and lead to its preview."""
    form = await read_form(request, max_bytes=MAX_SUBMISSION_BYTES)
    kind, file = text_of(form, "kind", "domain"), form.get("file")
    content = await file.read() if isinstance(file, UploadFile) else b""
    await form.close()
    more = {name: value[:200] for name in (*SEARCH_FIELDS, "encoding") if (value := text_of(form, name))}
    try:
        _check_kind(kind)
        if not content:
            raise InvalidInput("Choose a file first; this one is empty or missing")
        if len(content) > MAX_INPUT_BYTES:
            raise InvalidInput("The file is larger than 10 MiB; split it")
        # Refused at once if it is not a table, before anything is kept.
        await asyncio.to_thread(preview_table, kind, [content], more.get("encoding", ""))
    except InvalidInput as refused:
        return await _choose(request, caller, console, kind=kind, refused=refused)
    token = await asyncio.to_thread(_uploads(console, caller).save, content)
    name = (file.filename or "")[:200] if isinstance(file, UploadFile) else ""
    return console.redirect(request, f"/add/file/{token}?{urlencode({'kind': kind, 'name': name, **more})}")


@router.get("/add/file/{token}")
async def preview(token: str, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    return await _preview(token, request.query_params, request, caller, console)


@router.post("/add/file/{token}")
async def import_file(token: str, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    kind = text_of(form, "kind", "domain")
    try:
        _check_kind(kind)
        if kind == PLACE:
            return await _import_places(token, form, request, caller, console)
        return await _import_lines(token, kind, form, request, caller, console)
    except (InvalidInput, NotFound) as refused:
        names = ("kind", "name", "encoding", "mapping", *SEARCH_FIELDS)
        fields = {name: text_of(form, name) for name in names}
        return await _preview(token, fields, request, caller, console, refused)


@router.get("/add/rejected/{token}")
async def download_rejected(token: str, caller: Operator, console: ConsoleContext) -> Response:
    """The refused lines of an import as a CSV file."""
    content = await asyncio.to_thread(lambda: b"".join(_uploads(console, caller).chunks(token)))
    name = 'attachment; filename="rejected-lines.csv"'
    return Response(content, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})


# ---- the steps


async def _choose(
    request: Request,
    caller: Caller,
    console: Console,
    *,
    kind: str = "",
    refused: ActionError | None = None,
) -> Response:
    kind = kind or request.query_params.get("kind", "domain")
    if kind == PLACE and refused:
        return await search_page(request, caller, console, {}, file_problem=str(refused))
    return await console.page(
        request,
        caller,
        "add_file.html",
        status=refused.status if refused else 200,
        kinds=KINDS,
        kind=kind if kind in KINDS else "domain",
        problem=str(refused or ""),
    )


async def _preview(
    token: str,
    params: Mapping[str, str],
    request: Request,
    caller: Caller,
    console: Console,
    refused: ActionError | None = None,
) -> Response:
    kind, encoding = params.get("kind", "domain"), params.get("encoding", "")[:40]
    _check_kind(kind)
    table: TablePreview | None = None
    mappings = await _mappings(kind, caller)
    named = next((each for each in mappings if str(each["id"]) == params.get("mapping")), None)
    heading = named_heading(named["columns"]) if named else ""
    try:
        chunks = _uploads(console, caller).chunks(token)
        table = await asyncio.to_thread(preview_table, kind, chunks, encoding, heading=heading)
    except InvalidInput as error:
        refused = error
    except NotFound as error:
        return await _choose(request, caller, console, kind=kind, refused=error)
    choice: ColumnChoice | None = None
    try:
        if table and named:
            choice = choice_for(table, named["columns"])
    except InvalidInput as error:
        refused = error
    remembered = None if choice else await _remembered_columns(kind, table, caller)
    chosen = choice or remembered
    return await console.page(
        request,
        caller,
        "add_preview.html",
        status=refused.status if refused else 200,
        token=token,
        kind=kind,
        kinds=KINDS,
        line_kind=LINE_KINDS.get(kind),
        table=table,
        mapping=chosen.columns if chosen else (table.mapping if table else {}),
        mappings=mappings,
        named=named,
        heading=heading if choice else "",
        remembered=remembered,
        has_headings=bool(chosen and chosen.has_headings),
        encoding=encoding,
        given=params,
        fields=PLACE_FIELDS,
        problem=str(refused or ""),
    )


async def _mappings(kind: str, caller: Caller) -> list[dict[str, Any]]:
    """The column mappings that people have named."""
    if kind != PLACE:
        return []
    return await ColumnMappingQuery(caller.engine, caller.actor.tenant_id).list_mappings()


async def _remembered_columns(kind: str, table: TablePreview | None, caller: Caller) -> ColumnChoice | None:
    """The columns of the last file of businesses with the same first row."""
    if kind != PLACE or table is None:
        return None
    return await ColumnQuery(caller.engine, caller.actor.tenant_id).last_choice(table.headings)


async def _import_lines(
    token: str, kind: str, form: FormData, request: Request, caller: Caller, console: Console
) -> Response:
    uploads = _uploads(console, caller)
    column = text_of(form, "column")
    submission = await import_csv(
        caller.engine,
        caller.actor,
        kind,
        uploads.chunks(token),
        SubmissionOptions(auto_queue=text_of(form, "queue", "now") == "now", lead_source=IMPORTED),
        column=column if column.isascii() and column.isdigit() else "",
        encoding=text_of(form, "encoding")[:40],
    )
    uploads.remove(token)
    refused = [(line.number, line.value, line.reason) for line in submission.lines if line.status in REFUSED]
    return await console.page(
        request,
        caller,
        "add_result.html",
        kind=LINE_KINDS[kind],
        name=text_of(form, "name"),
        result=describe_submission(submission),
        notes=submission.notes[:MAX_DRAWN],
        rejected=uploads.save(rejected_file(refused)) if refused else "",
    )


async def _import_places(
    token: str, form: FormData, request: Request, caller: Caller, console: Console
) -> Response:
    """Queue a search in the file, of which only the chosen columns are kept."""
    uploads = _uploads(console, caller)
    options = PlaceFileOptions(
        kind=text_of(form, "what"),
        location=text_of(form, "where"),
        country=text_of(form, "country")[:2],
        encoding=text_of(form, "encoding")[:40],
    )
    heading = text_of(form, "heading")
    table = await asyncio.to_thread(
        preview_table, PLACE, uploads.chunks(token), options.encoding, heading=heading
    )
    has_headings = table.has_headings or text_of(form, "first") == "headings"
    choice = ColumnChoice(_chosen_columns(form), has_headings)
    if save_as := text_of(form, "save_as"):
        mapping_name(save_as)
        require_business(headings_of(table, choice))
    submitted = await submit_chosen(
        caller.engine,
        caller.actor,
        known_sources(console.api.settings),
        uploads,
        lambda: uploads.chunks(token),
        table,
        choice,
        options,
        heading=heading,
    )
    if save_as:
        await save_mapping(caller.engine, caller.actor, name=save_as, columns=submitted.columns)
    uploads.remove(token)
    refused = [(number, "", reason) for number, reason in submitted.refused]
    return await console.page(
        request,
        caller,
        "add_places_result.html",
        name=text_of(form, "name"),
        search_id=submitted.search.id,
        what=options.kind,
        where=options.location,
        found=submitted.places,
        refused=refused[:MAX_DRAWN],
        refused_total=len(refused),
        notes=submitted.notes[:MAX_DRAWN],
        rejected=uploads.save(rejected_file(refused)) if refused else "",
    )


def _chosen_columns(form: FormData) -> dict[str, int]:
    """The column of each field, by the selects `column-0`, `column-1`, …; a field has one column."""
    mapping: dict[str, int] = {}
    for name, value in form.multi_items():
        number = name.removeprefix("column-")
        if not (name.startswith("column-") and number.isascii() and number.isdigit() and len(number) < 4):
            continue
        if value in PLACE_FIELDS and isinstance(value, str):
            if value in mapping:
                raise InvalidInput(f"Two columns are chosen for {value.replace('_', ' ')}")
            mapping[value] = int(number)
    return mapping


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise InvalidInput(f"Invalid kind {kind[:50]!r}; expected one of {', '.join(KINDS)}")


def _uploads(console: Console, caller: Caller) -> Uploads:
    return Uploads(data_folder(console.api.settings), caller.actor.tenant_id)
