"""How far domains are that somebody has just added: a page that asks for itself until they are done."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.declarations import READ_METADATA, SUBMIT_DOMAIN
from scrapersky.errors import InvalidInput
from scrapersky.queries.progress import ProgressQuery
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.dossier import DossierQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.web.console.console import ConsoleContext, is_htmx

MAX_FOLLOWED = 100
MAX_NAME = 253
STEPS = {
    "read_metadata": "Home pages",
    "submit_domain": "Sitemap analysis",
    "discover_sitemaps": "Sitemap searches",
    "import_sitemap": "Sitemap imports",
    "read_page": "Pages",
    "validate_email": "E-mail addresses",
}

router = APIRouter()


@router.get("/add/progress")
async def show_domain_progress(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """The progress of the domains that the address names by id or host, separated by commas."""
    names = [
        name.strip()[:MAX_NAME]
        for text in request.query_params.getlist("domains")
        for name in text.split(",")
        if name.strip()
    ]
    if not names or len(names) > MAX_FOLLOWED:
        raise InvalidInput(f"Name 1 to {MAX_FOLLOWED} domains to follow")
    rows = RowQuery(caller.engine)
    ids: list[UUID] = await rows.ids(ENTITIES["domain"], caller.actor.tenant_id, names)
    domains = await DossierQuery(caller.engine, caller.actor.tenant_id).progress(ids)
    progress = await ProgressQuery(caller.engine).of_domains([domain["id"] for domain in domains])
    steps = {STEPS.get(name, name): step for name, step in progress.items() if not step.is_empty}
    values: dict[str, Any] = {
        "domains": domains,
        "steps": steps,
        "is_open": any(step.open for step in steps.values()) or any(map(_is_waiting, domains)),
        "url": f"/add/progress?{request.url.query}",
    }
    if is_htmx(request):
        return console.fragment(request, caller, "_add_progress.html", **values)
    return await console.page(request, caller, "add_progress.html", **values)


def _is_waiting(domain: dict[str, Any]) -> bool:
    waiting = {
        READ_METADATA.statuses.queued,
        READ_METADATA.statuses.processing,
        SUBMIT_DOMAIN.statuses.queued,
        SUBMIT_DOMAIN.statuses.processing,
    }
    return bool({domain["status"], domain["sitemap_analysis_status"]} & waiting)
