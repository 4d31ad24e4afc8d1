"""Dead letters: rows that failed permanently; why, and what people do about it."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator

from scrapersky.actions import discard_dead_letters, investigate_dead_letter, requeue_dead_letters
from scrapersky.api.caller import Context, Operator, Viewer
from scrapersky.api.cursors import seal, unseal
from scrapersky.api.models import Body
from scrapersky.queries import DeadLetterQuery
from scrapersky.queries.dead_letters import DeadLetterFilter, Position
from scrapersky.queries.read_model import get_declaration

router = APIRouter(prefix="/dead-letters", tags=["dead letters"])

State = Literal["open", "investigating", "resolved"]
Text = Annotated[str | None, Query(max_length=200)]


class DeadLetter(BaseModel):
    stage: str
    id: str
    reason: str | None
    error_class: str | None
    domain: str | None
    retries: int
    attempts: int | None
    crashes: int
    failed_at: datetime
    state: State
    owner_id: UUID | None
    note: str | None


class DeadLetterList(BaseModel):
    items: list[DeadLetter]
    next: str | None
    total: int
    total_exact: bool


class Investigation(BaseModel):
    state: State
    owner_id: UUID | None
    note: str
    created_at: datetime | None
    updated_at: datetime | None


class Crash(BaseModel):
    """A worker that was lost while it held the row; `crashes` counts those that ran nothing else."""

    worker: int | None
    crashes: int
    reason: str
    created_at: datetime


class DeadLetterDetail(BaseModel):
    """`row` is the whole row; a row without an exception has the crashes of its workers instead."""

    stage: str
    id: str
    status: str | None
    reason: str | None
    error_class: str | None
    attempts: int | None
    traceback: str | None
    crashes: list[Crash]
    investigation: Investigation
    row: dict[str, Any]


class DeadLetterChoice(Body):
    """Dead letters of one stage: `ids`, those with a text in their reason, or `all`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"stage": "read_page", "contains": "HTTP 503"}]}
    )

    stage: Annotated[str, Field(max_length=63)]
    ids: Annotated[tuple[Annotated[str, Field(max_length=36)], ...], Field(max_length=1_000)] = ()
    contains: Annotated[str, Field(max_length=200)] = ""
    all: bool = False

    @model_validator(mode="after")
    def _check_choice(self) -> DeadLetterChoice:
        if bool(self.ids) == bool(self.contains or self.all):
            raise ValueError("pass ids, contains or all")
        return self


class DeadLetterChange(BaseModel):
    updated_count: int


class InvestigationRequest(Body):
    state: State
    note: Annotated[str, Field(max_length=4_000)] = ""
    owner_id: UUID | None = None


@router.get("")
async def list_dead_letters(
    caller: Viewer,
    context: Context,
    stage: Text = None,
    error_class: Text = None,
    domain: Text = None,
    state: State | None = None,
    contains: Text = None,
    after: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> DeadLetterList:
    """Dead letters of all stages, the newest first; `domain` and `contains` are text anywhere."""
    matching = DeadLetterFilter(stage, error_class, domain, state, contains)
    scope = [str(caller.actor.tenant_id), "dead letters", *astuple(matching)]
    position = None if after is None else read_position(unseal(context.secret_key, scope, after))
    letters = DeadLetterQuery(caller.engine, caller.actor.tenant_id)
    page = await letters.find(matching, after=position, limit=limit)
    if page["next"] is not None:
        page["next"] = seal(context.secret_key, scope, [page["next"][0].isoformat(), *page["next"][1:]])
    return DeadLetterList(**page)


def read_position(values: list[str]) -> Position:
    failed_at, stage, row_id = values
    return Position(datetime.fromisoformat(failed_at), stage, row_id)


@router.post("/requeue", name="requeue_dead_letters")
async def requeue(body: DeadLetterChoice, caller: Operator) -> DeadLetterChange:
    """Queue dead letters again, with all their tries."""
    chosen = body.stage, body.ids
    number = await requeue_dead_letters(caller.engine, caller.actor, *chosen, contains=body.contains)
    return DeadLetterChange(updated_count=number)


@router.post("/discard", name="discard_dead_letters")
async def discard(body: DeadLetterChoice, caller: Operator) -> DeadLetterChange:
    """Remove dead letters from their queue for good; the rows stay."""
    chosen = body.stage, body.ids
    number = await discard_dead_letters(caller.engine, caller.actor, *chosen, contains=body.contains)
    return DeadLetterChange(updated_count=number)


@router.get("/{stage}/{row_id}")
async def get_dead_letter(stage: str, row_id: str, caller: Viewer) -> DeadLetterDetail:
    """One row with the traceback of its last try, every crash of a worker, and what people noted."""
    declaration = get_declaration(stage)
    row = await DeadLetterQuery(caller.engine, caller.actor.tenant_id).show(stage, row_id)
    figures = {name: row.pop(name, None) for name in ("error_class", "attempts", "traceback")}
    crashes, investigation = row.pop("crash_history"), row.pop("investigation")
    return DeadLetterDetail(
        stage=stage,
        id=str(row["id"]),
        status=row[declaration.status],
        reason=row[declaration.error],
        crashes=[Crash(**crash) for crash in crashes],
        investigation=Investigation(**investigation),
        row=row,
        **figures,
    )


@router.put("/{stage}/{row_id}/investigation", name="investigate_dead_letter")
async def investigate(stage: str, row_id: str, body: InvestigationRequest, caller: Operator) -> Investigation:
    """Note what is known, who looks into it, and how far that is."""
    investigation = await investigate_dead_letter(
        caller.engine,
        caller.actor,
        stage,
        row_id,
        state=body.state,
        note=body.note,
        owner_id=body.owner_id,
    )
    return Investigation(**investigation)
