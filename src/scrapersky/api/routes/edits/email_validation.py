"""Validation of e-mail addresses: ask for it, and see what came of it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from scrapersky.actions.contacts.validation import MAX_CONTACTS, validate_contacts, validate_matching
from scrapersky.api.caller import Operator, Viewer
from scrapersky.api.models import Body, WholeList
from scrapersky.declarations import statuses
from scrapersky.errors import InvalidInput
from scrapersky.queries.email_validation import ValidationQuery
from scrapersky.queries.rows.entities import ENTITIES
from scrapersky.queries.rows.filters import parse_exact_filters

MAX_SHOWN = 100

router = APIRouter(prefix="/contacts", tags=["contacts"])


class ContactValidation(Body):
    """Contacts whose address was validated before are skipped, unless `again` is set."""

    contact_ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_CONTACTS)]
    again: bool = False


class MatchingValidation(Body):
    """`filters` are those of the list of contacts."""

    filters: Annotated[
        dict[str, str | list[str]],
        Field(default_factory=dict, max_length=30, examples=[{"curation_status": statuses.SELECTED}]),
    ]
    max_contacts: Annotated[int, Field(ge=1, le=MAX_CONTACTS)] = 100
    again: bool = False


class QueuedValidation(BaseModel):
    """`invalid_ids` are unknown, have no address, or are rejected or archived."""

    queued_count: int
    already_processing: int
    already_validated: int
    invalid_ids: list[UUID]


class QueuedMatching(BaseModel):
    queued_count: int
    total_matched: int
    filters_applied: dict[str, list[str]]


class ValidationStatus(BaseModel):
    contact_id: UUID
    email: str | None
    status: str | None
    result: str | None
    score: int | None
    reason: str | None
    suggestion: str | None
    method: str | None
    validated_at: datetime | None
    error: str | None


class ValidationStatusList(WholeList[ValidationStatus]):
    """The contacts that exist, on one page."""


class ValidationSummary(BaseModel):
    """Rates are between 0 and 1: of the contacts with an address, and of the validated ones."""

    total_contacts: int
    with_email: int
    validated: int
    breakdown: dict[str, int]
    validation_rate: float
    valid_rate: float
    last_updated: datetime | None


@router.post("/validate", status_code=202, name="validate_contacts")
async def validate(body: ContactValidation, caller: Operator) -> QueuedValidation:
    """Queue the addresses of contacts for validation."""
    result = await validate_contacts(caller.engine, caller.actor, body.contact_ids, again=body.again)
    return QueuedValidation(**asdict(result))


@router.post("/validate/all", status_code=202, name="validate_matching_contacts")
async def validate_all(body: MatchingValidation, caller: Operator) -> QueuedMatching:
    """Queue the addresses of contacts that match the filters, the newest first."""
    filters = parse_exact_filters(ENTITIES["contact"], body.filters)
    result = await validate_matching(
        caller.engine, caller.actor, filters, body.max_contacts, again=body.again
    )
    return QueuedMatching(
        queued_count=result.queued_count,
        total_matched=result.total_matched,
        filters_applied=filters.to_json(),
    )


@router.get("/validation-status")
async def get_validation_status(
    contact_ids: Annotated[str, Query(max_length=40 * MAX_SHOWN, description="Ids, separated by commas.")],
    caller: Viewer,
) -> ValidationStatusList:
    """What is known about the addresses of up to 100 contacts; unknown ids are left out."""
    ids = _parse_ids(contact_ids)
    rows = await ValidationQuery(caller.engine, caller.actor.tenant_id).of_contacts(ids)
    return ValidationStatusList.of([ValidationStatus(**row) for row in rows])


@router.get("/validation-summary")
async def get_validation_summary(
    caller: Viewer,
    domain_id: UUID | None = None,
    page_id: UUID | None = None,
    curation_status: str | None = None,
) -> ValidationSummary:
    """How many addresses were validated, and with what result."""
    params: dict[str, Any] = {
        "domain_id": domain_id and str(domain_id),
        "page_id": page_id and str(page_id),
        "curation_status": curation_status,
    }
    query = ValidationQuery(caller.engine, caller.actor.tenant_id)
    filters = parse_exact_filters(ENTITIES["contact"], params)
    return ValidationSummary(**await query.summary(filters))


def _parse_ids(text: str) -> list[UUID]:
    try:
        ids = [UUID(part.strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InvalidInput("Invalid contact_ids; expected UUIDs separated by commas") from None
    if not 1 <= len(ids) <= MAX_SHOWN:
        raise InvalidInput(f"Invalid contact_ids; expected 1 to {MAX_SHOWN} ids")
    return ids
