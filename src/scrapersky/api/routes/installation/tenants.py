"""Tenants: add, rename, limit, disable and enable; for admins of the default tenant."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field, SecretStr

from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.api.context import PREFIX
from scrapersky.api.installation import InstallationAdmin, OwnerEngine
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.queries.installation.tenants import MAX_QUOTA, Quotas, TenantDetails, TenantQuery, TenantRow

router = APIRouter(prefix="/tenants", tags=["tenants"])
Name = Annotated[str, Field(max_length=200, examples=["Northern branch"])]
Description = Annotated[str, Field(max_length=2_000)]
Quota = Annotated[int, Field(ge=0, le=MAX_QUOTA)]


class TenantList(WholeList[TenantRow]):
    """All tenants, on one page."""


class QuotaChanges(Body):
    """Limits; null removes one, and what is left out stays as it is."""

    requests_per_minute: Quota | None = None
    key_requests_per_minute: Quota | None = None
    queued_items: Quota | None = None
    exports_per_day: Quota | None = None
    pages_per_day: Quota | None = None


class NewTenant(Body):
    name: Name
    description: Description = ""
    quotas: QuotaChanges = Field(default_factory=QuotaChanges)


class TenantChanges(Body):
    """What is left out stays as it is."""

    name: Name = left_out()
    description: Description = left_out()
    is_active: Annotated[bool, Field(description="False disables the tenant; nothing is lost.")] = left_out()
    quotas: QuotaChanges = left_out()


class NewAdmin(Body):
    email: Annotated[str, Field(max_length=254, examples=["ada@example.com"])]
    password: Annotated[SecretStr, Field(max_length=1_000)]
    name: Annotated[str, Field(max_length=200)] = ""


class AddedAdmin(BaseModel):
    id: UUID


@router.get("")
async def list_tenants(caller: InstallationAdmin, engine: OwnerEngine) -> TenantList:
    """All tenants by name."""
    return TenantList.of(await TenantQuery(engine).list())


@router.post("", status_code=201)
async def add_tenant(
    body: NewTenant, caller: InstallationAdmin, engine: OwnerEngine, response: Response
) -> TenantDetails:
    """Add a tenant; it has no users yet."""
    quotas = Quotas(**body.quotas.model_dump())
    tenant_id = await _editor(caller, engine).add(body.name, description=body.description, quotas=quotas)
    response.headers["Location"] = f"{PREFIX}/tenants/{tenant_id}"
    return await TenantQuery(engine).show(str(tenant_id))


@router.get("/{tenant_id:uuid}")
async def get_tenant(tenant_id: UUID, caller: InstallationAdmin, engine: OwnerEngine) -> TenantDetails:
    """One tenant with what it uses of its quotas."""
    return await TenantQuery(engine).show(str(tenant_id))


@router.patch("/{tenant_id:uuid}")
async def edit_tenant(
    tenant_id: UUID, body: TenantChanges, caller: InstallationAdmin, engine: OwnerEngine
) -> TenantDetails:
    """Rename, limit, disable or enable a tenant.

    The users and keys of a disabled tenant are refused, and its queues rest; a quota below the present use
    deletes nothing and only refuses new work.
    """
    await _editor(caller, engine).edit(tenant_id, body.model_dump(exclude_unset=True))
    return await TenantQuery(engine).show(str(tenant_id))


@router.post("/{tenant_id:uuid}/admins", status_code=201, name="add_tenant_admin")
async def add_admin(
    tenant_id: UUID, body: NewAdmin, caller: InstallationAdmin, engine: OwnerEngine
) -> AddedAdmin:
    """Add an administrator to a tenant, who adds its other users."""
    user_id = await _editor(caller, engine).add_admin(
        tenant_id, email=body.email, password=body.password.get_secret_value(), name=body.name
    )
    return AddedAdmin(id=user_id)


def _editor(caller: InstallationAdmin, engine: OwnerEngine) -> TenantEditor:
    # Tenants stand above what a request of one tenant may see; the caller is of the default one.
    return TenantEditor(engine, caller.actor, caller.actor.tenant_id)
