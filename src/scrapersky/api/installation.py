"""Who may see and change what holds for the whole installation: the people of the default tenant."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.api.caller import Admin, Caller, Context, Operator, Viewer
from scrapersky.api.context import ApiContext
from scrapersky.api.idempotency import check_claim
from scrapersky.errors import Forbidden


def is_of_installation(caller: Caller, context: ApiContext) -> bool:
    return caller.actor.tenant_id == context.settings.default_tenant_id


def _require_default_tenant(caller: Caller, context: ApiContext, role: str) -> Caller:
    if not is_of_installation(caller, context):
        raise Forbidden(f"This needs the role {role} in the default tenant.")
    return caller


async def _viewer(caller: Viewer, context: Context) -> Caller:
    return _require_default_tenant(caller, context, "viewer")


async def _operator(caller: Operator, context: Context) -> Caller:
    return _require_default_tenant(caller, context, "operator")


async def _admin(caller: Admin, context: Context) -> Caller:
    return _require_default_tenant(caller, context, "admin")


async def _owner_engine(request: Request, caller: Viewer, context: Context) -> AsyncEngine:
    return check_claim(request, context.engine)


# For what stands above the tenants, in routes whose caller is one of those below: it sees every row.
OwnerEngine = Annotated[AsyncEngine, Depends(_owner_engine)]
InstallationViewer = Annotated[Caller, Depends(_viewer)]
InstallationOperator = Annotated[Caller, Depends(_operator)]
InstallationAdmin = Annotated[Caller, Depends(_admin)]
