"""Privacy: suppressions, and the rights of one person to see what is known and to be erased."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData, UploadFile

from scrapersky.actions.privacy.erasure import read_person
from scrapersky.actions.privacy.erasure_jobs import submit_erasure
from scrapersky.actions.privacy.suppressions import (
    SuppressionResult,
    delete_suppression,
    import_suppressions,
    suppress,
)
from scrapersky.api.bodies.uploads import upload_chunks
from scrapersky.api.caller import Admin, Caller, Operator, Viewer
from scrapersky.errors import InvalidInput
from scrapersky.log import pluralize
from scrapersky.queries.privacy.subject_export import SubjectQuery
from scrapersky.queries.privacy.suppressions import SuppressionQuery
from scrapersky.stage_context.eraser import seal_person
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import MAX_SUBMISSION_BYTES, read_form, text_of
from scrapersky.web.console.settings.tabs import show_settings

router = APIRouter()
PRIVACY = "/settings/privacy"
SHOWN = 100
# A little more than the file itself: the other fields of the form.


@router.get("/settings/privacy")
async def privacy(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(request, caller, console)


@router.post("/settings/privacy/suppressions")
async def post_entries(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request, max_bytes=MAX_SUBMISSION_BYTES)
    try:
        result = await _suppress(caller, form)
    except InvalidInput as error:
        return await _show(request, caller, console, status=error.status, error=str(error))
    finally:
        await form.close()
    counts = result.counts
    if counts["invalid"]:
        refused = [line for line in result.lines if line.status == "invalid"][:SHOWN]
        return await _show(request, caller, console, result=result, refused=refused)
    notice = f"{counts['new']} new, {pluralize(result.deleted_contacts, 'contact')} deleted."
    return console.redirect(request, PRIVACY, notice)


async def _suppress(caller: Caller, form: FormData) -> SuppressionResult:
    reason, country, file = text_of(form, "reason"), text_of(form, "country") or None, form.get("file")
    if isinstance(file, UploadFile) and file.size:
        chunks = upload_chunks(file.file)
        return await import_suppressions(caller.engine, caller.actor, chunks, reason, country=country)
    entries = [line for line in text_of(form, "entries").splitlines() if line.strip()]
    if not entries:
        raise InvalidInput("Name an e-mail address, a phone number or a domain, or choose a file")
    return await suppress(caller.engine, caller.actor, entries, reason, country=country)


@router.post("/settings/privacy/suppressions/{suppression_id}/delete")
async def withdraw_suppression(
    request: Request, suppression_id: UUID, caller: Operator, console: ConsoleContext
) -> Response:
    await delete_suppression(caller.engine, caller.actor, suppression_id)
    return console.redirect(request, PRIVACY, "The suppression was withdrawn.")


@router.post("/settings/privacy/person")
async def show_person(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    """What is known about a person. A form, so that no address is in a log or a history."""
    form = await read_form(request)
    entries, country = text_of(form, "person").splitlines(), text_of(form, "country") or None
    try:
        identifiers = read_person([entry for entry in entries if entry.strip()], country=country)
    except InvalidInput as error:
        return await _show(request, caller, console, status=error.status, person_error=str(error))
    known = await SubjectQuery(caller.engine).export(caller.actor.tenant_id, identifiers)
    fields = {"person": text_of(form, "person"), "country": country or ""}
    return await _show(request, caller, console, known=known, person=fields)


@router.post("/settings/privacy/erase")
async def erase(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    entries = [entry for entry in text_of(form, "person").splitlines() if entry.strip()]
    try:
        job = await submit_erasure(
            caller.engine,
            caller.actor,
            entries,
            text_of(form, "reason"),
            seal=lambda identifiers: seal_person(console.api.secret_key, identifiers),
            country=text_of(form, "country") or None,
        )
    except InvalidInput as error:
        return await _show(request, caller, console, status=error.status, person_error=str(error))
    return console.redirect(request, f"/jobs/{job['id']}", "The person is being erased.")


async def _show(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    query = SuppressionQuery(caller.engine)
    counts = await query.counts(caller.actor.tenant_id)
    known = {
        "suppressions": await query.list_suppressions(caller.actor.tenant_id, limit=SHOWN),
        "attempts": counts.pop("attempts"),
        "total": sum(counts.values()),
        "result": None,
        "refused": [],
        "known": None,
        "person": {"person": "", "country": ""},
        "person_error": "",
    }
    return await show_settings(request, caller, console, "privacy", **{**known, **values})
