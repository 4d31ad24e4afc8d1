"""Businesses: lists and single businesses."""

from __future__ import annotations

from scrapersky.api.lists import list_router
from scrapersky.queries.rows.entities import ENTITIES

router = list_router(ENTITIES["business"], "/local-businesses")
