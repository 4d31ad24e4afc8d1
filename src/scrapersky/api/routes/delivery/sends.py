"""Sends: contacts, picked or all that match, to a destination; each send is an operation."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.delivery.sends import Send, preview_send, send_contacts
from scrapersky.api.caller import Context, Operator
from scrapersky.api.decision_bodies import RowChoice
from scrapersky.declarations import statuses
from scrapersky.queries.delivery.left_out import CONTACT

router = APIRouter(prefix="/destinations", tags=["destinations"])


class SendBody(RowChoice):
    """Contacts by `ids` or `filter`. Those with a hidden, a webmail or an unverified address are left out.

    `include` names the reasons that do not count here.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"filter": {"curation_status": statuses.SELECTED}, "dry_run": True}]}
    )

    include: list[Literal["hidden", "webmail", "unverified"]] = Field(default_factory=list, max_length=3)


class SendResult(BaseModel):
    """What was queued, and how many contacts were left out for each reason."""

    message: str
    matched_count: int
    queued_count: int
    left_out: dict[str, int]
    operation_id: UUID | None


@router.post("/{destination_id:uuid}/send")
async def send_to_destination(
    destination_id: UUID, body: SendBody, caller: Operator, context: Context, response: Response
) -> SendResult:
    """Send contacts to a destination, or with `dry_run` answer how many would be sent and left out."""
    send = Send(
        destination_id=destination_id,
        ids=body.ids,
        filters=body.filters(CONTACT),
        include=body.include,
        expected=body.expected,
        grace=timedelta(seconds=context.settings.decision_grace_seconds),
    )
    if body.dry_run:
        counts = await preview_send(caller.engine, caller.actor, send)
        sent = counts.pop("sent", 0)
        matched = sent + sum(counts.values())
        return SendResult(
            message=f"{sent:,} of {matched:,} contacts would be sent",
            matched_count=matched,
            queued_count=sent,
            left_out=counts,
            operation_id=None,
        )
    result = await send_contacts(caller.engine, caller.actor, send, in_background=True)
    if not result.is_finished:
        response.status_code = 202
        context.run_operations()
    return SendResult(
        message=f"{result.queued:,} contacts are on their way" if result.is_finished else "Sending continues",
        matched_count=result.matched,
        queued_count=result.queued,
        left_out=result.skipped,
        operation_id=result.operation_id,
    )
