"""API keys: list, create, revoke; a key is shown once."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.accounts.api_keys import create_api_key, revoke_api_key
from scrapersky.api.caller import Viewer
from scrapersky.api.models import Body, WholeList
from scrapersky.api.routes.accounts.sessions import own_only
from scrapersky.errors import Forbidden
from scrapersky.queries.accounts import AccountQuery

router = APIRouter(prefix="/api-keys", tags=["accounts"])
Scope = Literal["read", "curate", "operate", "admin"]


class ApiKey(BaseModel):
    id: UUID
    user_id: UUID
    email: str
    name: str
    key_prefix: str
    scopes: list[str]
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    created_at: datetime


class CreatedApiKey(ApiKey):
    """`key` is shown here and never again."""

    key: str


class ApiKeyList(WholeList[ApiKey]):
    """All keys, on one page."""


class NewApiKey(Body):
    """`read` allows reading, `curate` decisions and edits, `operate` everything an operator does."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "n8n", "scopes": ["read"], "expires_in_days": 90}]}
    )

    name: Annotated[str, Field(min_length=1, max_length=200)]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=4)]
    expires_in_days: Annotated[int, Field(ge=1, le=3_650)] = 365


@router.get("")
async def list_api_keys(caller: Viewer) -> ApiKeyList:
    """The keys: one's own, for administrators everybody's."""
    rows = await AccountQuery(caller.engine, caller.actor.tenant_id).api_keys(of_user=own_only(caller))
    return ApiKeyList.of([ApiKey(**row) for row in rows])


@router.post("", status_code=201)
async def add_api_key(body: NewApiKey, caller: Viewer) -> CreatedApiKey:
    """Create a key of one's own; it is allowed at most what its owner is."""
    # A key that is stolen and then revoked must not have made another one.
    if caller.key_id is not None and "admin" not in caller.scopes:
        raise Forbidden("This needs a session, or a key with the scope admin.")
    key_id, key = await create_api_key(
        caller.engine,
        caller.actor,
        user_id=caller.actor.user_id,
        name=body.name,
        scopes=body.scopes,
        lifetime=timedelta(days=body.expires_in_days),
    )
    row = await AccountQuery(caller.engine, caller.actor.tenant_id).api_key(key_id)
    return CreatedApiKey(**row, key=key)


@router.delete("/{key_id:uuid}", status_code=204, name="revoke_api_key")
async def delete_api_key(key_id: UUID, caller: Viewer) -> None:
    """Revoke a key: one's own, for administrators anybody's."""
    await revoke_api_key(caller.engine, caller.actor, key_id, of_user=own_only(caller))
