"""Domains: lists, and single domains with the number of rows below them."""

from __future__ import annotations

from scrapersky.api.lists import list_router
from scrapersky.queries.rows.entities import ENTITIES

router = list_router(
    ENTITIES["domain"],
    "/domains",
    jobs=(int, "Jobs of the domain."),
    sitemaps=(int, "Sitemap files of the domain."),
    pages=(int, "Pages of the domain."),
    contacts=(int, "Contacts of the domain."),
)
