"""The dossier of one domain: everything known about a firm's website, and how it is known."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.convertors import StringConvertor, register_url_convertor

from scrapersky.actions.hosts import pause_host, resume_host
from scrapersky.actions.site_edits import delete_domain, edit_row
from scrapersky.actions.versions import version_tag
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.installation import InstallationOperator, is_of_installation
from scrapersky.errors import ActionError, Conflict, InvalidInput, Stale
from scrapersky.queries.audit import AuditFilter, AuditQuery
from scrapersky.queries.explanations import ExplanationQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.dossier import MAX_HISTORY, DossierQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.details.robots_verdict import robots_verdict
from scrapersky.web.console.details.row_decisions import BUTTONS, decide_row
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.wiring import fetch_options

TABS = ("contacts", "pages", "sitemaps", "technology", "requests", "history")
BELOW = ("contacts", "pages", "sitemaps", "jobs")
SOCIALS = ("facebook_url", "twitter_url", "linkedin_url", "instagram_url", "youtube_url")
DOMAIN = ENTITIES["domain"]
PAUSES = {"1": "1 hour", "24": "1 day", "168": "1 week", "720": "30 days"}
CHANGED_MEANWHILE = "It was changed meanwhile. Your text is kept below; check it and save again."


class HostConvertor(StringConvertor):
    """A host name has a dot; so no other page below /domains is taken for one."""

    regex = r"[^/]+\.[^/]+"


register_url_convertor("host", HostConvertor())
router = APIRouter()


@router.get("/domains/{which:host}")
async def show_by_name(which: str, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(which, request, caller, console)


@router.get("/domains/{row_id:uuid}")
async def show_by_id(row_id: UUID, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(str(row_id), request, caller, console)


@router.post("/domains/{row_id:uuid}/decide")
async def decide_domain(
    row_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    notice = await decide_row(request, console, caller, DOMAIN, row_id)
    return await _back(request, console, caller, row_id, notice)


@router.post("/domains/{row_id:uuid}/edit")
async def edit(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    values = {"notes": text_of(form, "notes"), "tags": text_of(form, "tags").replace(",", " ").split()}
    expected = frozenset({text_of(form, "version")})
    try:
        await edit_row(caller.engine, caller.actor, DOMAIN, row_id, values, expected_tags=expected)
    except (InvalidInput, Stale) as refused:
        return await _show(str(row_id), request, caller, console, draft=values, refused=refused)
    return await _back(request, console, caller, row_id, "Notes and tags saved.")


@router.post("/domains/{row_id:uuid}/pause-host")
async def pause(
    row_id: UUID, request: Request, caller: InstallationOperator, console: ConsoleContext
) -> Response:
    """Send the host no requests for some hours, for every tenant: sites are called for all together."""
    hours = text_of(await read_form(request), "hours")
    if hours not in PAUSES:
        raise InvalidInput(f"Invalid hours {hours[:20]!r}; expected one of {', '.join(PAUSES)}")
    host = await _host_of(caller, row_id)
    await pause_host(console.api.engine, caller.actor, host, timedelta(hours=int(hours)))
    notice = f"{host} is paused for {PAUSES[hours]}. Requests under way may finish."
    return await _back(request, console, caller, row_id, notice, tab="requests")


@router.post("/domains/{row_id:uuid}/resume-host")
async def resume(
    row_id: UUID, request: Request, caller: InstallationOperator, console: ConsoleContext
) -> Response:
    host = await _host_of(caller, row_id)
    await resume_host(console.api.engine, caller.actor, host)
    return await _back(request, console, caller, row_id, f"{host} is called again.", tab="requests")


async def _host_of(caller: Caller, row_id: UUID) -> str:
    domain = await RowQuery(caller.engine).show(DOMAIN, caller.actor.tenant_id, str(row_id))
    return str(domain["host"])


@router.get("/domains/{row_id:uuid}/delete")
async def confirm_domain_deletion(
    row_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    return await _confirm(row_id, request, caller, console)


@router.post("/domains/{row_id:uuid}/delete")
async def delete(row_id: UUID, request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Delete the domain with as many rows below it as the person has confirmed."""
    form = await read_form(request)
    expected = text_of(form, "expected")
    if not (expected.isascii() and expected.isdigit() and len(expected) < 12):
        raise InvalidInput("The number of rows that are deleted with the domain is missing")
    try:
        counts = await delete_domain(caller.engine, caller.actor, row_id, expected_count=int(expected))
    except Conflict:
        return await _confirm(row_id, request, caller, console, has_changed=True)
    below = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items() if number)
    return console.redirect(request, "/domains", f"Domain deleted{' with ' + below if below else ''}.")


async def _confirm(
    row_id: UUID, request: Request, caller: Caller, console: Console, *, has_changed: bool = False
) -> Response:
    domain = await RowQuery(caller.engine).show(DOMAIN, caller.actor.tenant_id, str(row_id))
    return await console.page(
        request,
        caller,
        "dossier_delete.html",
        status=409 if has_changed else 200,
        domain=domain,
        below=BELOW,
        expected=sum(domain[name] for name in BELOW),
        has_changed=has_changed,
    )


async def _back(
    request: Request, console: Console, caller: Caller, row_id: UUID, notice: str, *, tab: str = ""
) -> Response:
    domain = await RowQuery(caller.engine).show(DOMAIN, caller.actor.tenant_id, str(row_id))
    address = f"/domains/{quote(domain['domain'])}" + (f"?tab={tab}" if tab else "")
    return console.redirect(request, address, notice)


async def _show(
    which: str,
    request: Request,
    caller: Caller,
    console: Console,
    *,
    draft: Mapping[str, Any] | None = None,
    refused: ActionError | None = None,
) -> Response:
    tenant_id = caller.actor.tenant_id
    domain = await RowQuery(caller.engine).show(DOMAIN, tenant_id, which)
    query = DossierQuery(caller.engine, tenant_id)
    tab = request.query_params.get("tab", TABS[0])
    tab = tab if tab in TABS else TABS[0]
    host = await query.host(domain["host"])
    return await console.page(
        request,
        caller,
        "dossier.html",
        status=refused.status if refused else 200,
        domain=domain,
        tab=tab,
        origin=await query.origin(domain["local_business_id"]),
        page_numbers=await query.page_numbers(domain["id"]),
        host=host,
        pauses=PAUSES,
        may_pause=caller.role != "viewer" and is_of_installation(caller, console.api),
        robots=robots_verdict(_home(domain), host, fetch_options(console.api.settings).user_agent),
        version=version_tag(domain["updated_at"]),
        draft=draft or {"notes": domain["notes"] or "", "tags": domain["tags"]},
        problem=CHANGED_MEANWHILE if isinstance(refused, Stale) else str(refused or ""),
        undoable=await query.last_decision(domain["id"]),
        buttons=BUTTONS,
        **await _tab_values(tab, domain, query, caller),
    )


async def _tab_values(
    tab: str, domain: Mapping[str, Any], query: DossierQuery, caller: Caller
) -> dict[str, Any]:
    """What the open tab shows; the other tabs are read when they are opened."""
    domain_id: UUID = domain["id"]
    if tab == "contacts":
        contacts = await query.contacts(domain_id)
        why = [] if contacts else await ExplanationQuery(caller.engine).without_contacts([domain_id])
        return {"contacts": contacts, "why": why[0] if why else None}
    if tab == "pages":
        return {"pages": await query.pages(domain_id)}
    if tab == "sitemaps":
        return {"sitemaps": await query.sitemaps(domain_id)}
    if tab == "requests":
        return {"requests": await query.requests(domain_id)}
    if tab == "history":
        return {"history": await _history(domain, query, caller)}
    return {"technologies": _technologies(domain["tech_stack"]), "socials": _socials(domain)}


def _technologies(stack: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The technologies by their first category, both in the order of the alphabet."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, value in sorted(stack.items(), key=lambda entry: entry[0].casefold()):
        facts = value if isinstance(value, dict) else {}
        categories = facts.get("categories") or ["Other"]
        entry = {"name": name, "version": facts.get("version"), "confidence": facts.get("confidence")}
        groups.setdefault(str(categories[0]), []).append({**entry, "more": categories[1:]})
    return dict(sorted(groups.items()))


def _socials(domain: Mapping[str, Any]) -> dict[str, str]:
    columns = {name.removesuffix("_url"): domain[name] for name in SOCIALS if domain[name]}
    return {**columns, **{str(name): str(url) for name, url in domain["social_urls"].items()}}


def _home(domain: Mapping[str, Any]) -> str:
    return str(domain["domain_metadata"].get("home_url") or f"https://{domain['domain']}/")


async def _history(domain: Mapping[str, Any], query: DossierQuery, caller: Caller) -> list[dict[str, Any]]:
    """What people and jobs did to the domain and to its host, the newest first."""
    domain_id, log = domain["id"], AuditQuery(caller.engine, caller.actor.tenant_id)
    logs = [
        await log.find(AuditFilter(row_id=str(row_id)), limit=MAX_HISTORY)
        for row_id in (domain_id, domain["host"])
    ]
    entries = [
        {"kind": "change", "at": row["created_at"], "what": row["action"], "who": row["actor"], "row": row}
        for audit in logs
        for row in audit["items"]
    ]
    entries += [
        {"kind": "operation", "at": row["created_at"], "what": row["action"], "who": row["actor"], "row": row}
        for row in await query.operations([domain_id])
    ]
    entries += [
        {"kind": "job", "at": row["created_at"], "what": row["job_type"], "who": "", "row": row}
        for row in await query.jobs(domain_id)
    ]
    return sorted(entries, key=lambda entry: entry["at"], reverse=True)[:MAX_HISTORY]
