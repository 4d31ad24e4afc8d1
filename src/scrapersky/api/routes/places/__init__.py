"""Columns of files, Google Places, listings of the same business, and the coverage of a search."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.places import column_mappings, coverage, google_places, matches

router = APIRouter()
for _module in (column_mappings, coverage, google_places, matches):
    router.include_router(_module.router)
