"""Integrations: the outside services, what they need, and a button that tests each."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Caller
from scrapersky.api.installation import InstallationOperator, InstallationViewer
from scrapersky.queries.installation.integrations import (
    IntegrationResult,
    check_integration,
    find_integration,
)
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.settings.tabs import show_settings
from scrapersky.wiring import integrations

router = APIRouter()


@router.get("/settings/integrations")
async def list_integrations(
    request: Request, caller: InstallationViewer, console: ConsoleContext
) -> Response:
    return await _show(request, caller, console)


@router.post("/settings/integrations/{name}/test")
async def test_integration(
    request: Request, name: str, caller: InstallationOperator, console: ConsoleContext
) -> Response:
    """The answer itself shows the result, as it is of no use a minute later."""
    result = await check_integration(find_integration(integrations(console.api.settings), name))
    return await _show(request, caller, console, result)


async def _show(
    request: Request, caller: Caller, console: Console, result: IntegrationResult | None = None
) -> Response:
    known = list(integrations(console.api.settings).values())
    return await show_settings(request, caller, console, "integrations", integrations=known, result=result)
