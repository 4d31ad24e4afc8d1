"""One sitemap: what it lists, before and after its import, and the decision about it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Operator, Viewer
from scrapersky.extract.pagetypes.classifier import classify_url
from scrapersky.queries.rows.details import RowQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.sitemap_contents import SitemapContentQuery
from scrapersky.web.console import charts
from scrapersky.web.console.console import ConsoleContext
from scrapersky.web.console.details.row_decisions import BUTTONS, decide_row

router = APIRouter()
SITEMAP = ENTITIES["sitemap"]


@router.get("/sitemaps/{row_id:uuid}")
async def show_sitemap(row_id: UUID, request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """The pages of an imported file, or those that discovery saw at its beginning."""
    tenant_id = caller.actor.tenant_id
    file = await RowQuery(caller.engine).details(SITEMAP, tenant_id, row_id)
    contents = SitemapContentQuery(caller.engine, tenant_id, row_id)
    pages = await contents.pages()
    preview: dict[str, Any] = file["additional_json"]
    first: list[str] = [] if pages else preview.get("first_urls", [])
    types = await contents.page_types() if pages else preview.get("guessed_types", {})
    return await console.page(
        request,
        caller,
        "sitemap.html",
        file=file,
        path_of_file=urlsplit(file["url"]).path or "/",
        is_preview=not pages,
        types=charts.bars(list(types.items()), "Pages by type", headers=("Type", "Pages")),
        urls=[(page["url"], page["page_type"] or "unknown") for page in pages]
        or [(url, classify_url(url).page_type) for url in first],
        known=await contents.known(file["domain_id"], first),
        files=await contents.files_below(),
        buttons=BUTTONS,
    )


@router.post("/sitemaps/{row_id:uuid}/decide")
async def decide_sitemap(
    row_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    notice = await decide_row(request, console, caller, SITEMAP, row_id)
    return console.redirect(request, f"/sitemaps/{row_id}", notice)
