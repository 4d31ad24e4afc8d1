"""Destinations: add, edit, test and delete where contacts go; secrets are never returned."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from scrapersky.actions.delivery.checks import check_destination
from scrapersky.actions.delivery.destinations import DestinationEditor
from scrapersky.api.caller import Admin, Caller, Context, Operator, Viewer
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.declarations import statuses
from scrapersky.queries.delivery.destinations import DestinationQuery
from scrapersky.wiring import open_destinations

router = APIRouter(prefix="/destinations", tags=["destinations"])
Kind = Annotated[str, Field(max_length=50, json_schema_extra={"enum": list(statuses.DESTINATION_KIND)})]
Name = Annotated[str, Field(min_length=1, max_length=200, examples=["Our CRM"])]
Options = Annotated[
    dict[Annotated[str, Field(max_length=50)], Any],
    Field(
        max_length=20,
        description="By kind `url`, `list_id`, `file`, `formula_safe`; `mapping`: property to column.",
        examples=[{"mapping": {"email": "email", "jobtitle": "job_title"}}],
    ),
]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=1_000, description="Token or key; encrypted.")]


class NewDestination(Body):
    """A webhook or n8n without a secret gets a generated one, which only this answer shows."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "Leads", "kind": "webhook", "options": {"url": "https://example.com/hook"}}]
        }
    )

    name: Name
    kind: Kind
    options: Options = Field(default_factory=dict)
    secret: Secret | None = None
    is_automatic: bool = Field(False, description="Gets what AUTO_DELIVERY lets through.")


class DestinationChanges(Body):
    """What is left out stays as it is."""

    name: Name = left_out()
    options: Options = left_out()
    secret: Secret = left_out()
    is_active: bool = left_out()
    is_automatic: bool = left_out()


class DestinationModel(BaseModel):
    id: UUID
    name: str
    kind: str
    options: dict[str, Any]
    mapping: dict[str, str] = Field(description="The column of a contact for each property there.")
    has_secret: bool
    is_active: bool
    is_automatic: bool
    disabled_reason: str | None
    delivered: int
    waiting: int
    failed: int
    last_delivered_at: datetime | None
    created_at: datetime
    updated_at: datetime


class AddedDestination(DestinationModel):
    generated_secret: str = Field("", description="Shown this once.")


class GeneratedSecret(BaseModel):
    secret: str = Field(description="Shown this once; messages are signed with the previous one too.")


class DestinationList(WholeList[DestinationModel]):
    """All destinations, on one page."""


class DestinationTest(BaseModel):
    """`status` is ok or failed."""

    status: str
    message: str


@router.get("")
async def list_destinations(caller: Viewer) -> DestinationList:
    """List the destinations with the numbers of their deliveries."""
    rows = await _query(caller).list_destinations()
    return DestinationList.of([DestinationModel.model_validate(row) for row in rows])


@router.post("", status_code=201)
async def add_destination(
    body: NewDestination, caller: Admin, context: Context, response: Response
) -> AddedDestination:
    """Add a destination."""
    destination_id, generated = await _editor(caller, context).add(
        name=body.name,
        kind=body.kind,
        options=body.options,
        secret=body.secret.get_secret_value() if body.secret else "",
        is_automatic=body.is_automatic,
    )
    response.headers["Location"] = f"{PREFIX}/destinations/{destination_id}"
    row = await _query(caller).show(destination_id)
    return AddedDestination.model_validate({**row, "generated_secret": generated})


@router.get("/{destination_id:uuid}")
async def get_destination(destination_id: UUID, caller: Viewer) -> DestinationModel:
    """One destination."""
    return DestinationModel.model_validate(await _query(caller).show(destination_id))


@router.patch("/{destination_id:uuid}")
async def change_destination(
    destination_id: UUID, body: DestinationChanges, caller: Admin, context: Context
) -> DestinationModel:
    """Change, enable or disable a destination, or replace its secret."""
    changes = body.model_dump(exclude_unset=True, exclude={"secret"})
    secret = body.secret.get_secret_value() if "secret" in body.model_fields_set else ""
    await _editor(caller, context).edit(destination_id, changes, secret=secret)
    return await get_destination(destination_id, caller)


@router.delete("/{destination_id:uuid}", status_code=204, name="delete_destination")
async def remove_destination(destination_id: UUID, caller: Admin, context: Context) -> None:
    """Delete a destination with its deliveries; what arrived there stays there."""
    await _editor(caller, context).delete(destination_id)


@router.post("/{destination_id:uuid}/rotate-secret")
async def rotate_secret(destination_id: UUID, caller: Admin, context: Context) -> GeneratedSecret:
    """Generate a new secret for signatures; the previous one signs too, until it is forgotten."""
    return GeneratedSecret(secret=await _editor(caller, context).rotate_secret(destination_id))


@router.post("/{destination_id:uuid}/forget-previous-secret", status_code=204)
async def forget_previous_secret(destination_id: UUID, caller: Admin, context: Context) -> None:
    """Sign with the newest secret alone."""
    await _editor(caller, context).forget_previous_secret(destination_id)


@router.post("/{destination_id:uuid}/test")
async def test_destination(destination_id: UUID, caller: Operator, context: Context) -> DestinationTest:
    """Call the destination once with an invented contact and answer whether it accepts us."""
    async with open_destinations(context.settings) as destinations:
        result = await check_destination(
            caller.engine, caller.actor, context.secret_key, destinations, destination_id
        )
    return DestinationTest(status=result.status, message=result.message)


def _editor(caller: Caller, context: ApiContext) -> DestinationEditor:
    return DestinationEditor(caller.engine, caller.actor, context.secret_key)


def _query(caller: Caller) -> DestinationQuery:
    return DestinationQuery(caller.engine, caller.actor.tenant_id)
