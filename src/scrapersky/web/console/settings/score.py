"""The parts of the lead score: everybody sees the weights, admins edit them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.actions.lead_score import get_score_part, reset_score_part, set_score_part
from scrapersky.api.caller import Admin, Caller, Viewer
from scrapersky.errors import InvalidInput
from scrapersky.queries.lead_score import LeadScoreQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.settings.tabs import show_settings

router = APIRouter()
SCORE = "/settings/score"


@router.get("/settings/score")
async def show_score_parts(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show(request, caller, console)


@router.post("/settings/score/{part}")
async def change_part(request: Request, part: str, caller: Admin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    declared = get_score_part(part)
    weight, words = text_of(form, "weight"), text_of(form, "words")
    try:
        if not (weight.isascii() and weight.isdigit()):
            raise InvalidInput("A weight is a whole number from 0 to 100")
        await set_score_part(
            caller.engine,
            caller.actor,
            part,
            weight=int(weight[:6]),
            words=words.splitlines() if declared.has_words else None,
        )
    except InvalidInput as error:
        typed = {"part": part, "weight": weight, "words": words}
        return await _show(request, caller, console, typed=typed, error=str(error), status=error.status)
    return console.redirect(request, SCORE, f"{declared.title} is changed. All contacts are scored again.")


@router.post("/settings/score/{part}/reset")
async def reset_part(request: Request, part: str, caller: Admin, console: ConsoleContext) -> Response:
    await reset_score_part(caller.engine, caller.actor, part)
    return console.redirect(request, SCORE, f"{get_score_part(part).title} has its default.")


async def _show(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    query = LeadScoreQuery(caller.engine, caller.actor.tenant_id)
    parts = await query.parts()
    known = {
        "score_parts": parts,
        # Parts that compare with words count only if there are words.
        "total": sum(part.weight for part in parts if part.words or not part.has_words),
        "is_current": await query.is_current(),
        "typed": {"part": ""},
    }
    return await show_settings(request, caller, console, "score", **{**known, **values})
