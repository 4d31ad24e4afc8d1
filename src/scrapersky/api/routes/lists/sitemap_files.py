"""Sitemap files: lists and single files."""

from __future__ import annotations

from scrapersky.api.lists import list_router
from scrapersky.queries.rows.entities import ENTITIES

router = list_router(ENTITIES["sitemap"], "/sitemap-files", domain=(str, "The domain of the file."))
