"""Files of domains, pages, sitemaps or businesses: upload, preview with column mapping, import."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData, UploadFile

from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.actions.submission_input import MAX_INPUT_BYTES
from scrapersky.actions.submissions import IMPORTED, SubmissionOptions, import_csv
from scrapersky.api.caller import Caller, Operator
from scrapersky.database import data_folder
from scrapersky.errors import ActionError, InvalidInput, NotFound
from scrapersky.queries.places.columns import CHOICE, ColumnChoice, ColumnQuery
from scrapersky.sources.csv.decoder import InvalidCSV
from scrapersky.sources.csv_file import PlaceFile, read_places
from scrapersky.web.console.add.lines import LINE_KINDS, REFUSED, describe_submission
from scrapersky.web.console.add.searches import search_page
from scrapersky.web.console.add.tables import (
    PLACE,
    PLACE_FIELDS,
    TablePreview,
    preview_table,
    rejected_file,
    rename_columns,
)
from scrapersky.web.console.add.uploads import Uploads
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
SOURCE = "csv"

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
        fields = {name: text_of(form, name) for name in ("kind", "name", "encoding", *SEARCH_FIELDS)}
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
    try:
        chunks = _uploads(console, caller).chunks(token)
        table = await asyncio.to_thread(preview_table, kind, chunks, encoding)
    except InvalidInput as error:
        refused = error
    except NotFound as error:
        return await _choose(request, caller, console, kind=kind, refused=error)
    remembered = await _remembered_columns(kind, table, caller)
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
        mapping=remembered.columns if remembered else (table.mapping if table else {}),
        remembered=remembered,
        encoding=encoding,
        given=params,
        fields=PLACE_FIELDS,
        problem=str(refused or ""),
    )


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
    encoding, country = text_of(form, "encoding")[:40], text_of(form, "country")[:2]
    mapping = _chosen_columns(form)
    table = await asyncio.to_thread(preview_table, PLACE, uploads.chunks(token), encoding)
    has_headings = table.has_headings or text_of(form, "first") == "headings"
    content, problems = await asyncio.to_thread(
        rename_columns, uploads.chunks(token), mapping, encoding, skips_first=has_headings
    )
    places = await asyncio.to_thread(_read_places, content, country)
    if not places.places:
        raise InvalidInput("No line of the file names a business; check the columns")
    path = await asyncio.to_thread(uploads.save_for_search, content)
    choice = ColumnChoice(mapping, has_headings).to_json(table.headings)
    params: dict[str, Any] = {"file": str(path), CHOICE: choice, **({"country": country} if country else {})}
    what, where = text_of(form, "what"), text_of(form, "where")
    search = await submit_search(
        caller.engine,
        caller.actor,
        SearchRequest(what, where, SOURCE, params=params),
        known_sources(console.api.settings),
    )
    uploads.remove(token)
    refused = [(number, "", reason) for number, reason in sorted([*problems, *places.problems])]
    return await console.page(
        request,
        caller,
        "add_places_result.html",
        name=text_of(form, "name"),
        search_id=search.id,
        what=what,
        where=where,
        found=len(places.places),
        refused=refused[:MAX_DRAWN],
        refused_total=len(refused),
        notes=places.notes[:MAX_DRAWN],
        rejected=uploads.save(rejected_file(refused)) if refused else "",
    )


def _read_places(content: bytes, country: str) -> PlaceFile:
    try:
        return read_places([content], country=country)
    except InvalidCSV as error:
        raise InvalidInput(f"The file cannot be read: {error}") from None


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
