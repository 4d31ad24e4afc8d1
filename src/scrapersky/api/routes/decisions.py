"""Decisions about rows: by ids or for all that match, the same for every curated resource."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response

from scrapersky.actions.curation import CurationResult, decide, unread_pages
from scrapersky.actions.operations import CURATE, RESET, RUN, Decision, check_expected, count_rows
from scrapersky.api.caller import Caller, Context, Operator
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.decision_bodies import (
    RESOURCES,
    CountedBody,
    DecisionBody,
    DecisionResult,
    Resource,
    RowChoice,
    batch_body,
    filtered_body,
    read_filters,
    read_status,
)
from scrapersky.errors import NotFound
from scrapersky.log import pluralize
from scrapersky.queries.rows.entities import ENTITIES, Entity

router = APIRouter(tags=["decisions"])
LATER: dict[int | str, Any] = {202: {"model": DecisionResult, "description": "Continues as an operation."}}


async def answer(
    caller: Caller, context: ApiContext, response: Response, decision: Decision, *, dry_run: bool = False
) -> DecisionResult:
    """Make the decision and say what it did; a large one is left to the background."""
    if dry_run:
        matched = await count_rows(caller.engine, caller.actor, decision)
        check_expected(decision.expected, matched)
        rows = pluralize(matched, decision.entity.name, decision.entity.plural)
        return _result(f"{rows} would be updated", matched_count=matched)
    result = await decide(caller.engine, caller.actor, decision, in_background=True)
    if result.operation_id is not None:
        response.headers["Location"] = f"{PREFIX}/operations/{result.operation_id}"
    if not result.is_finished:
        response.status_code = 202
        context.run_operations()
    return _describe(decision.entity, result)


def _describe(entity: Entity, result: CurationResult) -> DecisionResult:
    done = f"{result.updated:,} of {result.matched:,} {entity.plural} updated"
    return _result(
        done if result.is_finished else f"{result.matched:,} {entity.plural} are being updated",
        matched_count=result.matched,
        updated_count=result.updated,
        queued_count=result.queued,
        skipped=result.skipped,
        operation_id=result.operation_id,
    )


def _result(message: str, **values: Any) -> DecisionResult:
    known = {"updated_count": 0, "queued_count": 0, "skipped": {}, "operation_id": None, **values}
    return DecisionResult(message=message, **known)


def _require_rows(result: DecisionResult, entity: Entity) -> DecisionResult:
    """The batch updates of the original product answer 404 when no row matches."""
    if not result.matched_count or (result.updated_count == 0 and "not_found" in result.skipped):
        raise NotFound(f"No {entity.plural} match")
    return result


def _grace(context: ApiContext) -> timedelta:
    return timedelta(seconds=context.settings.decision_grace_seconds)


def add_batch_routes(resource: Resource, path: str, status_fields: tuple[str, ...], prefix: str) -> None:
    """PUT …/status with ids, and PUT …/status/filtered."""
    entity = resource.entity
    batch = batch_body(resource, status_fields, f"{prefix}{resource.noun}Status")
    filtered = filtered_body(resource, status_fields, f"{prefix}{resource.noun}FilteredStatus")

    async def set_status(body: Any, caller: Operator, context: Context, response: Response) -> DecisionResult:
        decision = Decision(
            entity=entity,
            value=read_status(body, status_fields),
            ids=getattr(body, resource.ids_field),
            grace=_grace(context),
        )
        return _require_rows(await answer(caller, context, response, decision), entity)

    async def set_filtered_status(
        body: Any, caller: Operator, context: Context, response: Response
    ) -> DecisionResult:
        decision = Decision(
            entity=entity,
            value=read_status(body, status_fields),
            filters=read_filters(body, resource, status_fields),
            expected=body.expected,
            grace=_grace(context),
        )
        result = await answer(caller, context, response, decision, dry_run=body.dry_run)
        return result if body.dry_run else _require_rows(result, entity)

    about = f"Set the curation status of {entity.plural}"
    _add("PUT", f"{path}/status", set_status, batch, f"{about} by id; Selected also queues them.")
    _add("PUT", f"{path}/status/filtered", set_filtered_status, filtered, f"{about}: all that match.")


def add_bulk_route(resource: Resource) -> None:
    """PUT …/bulk-update (R254)."""
    entity = resource.entity
    batch = batch_body(resource, ("status",), f"Bulk{resource.noun}Status")

    async def bulk_update(
        body: Any, caller: Operator, context: Context, response: Response
    ) -> DecisionResult:
        ids = getattr(body, resource.ids_field)
        decision = Decision(entity=entity, value=body.status, ids=ids, grace=_grace(context))
        return await answer(caller, context, response, decision)

    about = f"Set the curation status of many {entity.plural}, in sub-batches of 100 ids."
    _add("PUT", f"{resource.path}/bulk-update", bulk_update, batch, about)


def add_decision_routes(resource: Resource) -> None:
    """POST …/decisions, …/run and …/reset with ids or a filter, and …/{id}/run."""
    entity = resource.entity

    async def make_decision(
        body: DecisionBody, caller: Operator, context: Context, response: Response
    ) -> DecisionResult:
        decision = _decision(entity, CURATE, body, value=body.decision, grace=_grace(context))
        return await answer(caller, context, response, decision, dry_run=body.dry_run)

    async def run(body: RowChoice, caller: Operator, context: Context, response: Response) -> DecisionResult:
        return await answer(caller, context, response, _decision(entity, RUN, body), dry_run=body.dry_run)

    async def reset(
        body: RowChoice, caller: Operator, context: Context, response: Response
    ) -> DecisionResult:
        return await answer(caller, context, response, _decision(entity, RESET, body), dry_run=body.dry_run)

    async def run_one(row_id: UUID, caller: Operator, context: Context, response: Response) -> DecisionResult:
        decision = Decision(entity=entity, action=RUN, ids=[row_id])
        return _require_rows(await answer(caller, context, response, decision), entity)

    rows, path = entity.plural, resource.path
    _add("POST", f"{path}/decisions", make_decision, None, f"Decide about {rows}; Selected also queues them.")
    _add("POST", f"{path}/run", run, None, f"Queue {rows} at the head of their queue; no decision changes.")
    _add("POST", f"{path}/reset", reset, None, f"Reset {rows} to new: no decision, no error, no tries.")
    _add("POST", f"{path}/{{row_id:uuid}}/run", run_one, None, f"Queue one of the {rows} at the head.")


def _decision(entity: Entity, action: str, body: RowChoice, **values: Any) -> Decision:
    filters = body.filters(entity)
    return Decision(
        entity=entity, action=action, ids=body.ids, filters=filters, expected=body.expected, **values
    )


def _add(method: str, path: str, endpoint: Callable[..., Any], body: Any, about: str, **options: Any) -> None:
    if body is not None:
        endpoint.__annotations__["body"] = body
    endpoint.__doc__ = about
    router.add_api_route(
        path,
        endpoint,
        methods=[method],
        response_model=DecisionResult,
        responses=LATER,
        **options,
    )


for curated in RESOURCES:
    if curated.status_path is not None:
        add_batch_routes(curated, curated.status_path, curated.status_fields, "Original")
    add_batch_routes(curated, curated.path, ("status",), "")
    add_bulk_route(curated)
    add_decision_routes(curated)


PlaceIds = batch_body(RESOURCES[0], (), "PlaceIds")


async def queue_deep_scan(
    body: Any, caller: Operator, context: Context, response: Response
) -> DecisionResult:
    decision = Decision(entity=ENTITIES["place"], action=RUN, ids=body.place_ids)
    result = await answer(caller, context, response, decision)
    return _require_rows(result, decision.entity)


_add(
    "PUT",
    "/places/staging/queue-deep-scan",
    queue_deep_scan,
    PlaceIds,
    "Queue the details of places without a decision.",
    status_code=202,
)


@router.post("/pages/read-all", responses=LATER)
async def read_all_pages(
    body: CountedBody, caller: Operator, context: Context, response: Response
) -> DecisionResult:
    """Read every page that is not read automatically."""
    decision = unread_pages(body.expected)
    return await answer(caller, context, response, decision, dry_run=body.dry_run)
