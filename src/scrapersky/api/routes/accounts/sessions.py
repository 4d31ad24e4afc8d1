"""Sessions: log in, log out, who am I; list and end."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.accounts.sessions import LoginRequest, end_session, log_in
from scrapersky.api.caller import Caller, Context, Viewer, public
from scrapersky.api.context import ApiContext
from scrapersky.api.models import Body, WholeList
from scrapersky.api.session_cookie import delete_session, read_session, write_session
from scrapersky.queries.accounts import AccountQuery

router = APIRouter(tags=["accounts"])
Password = Annotated[str, Field(max_length=128)]


class Credentials(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"email": "ada@example.com", "password": "several random words together"}]
        }
    )

    email: Annotated[str, Field(max_length=254)]
    password: Password


class WhoAmI(BaseModel):
    """The caller; `method` is session, api_key or local (an installation without accounts)."""

    user_id: UUID
    tenant_id: UUID
    email: str
    role: str
    method: str
    scopes: list[str]


class Session(BaseModel):
    id: UUID
    user_id: UUID
    email: str
    address: str
    user_agent: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_current: bool


class SessionList(WholeList[Session]):
    """All open sessions, on one page."""


@router.post("/session", status_code=204)
@public
async def create_session(body: Credentials, request: Request, response: Response, context: Context) -> None:
    """Log in; the answer sets the cookie of a new session and ends the one of before."""
    await start_session(request, response, context, body.email, body.password)


async def start_session(
    request: Request, response: Response, context: ApiContext, email: str, password: str
) -> None:
    """Check the password, and put a new session into the cookie of the answer."""
    lifetime = timedelta(days=context.settings.session_max_days)
    login = await log_in(
        context.engine,
        request.app.state.login_slots,
        LoginRequest(
            email=email,
            password=password,
            address=request.client.host if request.client else "",
            user_agent=request.headers.get("user-agent", ""),
            previous=read_session(request),
            correlation_id=request.state.correlation_id,
        ),
        lifetime,
    )
    write_session(request, response, login.token, lifetime)


@router.get("/session")
async def get_session(caller: Viewer) -> WhoAmI:
    """Who the caller is."""
    actor = caller.actor
    method = "local" if caller.is_local else "session" if caller.session_id else "api_key"
    return WhoAmI(
        user_id=actor.user_id,
        tenant_id=actor.tenant_id,
        email=caller.email,
        role=caller.role,
        method=method,
        scopes=list(caller.scopes),
    )


@router.delete("/session", status_code=204)
async def delete_own_session(request: Request, response: Response, caller: Viewer) -> None:
    """Log out: the session ends and its cookie is deleted."""
    if caller.session_id is not None:
        await end_session(caller.engine, caller.actor, caller.session_id)
    delete_session(request, response)


@router.get("/sessions")
async def list_sessions(caller: Viewer, context: Context) -> SessionList:
    """The open sessions: one's own, for administrators everybody's."""
    idle = timedelta(hours=context.settings.session_idle_hours)
    query = AccountQuery(caller.engine, caller.actor.tenant_id)
    rows = await query.sessions(idle, of_user=own_only(caller))
    return SessionList.of([_session(row, caller) for row in rows])


@router.delete("/sessions/{session_id:uuid}", status_code=204, name="end_session")
async def end_one_session(session_id: UUID, caller: Viewer) -> None:
    """End a session: one's own, for administrators anybody's."""
    await end_session(caller.engine, caller.actor, session_id, of_user=own_only(caller))


def own_only(caller: Caller) -> UUID | None:
    """The user whose rows the caller may see; None for everybody's."""
    return None if caller.is_admin else caller.actor.user_id


def _session(row: dict[str, Any], caller: Caller) -> Session:
    return Session(**row, is_current=row["id"] == caller.session_id)
