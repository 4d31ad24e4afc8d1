"""Matches: pairs of places from different sources that may be the same business."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.place_matches import decide_match, reset_match
from scrapersky.api.caller import Caller, Operator, Viewer
from scrapersky.api.models import Body
from scrapersky.queries.places.matches import PlaceMatchQuery

router = APIRouter(prefix="/matches", tags=["matches"])
Verdict = Literal["same", "different", "unsure"]
MAX_MATCHES = 200


class MatchedPlace(BaseModel):
    id: UUID
    source: str
    name: str
    business_type: str | None
    formatted_address: str | None
    phone: str | None
    website_url: str | None
    latitude: float | None
    longitude: float | None
    status: str


class Match(BaseModel):
    """Two places, the log-odds that they are one business, and what each piece of evidence added."""

    id: UUID
    verdict: Verdict
    log_odds: float
    evidence: dict[str, Any]
    decided_by: UUID | None = Field(description="The person who decided; null if the evidence did.")
    decided_at: datetime | None
    created_at: datetime
    place_a: MatchedPlace
    place_b: MatchedPlace


class MatchList(BaseModel):
    """Pairs in the order in which they were found; `next` is the id to continue after."""

    items: list[Match]
    next: UUID | None
    total: int
    total_exact: bool = True


class MatchDecision(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"verdict": "same"}]})

    verdict: Literal["same", "different"]


@router.get("")
async def list_matches(
    caller: Viewer,
    verdict: Annotated[Verdict | None, Query(description="unsure is what waits for a person.")] = None,
    after: Annotated[UUID | None, Query(description="The `next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_MATCHES)] = 50,
) -> MatchList:
    """List the pairs."""
    rows = await _query(caller).page(verdict=verdict, after=after, limit=limit + 1)
    items = [Match.model_validate(row) for row in rows[:limit]]
    counts = await _query(caller).counts()
    total = sum(counts.values()) if verdict is None else counts.get(verdict, 0)
    return MatchList(items=items, next=items[-1].id if len(rows) > limit else None, total=total)


@router.get("/{match_id:uuid}")
async def get_match(match_id: UUID, caller: Viewer) -> Match:
    """One pair."""
    return Match.model_validate(await _query(caller).show(match_id))


@router.put("/{match_id:uuid}")
async def change_match(match_id: UUID, body: MatchDecision, caller: Operator) -> Match:
    """Decide whether the places are the same business; no later comparison changes that."""
    await decide_match(caller.engine, caller.actor, match_id, body.verdict)
    return await get_match(match_id, caller)


@router.delete("/{match_id:uuid}")
async def return_match(match_id: UUID, caller: Operator) -> Match:
    """Take a decision back; the evidence decides again."""
    await reset_match(caller.engine, caller.actor, match_id)
    return await get_match(match_id, caller)


def _query(caller: Caller) -> PlaceMatchQuery:
    return PlaceMatchQuery(caller.engine, caller.actor.tenant_id)
