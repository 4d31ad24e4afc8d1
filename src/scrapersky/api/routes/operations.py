"""Operations: what was decided about many rows, how far it is, and how to stop it or take it back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from scrapersky.actions.curation import describe_undo, undo
from scrapersky.actions.operations import cancel_operation
from scrapersky.api.caller import Context, Operator, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.queries.decisions.operations import OperationQuery

router = APIRouter(prefix="/operations", tags=["operations"])
State = Literal["pending", "running", "complete", "failed", "cancelled", "undone"]
EntityName = Literal["place", "business", "domain", "sitemap", "page", "contact"]


class OperationModel(BaseModel):
    """One operation. `skipped` counts rows by reason; `progress` is a share from 0 to 1."""

    id: UUID
    action: Literal["curate", "reset", "run", "undo", "deliver"]
    entity: EntityName
    value: str | None
    filters: dict[str, list[str]]
    number_of_ids: int | None
    status: State
    error: str | None
    expected: int | None
    matched: int
    changed: int
    queued: int
    skipped: dict[str, int]
    progress: float
    cancel_requested: bool
    undo_of: UUID | None
    undone_at: datetime | None
    rule_id: UUID | None
    created_by: UUID | None
    actor: str
    correlation_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class OperationList(BaseModel):
    """`next` is the `after` of the next request, if there are more."""

    items: list[OperationModel]
    next: UUID | None
    total: int
    total_exact: bool


class UndoResult(BaseModel):
    """What was put back; rows that have moved on stay as they are and are counted by reason."""

    message: str
    updated_count: int
    matched_count: int
    skipped: dict[str, int]
    operation_id: UUID | None


@router.get("")
async def list_operations(
    caller: Viewer,
    status: State | None = None,
    entity: EntityName | None = None,
    after: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> OperationList:
    """List operations, the newest first."""
    query = OperationQuery(caller.engine, caller.actor.tenant_id)
    rows = await query.list_operations(status=status, entity=entity, after=after, limit=limit + 1)
    items = [OperationModel.model_validate(row) for row in rows[:limit]]
    total = await query.count(status=status, entity=entity)
    following = items[-1].id if len(rows) > limit else None
    return OperationList(items=items, next=following, total=total, total_exact=True)


@router.get("/{operation_id:uuid}")
async def get_operation(operation_id: UUID, caller: Viewer) -> OperationModel:
    """One operation with its progress and counts."""
    return await _show(caller, operation_id)


@router.post("/{operation_id:uuid}/cancel", name="cancel_operation")
async def cancel(operation_id: UUID, caller: Operator) -> OperationModel:
    """Stop an operation after its current chunk; what it has changed can be undone."""
    await cancel_operation(caller.engine, caller.actor, operation_id)
    return await _show(caller, operation_id)


@router.post("/{operation_id:uuid}/undo", responses={202: {"model": UndoResult}})
async def undo_operation(
    operation_id: UUID, caller: Operator, context: Context, response: Response
) -> UndoResult:
    """Put the rows back that are still as the operation left them."""
    result = await undo(caller.engine, caller.actor, operation_id, in_background=True)
    response.headers["Location"] = f"{PREFIX}/operations/{result.operation_id}"
    if not result.is_finished:
        response.status_code = 202
        context.run_operations()
    return UndoResult(
        message=describe_undo(result),
        updated_count=result.updated,
        matched_count=result.matched,
        skipped=result.skipped,
        operation_id=result.operation_id,
    )


async def _show(caller: Any, operation_id: UUID) -> OperationModel:
    row = await OperationQuery(caller.engine, caller.actor.tenant_id).show(operation_id)
    return OperationModel.model_validate(row)
