"""Matches: places of different sources side by side, for a person to say whether they are the same."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.place_matches import decide_match, reset_match
from scrapersky.api.caller import Operator, Viewer
from scrapersky.declarations import statuses
from scrapersky.queries.places.matches import PlaceMatchQuery
from scrapersky.web.console.console import ConsoleContext
from scrapersky.web.console.forms import read_form, return_path, text_of

router = APIRouter()
PAGE_SIZE = 20
NOTICES = {
    statuses.SAME: "The places are linked. Nothing was deleted.",
    statuses.DIFFERENT: "The places are kept apart.",
}


@router.get("/matches")
async def list_matches(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    query = PlaceMatchQuery(caller.engine, caller.actor.tenant_id)
    verdict = request.query_params.get("verdict", statuses.UNSURE)
    if verdict not in statuses.MATCH_VERDICT:
        verdict = statuses.UNSURE
    rows = await query.page(
        verdict=verdict, after=_uuid(request.query_params.get("after", "")), limit=PAGE_SIZE + 1
    )
    return await console.page(
        request,
        caller,
        "matches.html",
        matches=rows[:PAGE_SIZE],
        verdict=verdict,
        verdicts=statuses.MATCH_VERDICT,
        counts=await query.counts(),
        next_id=rows[PAGE_SIZE - 1]["id"] if len(rows) > PAGE_SIZE else None,
    )


@router.post("/matches/{match_id:uuid}")
async def decide_one_match(
    match_id: UUID, request: Request, caller: Operator, console: ConsoleContext
) -> Response:
    form = await read_form(request)
    verdict = text_of(form, "verdict")
    if verdict:
        await decide_match(caller.engine, caller.actor, match_id, verdict)
    else:
        await reset_match(caller.engine, caller.actor, match_id)
    notice = NOTICES.get(verdict, "The evidence decides again.")
    return console.redirect(request, return_path(form, "/matches"), notice)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
