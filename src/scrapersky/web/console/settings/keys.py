"""API keys: created with scopes and an end, shown once, revoked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.accounts.api_keys import ROLES, SCOPES, create_api_key, revoke_api_key
from scrapersky.api.caller import Caller, Viewer
from scrapersky.api.routes.accounts.sessions import own_only
from scrapersky.errors import Conflict, Forbidden, InvalidInput
from scrapersky.queries.accounts import AccountQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of, texts_of
from scrapersky.web.console.settings.tabs import show_settings

router = APIRouter()
KEYS = "/settings/keys"
MAX_NAME = 200
# Days until a key ends, as the form offers them.
LIFETIMES = {"30": "30 days", "90": "90 days", "365": "1 year", "1095": "3 years"}
SCOPE_MEANINGS = {
    "read": "read every list, job and statistic",
    "curate": "decide about rows, edit contacts, use views and rules",
    "operate": "everything an operator does: add, requeue, pause",
    "admin": "also people, keys and settings",
}


@router.get("/settings/keys")
async def keys(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show_keys(request, caller, console)


@router.post("/settings/keys")
async def add_key(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """The answer itself shows the key: it is not stored, so no other page could."""
    # A key that is stolen and then revoked must not have made another one.
    if caller.key_id is not None:
        raise Forbidden("This needs a session; log in first.")
    form = await read_form(request)
    name, scopes, days = text_of(form, "name")[:MAX_NAME], texts_of(form, "scope"), text_of(form, "days")
    try:
        key_id, key = await create_api_key(
            caller.engine,
            caller.actor,
            user_id=caller.actor.user_id,
            name=_name(name),
            scopes=scopes,
            lifetime=_lifetime(days),
        )
    except (InvalidInput, Conflict, Forbidden) as error:
        values = {"name": name, "scopes": scopes, "days": days}
        refused = {"values": values, "error": str(error), "status": error.status}
        return await _show_keys(request, caller, console, **refused)
    return await _show_keys(request, caller, console, status=201, created=key, created_id=key_id)


@router.post("/settings/keys/{key_id}/revoke")
async def revoke_key(request: Request, key_id: UUID, caller: Viewer, console: ConsoleContext) -> Response:
    await revoke_api_key(caller.engine, caller.actor, key_id, of_user=own_only(caller))
    return console.redirect(request, f"{KEYS}?saved=revoked")


def _name(name: str) -> str:
    if not name:
        raise InvalidInput("A key needs a name, such as that of the program that uses it")
    return name


def _lifetime(days: str) -> timedelta:
    if days not in LIFETIMES:
        raise InvalidInput(f"Choose when the key ends: {', '.join(LIFETIMES.values())}")
    return timedelta(days=int(days))


async def _show_keys(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    query = AccountQuery(caller.engine, caller.actor.tenant_id)
    rank = ROLES.index(caller.role)
    known = {
        "keys": await query.api_keys(of_user=own_only(caller)),
        "scopes": {
            scope: SCOPE_MEANINGS[scope] for scope, role in SCOPES.items() if ROLES.index(role) <= rank
        },
        "lifetimes": LIFETIMES,
        "values": {"name": "", "scopes": ["read"], "days": "90"},
        "created": "",
        "created_id": None,
        "now": datetime.now(UTC),
    }
    return await show_settings(request, caller, console, "keys", **{**known, **values})
