"""The columns that a person wants to see in a list: kept in the browser, applied by the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.web.console.console import ConsoleContext
from scrapersky.web.console.forms import read_form, text_of, texts_of
from scrapersky.web.console.lists.list_state import ListState
from scrapersky.web.console.lists.list_views import VIEWS, ListView

router = APIRouter()
# One for each list, so that a row is drawn the same by whichever address answers.
COOKIE = "columns-{}"
LIFETIME_SECONDS = 365 * 24 * 3600
SEPARATOR = "."


def with_chosen_columns(request: Request, view: ListView) -> ListView:
    """The list without the columns that this person has hidden; the first names the row and stays."""
    hidden = request.cookies.get(COOKIE.format(view.name), "").split(SEPARATOR)
    first, *others = view.columns
    return replace(view, columns=(first, *(column for column in others if _key(column.header) not in hidden)))


def column_choices(view: ListView) -> list[tuple[str, str, bool]]:
    """Key and header of every column that can be hidden, and whether it is shown."""
    every = VIEWS[view.name].columns[1:]
    return [(_key(column.header), column.header, column in view.columns) for column in every]


def _key(header: str) -> str:
    return header.lower().replace(" ", "-")


def _choose_route(view: ListView) -> Callable[..., Any]:
    async def choose_columns(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
        """Show the ticked columns from now on; without any tick, all of them."""
        form = await read_form(request)
        state = ListState.read(view, parse_qsl(text_of(form, "query")))
        ticked = set(texts_of(form, "column"))
        hidden = [key for key, _, _ in column_choices(view) if key not in ticked]
        response = console.redirect(request, state.url())
        response.set_cookie(
            COOKIE.format(view.name),
            SEPARATOR.join(hidden if ticked else []),
            max_age=LIFETIME_SECONDS,
            path="/",
            httponly=True,
            samesite="strict",
            secure=request.scope["scheme"] == "https",
        )
        return response

    return choose_columns


for _view in VIEWS.values():
    router.add_api_route(f"{_view.path}/columns", _choose_route(_view), methods=["POST"])
