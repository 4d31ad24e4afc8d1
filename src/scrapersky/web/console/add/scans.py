"""Scans of sites for sitemaps, started from a form."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.actions.searches import submit_scan
from scrapersky.api.caller import Operator
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.web.console.add.lines import SITEMAPS, show_lines
from scrapersky.web.console.console import ConsoleContext
from scrapersky.web.console.forms import read_form, text_of

router = APIRouter()


@router.post("/add/scan")
async def scan(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    """Submit a job that finds the sitemaps of a site, and show that job."""
    form = await read_form(request)
    site, pages = text_of(form, "site"), text_of(form, "max_pages", "1000")
    try:
        if not (pages.isascii() and pages.isdigit() and len(pages) < 10):
            raise InvalidInput("The number of pages must be a whole number")
        number, _ = await submit_scan(
            caller.engine, caller.actor, site, int(pages), report=console.api.log.report
        )
    except (InvalidInput, Conflict) as refused:
        values: dict[str, Any] = {"site": site, "scan_problem": str(refused)}
        return await show_lines(request, caller, console, SITEMAPS, status=refused.status, **values)
    return console.redirect(request, f"/jobs/{number}", f"Job {number} looks for the sitemaps of {site}.")
