"""The first start: the one-time link creates the first administrator."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from scrapersky.actions.accounts.setup_links import SetupRequest, use_setup_link
from scrapersky.api.caller import Context, public
from scrapersky.api.models import Body
from scrapersky.api.routes.accounts.sessions import Password

router = APIRouter(prefix="/setup", tags=["accounts"])


class Setup(Body):
    """`token` is the last part of the link that `up`, `serve` or `user setup-link` printed."""

    token: Annotated[str, Field(max_length=200)]
    email: Annotated[str, Field(max_length=254)]
    password: Password
    name: Annotated[str, Field(max_length=200)] = ""


class CreatedAccount(BaseModel):
    user_id: UUID


@router.post("", status_code=201, name="use_setup_link")
@public
async def use_link(body: Setup, request: Request, context: Context) -> CreatedAccount:
    """Create the administrator of the link, or set the password that it was made for."""
    chosen = SetupRequest(**body.model_dump(), correlation_id=request.state.correlation_id)
    user_id = await use_setup_link(context.engine, context.settings.default_tenant_id, chosen)
    return CreatedAccount(user_id=user_id)
