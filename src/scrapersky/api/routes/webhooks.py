"""Webhooks that we receive: signed by the secret of a destination, checked before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scrapersky.actions.accounts.api_keys import ROLES
from scrapersky.actions.actor import Actor
from scrapersky.actions.delivery.enrichment import (
    SignedMessage,
    find_sender,
    save_enrichment,
    save_opt_outs,
)
from scrapersky.api.caller import Caller, Context, public
from scrapersky.api.context import ApiContext
from scrapersky.api.models import Body, Moment
from scrapersky.api.problems import Problem
from scrapersky.database import tenant_engine
from scrapersky.destinations.webhook_signature import ID, SIGNATURE, TIMESTAMP
from scrapersky.errors import InvalidInput, Unauthorized

router = APIRouter(prefix="/webhooks/n8n", tags=["webhooks"])
MAX_BODY = 1024 * 1024
MAX_SIGNATURE = 2_000
Text = Annotated[str, Field(max_length=500)]
LongText = Annotated[str, Field(max_length=5_000)]
Url = Annotated[str, Field(max_length=2_048)]


class WebhookBody(Body):
    """What a workflow sends: it often passes on more than we know, so other fields are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": True})


class EnrichedAddress(WebhookBody):
    street: Text | None = None
    city: Text | None = None
    state: Text | None = None
    zip: Text | None = None
    country: Text | None = None


class SocialProfiles(WebhookBody):
    linkedin: Url | None = None
    twitter: Url | None = None
    facebook: Url | None = None
    instagram: Url | None = None
    github: Url | None = None


class EnrichedCompany(WebhookBody):
    name: Text | None = None
    website: Url | None = None
    industry: Text | None = None
    size: Text | None = None
    description: LongText | None = None


class EnrichedData(WebhookBody):
    phone: Annotated[str, Field(max_length=50)] | None = None
    address: EnrichedAddress | None = None
    social_profiles: SocialProfiles | None = None
    company: EnrichedCompany | None = None
    additional_emails: list[Annotated[str, Field(max_length=254)]] = Field(default_factory=list)
    confidence_score: Annotated[float, Field(ge=0, le=100)] | None = None
    sources: list[Text] = Field(default_factory=list, max_length=100)


class EnrichmentMetadata(WebhookBody):
    enrichment_duration_seconds: float | None = None
    api_calls_made: int | None = None
    cost_estimate: float | None = None


class Enrichment(WebhookBody):
    """What a workflow found out about a contact; `enrichment_id` names it, so that it counts once."""

    contact_id: UUID
    enrichment_id: Annotated[str, Field(min_length=1, max_length=200)]
    status: Literal["complete", "partial", "failed"]
    timestamp: Moment
    enriched_data: EnrichedData = Field(default_factory=EnrichedData)
    metadata: EnrichmentMetadata = Field(default_factory=EnrichmentMetadata)


class OptOuts(WebhookBody):
    """Addresses that must not be contacted again."""

    emails: list[Annotated[str, Field(min_length=3, max_length=254)]] = Field(min_length=1, max_length=1_000)
    reason: Literal["bounce", "unsubscribe", "complaint"]


class OptOutAnswer(BaseModel):
    success: bool
    message: str
    suppressed: int


class EnrichmentAnswer(BaseModel):
    success: bool
    contact_id: UUID
    enrichment_id: str
    message: str
    updated_fields: list[str]


M = TypeVar("M", bound=BaseModel)
EXAMPLE = {
    "contact_id": str(UUID(int=1)),
    "enrichment_id": "run-17",
    "status": "partial",
    "timestamp": "2026-11-18T09:00:00Z",
    "enriched_data": {"phone": "+442079460000", "confidence_score": 80},
}


OPT_OUT_EXAMPLE = {"emails": ["ada@example.com"], "reason": "unsubscribe"}


def _described(model: type[BaseModel], example: Mapping[str, Any]) -> dict[str, Any]:
    """The body for the document: it is read by hand, because its signature comes first."""
    schema = model.model_json_schema()
    schema = _without_references(schema, schema.pop("$defs", {}))
    content = {"application/json": {"schema": schema, "example": dict(example)}}
    return {
        "requestBody": {"required": True, "description": schema.get("description", ""), "content": content}
    }


def _without_references(node: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with every part in its place: the components of the document do not have these parts."""
    if isinstance(node, list):
        return [_without_references(child, definitions) for child in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _without_references(definitions[node["$ref"].rpartition("/")[2]], definitions)
    return {name: _without_references(child, definitions) for name, child in node.items()}


@router.post("/enrichment-complete", openapi_extra=_described(Enrichment, EXAMPLE))
@public
async def complete_enrichment(request: Request, context: Context) -> EnrichmentAnswer:
    """Take what a workflow of n8n found out about a contact.

    Signed by Standard Webhooks with the secret of the destination that sent the contact. The same message or
    the same `enrichment_id` again is answered 200 and changes nothing.
    """
    message, sender = await _authenticate(request, context)
    enrichment = _parse(Enrichment, message.body)
    values = enrichment.model_dump(mode="json", exclude_none=True)
    result = await save_enrichment(sender.engine, sender.actor, message.id, values)
    text = "This enrichment was stored before" if result.is_duplicate else "The enrichment is stored"
    return EnrichmentAnswer(
        success=True,
        contact_id=result.contact_id,
        enrichment_id=result.enrichment_id,
        message=text,
        updated_fields=result.updated_fields,
    )


@router.post("/opt-outs", openapi_extra=_described(OptOuts, OPT_OUT_EXAMPLE))
@public
async def take_opt_outs(request: Request, context: Context) -> OptOutAnswer:
    """Suppress addresses that bounced or unsubscribed: they are not kept, exported or delivered again.

    Signed like an enrichment; the same message again is answered 200 and changes nothing.
    """
    message, sender = await _authenticate(request, context)
    body = _parse(OptOuts, message.body)
    added = await save_opt_outs(sender.engine, sender.actor, message.id, body.emails, body.reason)
    text = "This message was stored before" if added is None else "The addresses are suppressed"
    return OptOutAnswer(success=True, message=text, suppressed=added or 0)


async def _authenticate(request: Request, context: ApiContext) -> tuple[SignedMessage, Caller]:
    """The message and whose it is; nothing of the body is read before its signature is right."""
    body = await request.body()
    if len(body) > MAX_BODY:
        raise Problem(413, "Too large", f"A webhook message may have at most {MAX_BODY // 1024:,} KiB.")
    message = SignedMessage(
        _header(request, ID), _header(request, TIMESTAMP), _header(request, SIGNATURE), body
    )
    now = datetime.now(UTC)
    tenant_id, destination_id = await find_sender(context.engine, context.secret_key, message, now=now)
    correlation_id = request.state.correlation_id
    user_id = context.settings.scheduler_system_user_id
    actor = Actor(tenant_id, user_id, f"n8n {str(destination_id)[:8]}", correlation_id)
    engine = tenant_engine(context.engine, tenant_id, correlation_id=correlation_id)
    return message, Caller(actor, ROLES[0], engine)


def _header(request: Request, name: str) -> str:
    values = request.headers.getlist(name)
    if len(values) != 1 or len(values[0]) > MAX_SIGNATURE:
        raise Unauthorized("The signature does not match")
    return values[0]


def _parse(model: type[M], body: bytes) -> M:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "body"
        raise InvalidInput(f"{place}: {first['msg']}") from None
