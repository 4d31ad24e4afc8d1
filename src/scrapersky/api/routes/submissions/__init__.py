"""What people submit: scans of sites; domains, sitemaps and pages by list or file."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.api.routes.submissions import lines, scans

router = APIRouter()
for _module in (scans, lines):
    router.include_router(_module.router)
