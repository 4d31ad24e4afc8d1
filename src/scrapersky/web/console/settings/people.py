"""People: accounts, one's own password, and the sessions that are open."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response

from scrapersky.actions.accounts.api_keys import ROLES
from scrapersky.actions.accounts.sessions import check_password, end_session
from scrapersky.actions.accounts.users import create_user, edit_user, set_password
from scrapersky.api.caller import Admin, Caller, Viewer
from scrapersky.api.routes.accounts.sessions import own_only, start_session
from scrapersky.errors import Conflict, Forbidden, InvalidInput, Unauthorized
from scrapersky.queries.accounts import AccountQuery
from scrapersky.web.console.console import Console, ConsoleContext
from scrapersky.web.console.forms import read_form, text_of
from scrapersky.web.console.settings.tabs import show_settings

router = APIRouter()
PEOPLE = "/settings/people"
MAX_PASSWORD = 128
WRONG = "The current password is wrong"
ROLE_MEANINGS = {
    "viewer": "reads everything of the tenant",
    "operator": "also decides, adds, edits and runs",
    "admin": "also manages people, keys and settings",
}


@router.get("/settings/people")
async def people(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await _show_people(request, caller, console)


@router.post("/settings/people")
async def add_account(request: Request, caller: Admin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    values = {name: text_of(form, name)[:254] for name in ("email", "name", "role")}
    try:
        await create_user(
            caller.engine,
            caller.actor,
            email=values["email"],
            password=str(form.get("password", ""))[:MAX_PASSWORD],
            role=values["role"],
            name=values["name"][:200],
        )
    except (InvalidInput, Conflict) as error:
        refused = {"values": values, "error": str(error), "status": error.status}
        return await _show_people(request, caller, console, **refused)
    return console.redirect(request, f"{PEOPLE}?saved=added")


@router.post("/settings/password")
async def change_own_password(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    """Needs the current one; every other session ends."""
    if caller.session_id is None:
        raise Forbidden("This needs a session; log in first.")
    form = await read_form(request)
    address = request.client.host if request.client else ""
    password = str(form.get("password", ""))[:MAX_PASSWORD]
    try:
        current = str(form.get("current_password", ""))[:MAX_PASSWORD]
        # Parallel guesses must see the failures of one another here too.
        async with request.app.state.login_slots.take():
            await check_password(console.api.engine, caller.email, current, address)
        await set_password(caller.engine, caller.actor, caller.actor.user_id, password)
    except Unauthorized:
        return await _show_people(request, caller, console, status=422, password_problem=WRONG)
    except InvalidInput as error:
        return await _show_people(request, caller, console, status=422, password_problem=str(error))
    response = console.redirect(request, f"{PEOPLE}?saved=password")
    await start_session(request, response, console.api, caller.email, password)
    return response


@router.post("/settings/sessions/{session_id}/end")
async def end_one(request: Request, session_id: UUID, caller: Viewer, console: ConsoleContext) -> Response:
    await end_session(caller.engine, caller.actor, session_id, of_user=own_only(caller))
    return console.redirect(request, f"{PEOPLE}?saved=ended#sessions")


@router.get("/settings/people/{user_id}")
async def one_person(request: Request, user_id: UUID, caller: Admin, console: ConsoleContext) -> Response:
    return await _show_person(request, caller, console, user_id)


@router.post("/settings/people/{user_id}")
async def edit_person(request: Request, user_id: UUID, caller: Admin, console: ConsoleContext) -> Response:
    form = await read_form(request)
    changes = {"name": text_of(form, "name")[:200], "role": text_of(form, "role")}
    return await _change(request, caller, console, user_id, changes)


@router.post("/settings/people/{user_id}/disable")
async def disable_person(request: Request, user_id: UUID, caller: Admin, console: ConsoleContext) -> Response:
    return await _change(request, caller, console, user_id, {"is_active": False})


@router.post("/settings/people/{user_id}/enable")
async def enable_person(request: Request, user_id: UUID, caller: Admin, console: ConsoleContext) -> Response:
    return await _change(request, caller, console, user_id, {"is_active": True})


@router.post("/settings/people/{user_id}/password")
async def set_person_password(
    request: Request, user_id: UUID, caller: Admin, console: ConsoleContext
) -> Response:
    """For somebody who forgot it; their sessions end. One's own needs the current one."""
    if user_id == caller.actor.user_id:
        raise Forbidden("Change your own password under Settings, People; that asks for the current one.")
    form = await read_form(request)
    try:
        password = str(form.get("password", ""))[:MAX_PASSWORD]
        await set_password(caller.engine, caller.actor, user_id, password)
    except InvalidInput as error:
        return await _show_person(request, caller, console, user_id, status=422, password_problem=str(error))
    return console.redirect(request, f"{PEOPLE}/{user_id}?saved=password")


async def _change(
    request: Request, caller: Caller, console: Console, user_id: UUID, changes: dict[str, Any]
) -> Response:
    try:
        await edit_user(caller.engine, caller.actor, user_id, changes)
    except (InvalidInput, Conflict) as error:
        return await _show_person(
            request, caller, console, user_id, status=error.status, error=str(error), changes=changes
        )
    return console.redirect(request, f"{PEOPLE}/{user_id}?saved=1")


async def _show_people(request: Request, caller: Caller, console: Console, **values: Any) -> Response:
    query = AccountQuery(caller.engine, caller.actor.tenant_id)
    idle = timedelta(hours=console.api.settings.session_idle_hours)
    known = {
        "users": await query.users() if caller.is_admin else [],
        "sessions": await query.sessions(idle, of_user=own_only(caller)),
        "roles": ROLE_MEANINGS,
        "values": {"email": "", "name": "", "role": ROLES[0]},
        "password_problem": "",
    }
    return await show_settings(request, caller, console, "people", **{**known, **values})


async def _show_person(
    request: Request, caller: Caller, console: Console, user_id: UUID, **values: Any
) -> Response:
    person = await AccountQuery(caller.engine, caller.actor.tenant_id).user(user_id)
    changes = values.pop("changes", {})
    known = {"person": {**person, **changes}, "roles": ROLE_MEANINGS, "password_problem": ""}
    known["is_active"] = person["is_active"]
    return await show_settings(request, caller, console, "people_one", **{**known, **values})
