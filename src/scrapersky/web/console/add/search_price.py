"""The step before a search that costs money: how many places there seem to be, and what they cost."""

from __future__ import annotations

import asyncio

from fastapi import Request, Response

from scrapersky.actions.search_request import SearchRequest, plan_search
from scrapersky.api.caller import Caller
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.installation.google_ledger import preview_cost
from scrapersky.sources.google_places import SOURCE_NAME
from scrapersky.web.console.console import Console
from scrapersky.wiring import current_settings, known_sources, open_google


async def show_price(
    request: Request, caller: Caller, console: Console, draft: dict[str, str], search: SearchRequest
) -> Response:
    """Raises InvalidInput for what cannot be searched, or when Google does not answer."""
    plan = await asyncio.to_thread(plan_search, search, known_sources(console.api.settings))
    settings = await current_settings(console.api.settings, console.api.engine, console.api.secret_key)
    try:
        async with open_google(settings, console.api.engine) as client:
            preview = await preview_cost(client, plan.kind, plan.params["box"])
    except Conflict as refused:
        raise InvalidInput(str(refused)) from None
    return await console.page(
        request, caller, "add_search_price.html", draft=draft, plan=plan, preview=preview
    )


def has_price(draft: dict[str, str]) -> bool:
    return draft["source"] == SOURCE_NAME
