"""Lists and single rows of every table that people read."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.lists import (
    businesses,
    contacts,
    deliveries,
    domains,
    pages,
    places,
    searches,
    sitemap_files,
)

router = APIRouter()
for _module in (businesses, contacts, deliveries, domains, pages, places, searches, sitemap_files):
    router.include_router(_module.router)
