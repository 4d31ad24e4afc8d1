"""Destinations: added, tested, mapped and switched on and off; a generated secret is shown once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.delivery.checks import check_destination, preview_fields
from scrapersky.actions.delivery.destinations import OPTIONS, DestinationEditor
from scrapersky.api.caller import Admin, Caller, Operator, Viewer
from scrapersky.declarations import statuses
from scrapersky.destinations.field_map import SOURCE_COLUMNS
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.settings.tabs import show_settings
from scrapersky.wiring import open_destinations

router = APIRouter()
HOME = "/settings/destinations"
KIND_WORDS = {
    "hubspot": "HubSpot: the token of a service key or private app",
    "brevo": "Brevo: an API key, and the number of a list",
    "n8n": "n8n: the production URL of a webhook node",
    "webhook": "Webhook: any URL that takes signed messages",
    "csv": "CSV file in the export folder",
    "jsonl": "JSON Lines file in the export folder",
}
TEXT_OPTIONS = ("url", "list_id", "file")


@router.get("/settings/destinations")
async def list_destinations(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show_list(request, caller, console)


@router.post("/settings/destinations")
async def add_destination(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    """The answer itself shows a generated secret: no other page could."""
    form = await read_form(request)
    kind = text_of(form, "kind")
    try:
        destination_id, generated = await _editor(caller, console).add(
            name=text_of(form, "name"),
            kind=kind,
            options=_options(kind, form),
            secret=text_of(form, "secret"),
        )
    except (InvalidInput, Conflict) as error:
        values = {name: text_of(form, name) for name in ("name", "kind", *TEXT_OPTIONS)}
        return await _show_list(
            request, caller, console, status=error.status, error=str(error), values=values
        )
    if not generated:
        return console.redirect(request, f"{HOME}/{destination_id}?saved=added")
    return await _show(request, caller, console, destination_id, status=201, secret=generated)


@router.get("/settings/destinations/{destination_id:uuid}")
async def one_destination(
    request: Request, destination_id: UUID, caller: Viewer, console: ConsoleContext
) -> Response:
    return await _show(request, caller, console, destination_id)


@router.post("/settings/destinations/{destination_id:uuid}")
async def change_destination(
    request: Request, destination_id: UUID, caller: Admin, console: ConsoleContext
) -> Response:
    form = await read_form(request)
    row = await _query(caller).show(destination_id)
    try:
        changes = {
            "name": text_of(form, "name"),
            "is_active": text_of(form, "is_active") == "1",
            "is_automatic": text_of(form, "is_automatic") == "1",
            "options": {**row["options"], **_options(row["kind"], form), **_mapping(form)},
        }
        await _editor(caller, console).edit(destination_id, changes, secret=text_of(form, "secret"))
    except (InvalidInput, Conflict) as error:
        refused = {"status": error.status, "error": str(error), "mapping_text": text_of(form, "mapping")}
        return await _show(request, caller, console, destination_id, **refused)
    return console.redirect(request, f"{HOME}/{destination_id}?saved=changed")


@router.post("/settings/destinations/{destination_id:uuid}/test")
async def test_destination(
    request: Request, destination_id: UUID, caller: Operator, console: ConsoleContext
) -> Response:
    async with open_destinations(console.api.settings) as destinations:
        result = await check_destination(
            caller.engine, caller.actor, console.api.secret_key, destinations, destination_id
        )
    return await _show(request, caller, console, destination_id, result=result)


@router.post("/settings/destinations/{destination_id:uuid}/rotate")
async def rotate_secret(
    request: Request, destination_id: UUID, caller: Admin, console: ConsoleContext
) -> Response:
    try:
        secret = await _editor(caller, console).rotate_secret(destination_id)
    except InvalidInput as error:
        return await _show(request, caller, console, destination_id, status=error.status, error=str(error))
    return await _show(request, caller, console, destination_id, secret=secret)


@router.post("/settings/destinations/{destination_id:uuid}/delete")
async def delete_destination(
    request: Request, destination_id: UUID, caller: Admin, console: ConsoleContext
) -> Response:
    await _editor(caller, console).delete(destination_id)
    return console.redirect(request, f"{HOME}?saved=deleted")


# ---- forms


def _options(kind: str, form: FormData) -> dict[str, Any]:
    return {
        name: text_of(form, name) for name in TEXT_OPTIONS if name in OPTIONS.get(kind, ()) and name in form
    }


def _mapping(form: FormData) -> dict[str, Any]:
    """Lines of the form `column = property`; without the field the mapping stays."""
    if "mapping" not in form:
        return {}
    mapping: dict[str, str] = {}
    for number, line in enumerate(text_of(form, "mapping").splitlines(), 1):
        column, sign, field = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        if not (sign and column and field):
            raise InvalidInput(f"Line {number} of the mapping is not of the form column = property")
        mapping[field] = column
    return {"mapping": mapping}


# ---- pages


def _query(caller: Caller) -> DestinationQuery:
    return DestinationQuery(caller.engine, caller.actor.tenant_id)


def _editor(caller: Caller, console: Console) -> DestinationEditor:
    return DestinationEditor(caller.engine, caller.actor, console.api.secret_key)


async def _show_list(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    known = {
        "destinations": await _query(caller).list_destinations(),
        "kinds": {kind: KIND_WORDS.get(kind, kind) for kind in statuses.DESTINATION_KIND},
        "values": {**dict.fromkeys(("name", *TEXT_OPTIONS), ""), "kind": "hubspot"},
    }
    return await show_settings(request, caller, console, "destinations", **{**known, **values})


async def _show(
    request: Request, caller: Caller, console: Console, destination_id: UUID, **values: Any
) -> Response:
    row = await _query(caller).show(destination_id)
    lines = "\n".join(f"{column} = {field}" for field, column in row["mapping"].items())
    known = {
        "row": row,
        "options": OPTIONS.get(row["kind"], ()),
        "columns": SOURCE_COLUMNS,
        "sample": preview_fields(row, caller.actor.tenant_id),
        "mapping_text": lines,
        "result": None,
        "secret": "",
    }
    return await show_settings(request, caller, console, "destinations_one", **{**known, **values})
