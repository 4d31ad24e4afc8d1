"""A search for a kind of business in a place; an ambiguous place becomes a choice."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.search_request import SearchRequest
from scrapersky.actions.searches import submit_search
from scrapersky.api.caller import Caller, Operator
from scrapersky.errors import InvalidInput
from scrapersky.extract.geography import country_code
from scrapersky.sources.box import parse_box, parse_point
from scrapersky.sources.gazetteer import AmbiguousPlace
from scrapersky.sources.kinds import kind_words
from scrapersky.web.console.add.search_price import has_price, show_price
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.wiring import known_sources

FIELDS = ("what", "where", "country", "radius", "box", "near", "source")

router = APIRouter()


@router.get("/add/search")
async def choose_search(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    draft = {name: request.query_params.get(name, "")[:300] for name in FIELDS}
    return await search_page(request, caller, console, draft)


@router.post("/add/search")
async def add_search(request: Request, caller: Operator, console: ConsoleContext) -> Response:
    form = await read_form(request)
    draft = {name: text_of(form, name)[:300] for name in FIELDS}
    try:
        if has_price(draft) and not text_of(form, "accepted"):
            return await show_price(request, caller, console, draft, _request(form))
        sources = known_sources(console.api.settings)
        searchable = {name: entry for name, entry in sources.items() if entry.needs_area}
        submitted = await submit_search(caller.engine, caller.actor, _request(form), searchable)
    except InvalidInput as refused:
        return await search_page(request, caller, console, draft, refused)
    return await console.page(
        request,
        caller,
        "add_search_result.html",
        search=submitted,
        what=draft["what"],
        source=sources[submitted.source],
    )


async def search_page(
    request: Request,
    caller: Caller,
    console: Console,
    draft: dict[str, str],
    refused: InvalidInput | None = None,
    *,
    file_problem: str = "",
) -> Response:
    """The form, with what was refused and why; `file_problem` is about the list further down."""
    entries = [entry for entry in known_sources(console.api.settings).values() if entry.needs_area]
    candidates: Any = refused.details.get("candidates", []) if isinstance(refused, AmbiguousPlace) else []
    return await console.page(
        request,
        caller,
        "add_search.html",
        status=refused.status if refused else 422 if file_problem else 200,
        draft=draft,
        sources=[(entry, entry.state()) for entry in entries],
        kinds=kind_words(),
        setup=entries[0].setup.format(bbox="WEST,SOUTH,EAST,NORTH"),
        candidates=candidates,
        problem="" if candidates else str(refused or ""),
        file_problem=file_problem,
    )


def _request(form: FormData) -> SearchRequest:
    country, radius = text_of(form, "country"), text_of(form, "radius")
    code = country_code(country) if country else ""
    if code is None:
        raise InvalidInput(f"Invalid country {country[:60]!r}; expected a code such as DE")
    box, near = text_of(form, "box"), text_of(form, "near")
    return SearchRequest(
        kind=text_of(form, "what"),
        location=text_of(form, "where"),
        source=text_of(form, "source"),
        country=code,
        box=parse_box(box) if box else None,
        near=parse_point(near) if near else None,
        radius_km=_number(radius) if radius else None,
    )


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InvalidInput(f"Invalid radius {text[:20]!r}; expected kilometres") from None
