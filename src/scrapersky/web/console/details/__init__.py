"""The pages about one row, and the export of a view."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.web.console.details import contact_page, dossier, export_page, search_page, sitemap_page

router = APIRouter()
for _module in (contact_page, dossier, export_page, search_page, sitemap_page):
    router.include_router(_module.router)
