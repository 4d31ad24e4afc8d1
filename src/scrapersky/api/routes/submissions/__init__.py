"""What people submit: scans of sites; domains, sitemaps and pages by list or file; files of businesses."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.submissions import lines, place_files, scans

router = APIRouter()
for _module in (scans, lines, place_files):
    router.include_router(_module.router)
