"""Adding work without a terminal: pasted lines, files, searches, scans, and the demo world."""

from __future__ import annotations

from fastapi import APIRouter

from scrapersky.web.console.add import demo, files, lines, progress, scans, searches

router = APIRouter()
for _module in (demo, files, lines, progress, scans, searches):
    router.include_router(_module.router)
