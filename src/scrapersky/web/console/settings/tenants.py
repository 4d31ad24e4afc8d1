"""Tenants: add, rename, limit, disable and enable; for administrators of the default tenant."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from starlette.datastructures import FormData

from scrapersky.actions.installation.tenants import TenantEditor
from scrapersky.api.caller import Caller
from scrapersky.api.installation import InstallationAdmin
from scrapersky.errors import Conflict, InvalidInput
from scrapersky.queries.installation.tenants import MAX_QUOTA, QUOTAS, TenantQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.settings.tabs import show_settings

router = APIRouter()
TENANTS = "/settings/tenants"
QUOTA_LABELS = {
    "requests_per_minute": "Requests a minute",
    "key_requests_per_minute": "Requests a minute of each key",
    "queued_items": "Queued items",
    "exports_per_day": "Exports a day",
    "pages_per_day": "Pages read a day",
}
# What a tenant uses of a quota, where that is known.
USED = {"queued_items": "queued_items", "exports_per_day": "exports_today", "pages_per_day": "pages_today"}


@router.get("/settings/tenants")
async def tenants(request: Request, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    return await _show_tenants(request, caller, console)


@router.post("/settings/tenants")
async def add_tenant(request: Request, caller: InstallationAdmin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    values = {name: text_of(form, name) for name in ("name", "description")}
    try:
        tenant_id = await _editor(caller, console).add(values["name"], description=values["description"])
    except (InvalidInput, Conflict) as error:
        refused = {"values": values, "error": str(error), "status": error.status}
        return await _show_tenants(request, caller, console, **refused)
    return console.redirect(request, f"{TENANTS}/{tenant_id}?saved=1")


@router.get("/settings/tenants/{tenant_id}")
async def one_tenant(
    request: Request, tenant_id: UUID, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    return await _show_tenant(request, caller, console, tenant_id)


@router.post("/settings/tenants/{tenant_id}")
async def edit_tenant(
    request: Request, tenant_id: UUID, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    form = await read_form(request)
    typed = {name: text_of(form, name) for name in ("name", "description", *QUOTAS)}
    quotas, errors = _read_quotas(form)
    try:
        if errors:
            raise InvalidInput("A quota is a whole number, or empty for no limit")
        changes = {"name": typed["name"], "description": typed["description"], "quotas": quotas}
        await _editor(caller, console).edit(tenant_id, changes)
    except (InvalidInput, Conflict) as error:
        refused = {"typed": typed, "errors": errors, "error": str(error), "status": error.status}
        return await _show_tenant(request, caller, console, tenant_id, **refused)
    return console.redirect(request, f"{TENANTS}/{tenant_id}?saved=1")


@router.post("/settings/tenants/{tenant_id}/disable")
async def disable_tenant(
    request: Request, tenant_id: UUID, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    await _editor(caller, console).edit(tenant_id, {"is_active": False})
    return console.redirect(request, f"{TENANTS}/{tenant_id}?saved=1")


@router.post("/settings/tenants/{tenant_id}/enable")
async def enable_tenant(
    request: Request, tenant_id: UUID, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    await _editor(caller, console).edit(tenant_id, {"is_active": True})
    return console.redirect(request, f"{TENANTS}/{tenant_id}?saved=1")


@router.post("/settings/tenants/{tenant_id}/admins")
async def add_tenant_admin(
    request: Request, tenant_id: UUID, caller: InstallationAdmin, console: ConsoleContext
) -> Response:
    """The first person of a tenant, who adds the others."""
    form = await read_form(request)
    email, name = text_of(form, "email")[:254], text_of(form, "name")[:200]
    try:
        password = str(form.get("password", ""))[:1_000]
        await _editor(caller, console).add_admin(tenant_id, email=email, password=password, name=name)
    except (InvalidInput, Conflict) as error:
        refused = {"admin": {"email": email, "name": name}, "admin_error": str(error)}
        return await _show_tenant(request, caller, console, tenant_id, status=error.status, **refused)
    return console.redirect(request, f"{TENANTS}/{tenant_id}?saved=admin")


def _read_quotas(form: FormData) -> tuple[dict[str, int | None], dict[str, str]]:
    """The quotas of the form, and what is wrong with some; an empty one means unlimited."""
    quotas: dict[str, int | None] = {}
    errors: dict[str, str] = {}
    for name in QUOTAS:
        text = text_of(form, name)
        if not text:
            quotas[name] = None
        elif text.isascii() and text.isdigit() and int(text[:12]) <= MAX_QUOTA:
            quotas[name] = int(text)
        else:
            errors[name] = f"A whole number from 0 to {MAX_QUOTA:,}, or empty"
    return quotas, errors


async def _show_tenants(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    known = {
        "tenants": await TenantQuery(console.api.engine).list(),
        "values": {"name": "", "description": ""},
        "default_id": console.api.settings.default_tenant_id,
        "labels": QUOTA_LABELS,
    }
    return await show_settings(request, caller, console, "tenants", **{**known, **values})


async def _show_tenant(
    request: Request, caller: Caller, console: Console, tenant_id: UUID, **values: Any
) -> Response:
    tenant = await TenantQuery(console.api.engine).show(str(tenant_id))
    stored = {name: "" if value is None else str(value) for name, value in asdict(tenant.quotas).items()}
    known = {
        "tenant": tenant,
        "typed": {"name": tenant.name, "description": tenant.description or "", **stored},
        "errors": {},
        "labels": QUOTA_LABELS,
        "used": {quota: getattr(tenant.use, name) for quota, name in USED.items()},
        "is_default": tenant_id == console.api.settings.default_tenant_id,
        "admin": {"email": "", "name": ""},
        "admin_error": "",
    }
    return await show_settings(request, caller, console, "tenants_one", **{**known, **values})


def _editor(caller: Caller, console: Console) -> TenantEditor:
    # Tenants stand above what a request of one tenant may see, so the owner's engine is used.
    return TenantEditor(console.api.engine, caller.actor, console.api.settings.default_tenant_id)
