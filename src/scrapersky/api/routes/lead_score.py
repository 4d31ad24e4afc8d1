"""The lead score: its parts with their weights, which admins edit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.lead_score import reset_score_part, set_score_part
from scrapersky.api.caller import Admin, Caller, Viewer
from scrapersky.api.models import Body, left_out
from scrapersky.declarations.lead_score import MAX_WEIGHT, MAX_WORDS
from scrapersky.queries.lead_score import LeadScoreQuery, ScorePartRow

router = APIRouter(prefix="/lead-score", tags=["lead score"])
PartName = Annotated[str, Path(max_length=50, examples=["category"])]


class LeadScore(BaseModel):
    """The parts, and whether all contacts have been scored since the last edit."""

    items: list[ScorePartRow]
    is_current: bool


class ScorePartChanges(Body):
    """What is left out stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"weight": 40, "words": ["dentist", "orthodontist"]}]}
    )

    weight: Annotated[int, Field(ge=0, le=MAX_WEIGHT)] = left_out()
    words: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=100)]],
        Field(max_length=MAX_WORDS, description="What the part looks for; whole words, in any case."),
    ] = left_out()


@router.get("")
async def get_lead_score(caller: Viewer) -> LeadScore:
    """The parts of the score with their weights."""
    return await _show(caller)


@router.put("/{part}")
async def change_score_part(part: PartName, body: ScorePartChanges, caller: Admin) -> LeadScore:
    """Change a part; all contacts are scored again within seconds to minutes."""
    await set_score_part(caller.engine, caller.actor, part, **body.model_dump(exclude_unset=True))
    return await _show(caller)


@router.delete("/{part}")
async def return_score_part(part: PartName, caller: Admin) -> LeadScore:
    """Return a part to its default."""
    await reset_score_part(caller.engine, caller.actor, part)
    return await _show(caller)


async def _show(caller: Caller) -> LeadScore:
    query = LeadScoreQuery(caller.engine, caller.actor.tenant_id)
    return LeadScore(items=await query.parts(), is_current=await query.is_current())
