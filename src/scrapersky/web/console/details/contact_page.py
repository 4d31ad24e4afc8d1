"""One contact: its fields, the evidence down to the quoted text, and what people change about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.contacts import (
    create_contact,
    delete_contacts,
    tag_contacts,
    update_contact,
    validate_contacts,
)
from scrapersky.actions.contacts.fields import MAX_LENGTHS
from scrapersky.actions.versions import version_tag
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.routes.edits.contacts import validates_addresses
from scrapersky.declarations.lead_score import SCORE_PARTS
from scrapersky.errors import ActionError, Conflict, InvalidInput, Stale
from scrapersky.queries.audit import AuditFilter, AuditQuery
from scrapersky.queries.privacy.notices import NoticeQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.dossier import DossierQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.details.robots_verdict import robots_verdict
from scrapersky.web.console.details.row_decisions import BUTTONS, decide_row
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.wiring import fetch_options

CONTACT = ENTITIES["contact"]
CHANGED_MEANWHILE = (
    "The contact was changed meanwhile. Your values are kept below; check them and save again."
)
# Fewer digits than this cannot be recognised in a text.
MIN_DIGITS = 6
MAX_SHOWN_HISTORY = 20

router = APIRouter()


@router.get("/contacts/new")
async def new(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    draft = {"domain": request.query_params.get("domain", "")[:253]}
    return await _new_page(request, caller, console, draft)


@router.post("/contacts/new")
async def create(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    values = {name: value for name, value in _values(form).items() if value}
    tags = _tags(form)
    try:
        row = await create_contact(
            caller.engine,
            caller.actor,
            text_of(form, "domain"),
            values | ({"tags": tags} if tags else {}),
            source_url=text_of(form, "source_url") or None,
            validate=await validates_addresses(caller, console.api),
        )
    except (InvalidInput, Conflict) as refused:
        draft = {**_draft(form), "domain": text_of(form, "domain"), "source_url": text_of(form, "source_url")}
        return await _new_page(request, caller, console, draft, refused)
    return console.redirect(request, f"/contacts/{row['id']}", "Contact created.")


@router.get("/contacts/{row_id:uuid}")
async def show(row_id: UUID, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(row_id, request, caller, console)


@router.post("/contacts/{row_id:uuid}/edit")
async def edit(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Set the fields that differ from what the person was shown; only those count as edited (R266)."""
    form = await read_form(request)
    before = await RowQuery(caller.engine).show(CONTACT, caller.actor.tenant_id, str(row_id))
    values = {name: value for name, value in _values(form).items() if value != (before[name] or None)}
    expected = frozenset({text_of(form, "version")})
    if not values:
        return console.redirect(request, f"/contacts/{row_id}", "Nothing was changed.")
    try:
        await update_contact(
            caller.engine,
            caller.actor,
            row_id,
            values,
            validate=await validates_addresses(caller, console.api),
            expected_tags=expected,
        )
    except (InvalidInput, Conflict, Stale) as refused:
        return await _show(row_id, request, caller, console, draft=_draft(form), refused=refused)
    return console.redirect(
        request, f"/contacts/{row_id}", "Saved. Later crawls will not overwrite what you set."
    )


@router.post("/contacts/{row_id:uuid}/tags")
async def change_tags(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    removed = text_of(form, "remove")
    try:
        await tag_contacts(
            caller.engine, caller.actor, [row_id], add=_tags(form, "add"), remove=[removed] if removed else []
        )
    except InvalidInput as refused:
        return await _show(row_id, request, caller, console, refused=refused)
    return console.redirect(request, f"/contacts/{row_id}", "Tags changed.")


@router.post("/contacts/{row_id:uuid}/validate")
async def validate(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    result = await validate_contacts(caller.engine, caller.actor, [row_id], again=True)
    notice = "The address is queued for validation."
    if result.already_processing:
        notice = "The address is being validated already."
    elif result.invalid_ids:
        notice = "It cannot be validated: the contact has no address, or is rejected or archived."
    return console.redirect(request, f"/contacts/{row_id}", notice)


@router.post("/contacts/{row_id:uuid}/decide")
async def decide_contact(
    row_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    notice = await decide_row(request, console, caller, CONTACT, row_id)
    return console.redirect(request, f"/contacts/{row_id}", notice)


@router.get("/contacts/{row_id:uuid}/delete")
async def confirm_contact_deletion(
    row_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    contact = await RowQuery(caller.engine).details(CONTACT, caller.actor.tenant_id, row_id)
    return await console.page(request, caller, "contact_delete.html", contact=contact)


@router.post("/contacts/{row_id:uuid}/delete")
async def delete(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    await delete_contacts(caller.engine, caller.actor, [row_id])
    return console.redirect(request, "/contacts", "Contact deleted. No later crawl brings it back.")


async def _show(
    row_id: UUID,
    request: Request,
    caller: Caller,
    console: Console,
    *,
    draft: Mapping[str, Any] | None = None,
    refused: ActionError | None = None,
) -> Response:
    tenant_id = caller.actor.tenant_id
    contact = await RowQuery(caller.engine).details(CONTACT, tenant_id, row_id)
    domain = await RowQuery(caller.engine).show(ENTITIES["domain"], tenant_id, str(contact["domain_id"]))
    query = DossierQuery(caller.engine, tenant_id)
    audit = await AuditQuery(caller.engine, tenant_id).find(
        AuditFilter(row_id=str(row_id)), limit=MAX_SHOWN_HISTORY
    )
    settings = console.api.settings
    source_host = urlsplit(contact["source_url"]).hostname or ""
    host = await query.host(source_host)
    fields = draft or {**contact, "social_urls": _profile_lines(contact["social_urls"])}
    return await console.page(
        request,
        caller,
        "contact.html",
        status=refused.status if refused else 200,
        contact=contact,
        domain=domain,
        origin=await query.origin(domain["local_business_id"]),
        undoable=await query.last_decision(row_id),
        evidence=_by_page(contact["sightings"]),
        score_parts=_score_parts(contact["lead_score_parts"]),
        article_14=await NoticeQuery(caller.engine).notice(
            tenant_id,
            row_id,
            controller=settings.privacy_controller,
            rights_contact=settings.privacy_contact,
        ),
        host=host,
        robots=robots_verdict(contact["source_url"], host, fetch_options(settings).user_agent),
        draft=fields,
        limits=MAX_LENGTHS,
        problem=_problem(refused),
        version=version_tag(contact["updated_at"]),
        history=audit["items"],
        buttons=BUTTONS,
    )


def _problem(refused: ActionError | None) -> str:
    if refused is None:
        return ""
    return CHANGED_MEANWHILE if isinstance(refused, Stale) else str(refused)


async def _new_page(
    request: Request,
    caller: Caller,
    console: Console,
    draft: Mapping[str, Any],
    refused: ActionError | None = None,
) -> Response:
    empty = {**dict.fromkeys((*MAX_LENGTHS, "social_urls", "domain", "source_url"), ""), "tags": []}
    return await console.page(
        request,
        caller,
        "contact_new.html",
        status=refused.status if refused else 200,
        draft={**empty, **draft},
        limits=MAX_LENGTHS,
        problem=_problem(refused),
    )


# ---- what the form holds


def _values(form: FormData) -> dict[str, Any]:
    """The fields as the action takes them; an empty field is None."""
    texts: dict[str, Any] = {name: text_of(form, name) or None for name in MAX_LENGTHS}
    return {**texts, "social_urls": _profiles(text_of(form, "social_urls")) or None}


def _draft(form: FormData) -> dict[str, Any]:
    """The fields as the person typed them."""
    texts: dict[str, Any] = {name: text_of(form, name) for name in (*MAX_LENGTHS, "social_urls")}
    return {**texts, "tags": _tags(form)}


def _tags(form: FormData, name: str = "tags") -> list[str]:
    return text_of(form, name).replace(",", " ").split()


def _profiles(text: str) -> dict[str, str]:
    """Lines such as `linkedin https://…` as profiles by network."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    profiles = {}
    for line in lines:
        network, _, url = line.replace(": ", " ", 1).partition(" ")
        profiles[network.strip().lower()] = url.strip()
    return profiles


def _profile_lines(profiles: Mapping[str, Any]) -> str:
    return "\n".join(f"{network} {url}" for network, url in profiles.items())


# ---- score


def _score_parts(parts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The parts of the score under their titles, those with the most points first."""
    listed = sorted(parts.items(), key=lambda entry: (-entry[1]["points"], entry[0]))
    return [(SCORE_PARTS[name].title, part) for name, part in listed if name in SCORE_PARTS]


# ---- evidence


def _by_page(sightings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The pages that show the contact, the surest first, each with what was read there."""
    pages: dict[UUID, dict[str, Any]] = {}
    for sighting in sightings:
        page = pages.setdefault(sighting["page_id"], {**sighting, "quotes": []})
        page["quotes"].append({**sighting, "parts": split_quote(sighting["quote"], sighting["value"])})
        page["first_seen_at"] = min(page["first_seen_at"], sighting["first_seen_at"])
        page["last_seen_at"] = max(page["last_seen_at"], sighting["last_seen_at"])
    return list(pages.values())


def split_quote(quote: str, value: str) -> tuple[str, str, str]:
    """The quote before, at and after the value; nothing is marked where the value stands in another form."""
    match = re.search(re.escape(value), quote, re.IGNORECASE) or _search_number(quote, value)
    if match is None:
        return quote, "", ""
    return quote[: match.start()], match.group(), quote[match.end() :]


def _search_number(quote: str, value: str) -> re.Match[str] | None:
    """A phone number as people write it: with blanks and signs, perhaps without its country code."""
    digits = re.sub(r"\D", "", value)
    if not value.startswith("+") or len(digits) < MIN_DIGITS:
        return None
    for start in range(len(digits) - MIN_DIGITS + 1):
        pattern = r"[\s().\-/\u00a0\u2011\u2013]{0,3}".join(digits[start:])
        if match := re.search(rf"\+?0?{pattern}(?!\d)", quote):
            return match
    return None
