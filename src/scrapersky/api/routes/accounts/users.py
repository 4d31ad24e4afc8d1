"""Users: list, create, edit, disable, password."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.accounts.sessions import check_password
from scrapersky.actions.accounts.users import create_user, edit_user, set_password
from scrapersky.api.caller import Admin, Context, Viewer
from scrapersky.api.context import PREFIX
from scrapersky.api.models import Body, WholeList, left_out
from scrapersky.api.routes.accounts.sessions import Password, start_session
from scrapersky.errors import Forbidden, InvalidInput, Unauthorized
from scrapersky.queries.accounts import AccountQuery

router = APIRouter(prefix="/users", tags=["accounts"])
Role = Literal["viewer", "operator", "admin"]
Name = Annotated[str, Field(max_length=200)]
OsUser = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\s\x00-\x1f]+$")]


class User(BaseModel):
    id: UUID
    email: str
    name: str
    role: str
    os_user: str | None
    is_active: bool
    last_seen_at: datetime | None
    created_at: datetime
    updated_at: datetime


class UserList(WholeList[User]):
    """All accounts, on one page."""


class NewUser(Body):
    """`os_user` is the operating-system user whose commands act as this account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"email": "ada@example.com", "role": "admin", "password": "several random words together"}
            ]
        }
    )

    email: Annotated[str, Field(max_length=254)]
    password: Password
    role: Role = "viewer"
    name: Name = ""
    os_user: OsUser | None = None


class UserChanges(Body):
    """What is left out stays as it is; null removes `os_user`."""

    name: Name = left_out()
    role: Role = left_out()
    os_user: OsUser | None = None
    is_active: bool = left_out()


class NewPassword(Body):
    """`current_password` is needed for one's own account."""

    password: Password
    current_password: Password | None = None


@router.get("")
async def list_users(caller: Admin) -> UserList:
    """The accounts of the tenant."""
    rows = await AccountQuery(caller.engine, caller.actor.tenant_id).users()
    return UserList.of([User(**row) for row in rows])


@router.post("", status_code=201, name="add_user")
async def add_account(body: NewUser, caller: Admin, response: Response) -> User:
    """Create an account; the first one ends open loopback."""
    user_id = await create_user(caller.engine, caller.actor, **body.model_dump())
    response.headers["Location"] = f"{PREFIX}/users/{user_id}"
    return await _user(caller, user_id)


@router.get("/{user_id:uuid}")
async def get_user(user_id: UUID, caller: Admin) -> User:
    """One account."""
    return await _user(caller, user_id)


@router.patch("/{user_id:uuid}")
async def change_user(user_id: UUID, body: UserChanges, caller: Admin) -> User:
    """Change name, role or os_user, or disable; a change of role or disabling ends the user's sessions."""
    changes = body.model_dump(exclude_unset=True)
    if changes:
        await edit_user(caller.engine, caller.actor, user_id, changes)
    return await _user(caller, user_id)


@router.put("/{user_id:uuid}/password", status_code=204)
async def change_password(
    user_id: UUID, body: NewPassword, caller: Viewer, context: Context, request: Request, response: Response
) -> None:
    """Set a password: one's own with the current one, for administrators anybody's; all sessions end."""
    is_own = user_id == caller.actor.user_id
    if not (is_own or caller.is_admin):
        raise Forbidden("This needs the role admin; you can change your own password.")
    if is_own:
        if body.current_password is None:
            raise InvalidInput("Changing one's own password needs current_password")
        address = request.client.host if request.client else ""
        # Parallel guesses must see the failures of one another here too.
        async with request.app.state.login_slots.take():
            try:
                await check_password(context.engine, caller.email, body.current_password, address)
            except Unauthorized:
                # The session is as good as before; 401 would make programs log in again.
                raise Forbidden("The current password is wrong") from None
    await set_password(caller.engine, caller.actor, user_id, body.password)
    if is_own and caller.session_id is not None:
        await start_session(request, response, context, caller.email, body.password)


async def _user(caller: Any, user_id: UUID) -> User:
    return User(**await AccountQuery(caller.engine, caller.actor.tenant_id).user(user_id))
