"""The whole at a glance: the overview, the report, and the palette that leads everywhere."""

from fastapi import APIRouter

from scrapersky.web.console.overview import pages, palette, report

router = APIRouter()
for part in (pages, palette, report):
    router.include_router(part.router)

__all__ = ["router"]
