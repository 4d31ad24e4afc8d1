"""The documentation of the API as plain pages: no script, nothing from other hosts."""

from __future__ import annotations

from functools import cache

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from scrapersky.api.caller import Viewer
from scrapersky.api.openapi.reference import reference_sections
from scrapersky.api.problem_types import DOCS_PATH, PROBLEM_TYPES


def add_documentation(web: FastAPI, templates: Environment) -> None:
    @cache
    def reference_html() -> str:
        return templates.get_template("reference.html").render(sections=reference_sections())

    @web.get("/docs", response_class=HTMLResponse)
    async def reference(caller: Viewer) -> HTMLResponse:
        return HTMLResponse(reference_html())

    @web.get(DOCS_PATH, response_class=HTMLResponse)
    async def problems() -> HTMLResponse:
        """For everybody: who is refused follows the `type` of the answer to this page."""
        return HTMLResponse(templates.get_template("problems.html").render(problems=PROBLEM_TYPES))
