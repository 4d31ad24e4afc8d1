"""The cookie of a session: bound to TLS, except on loopback, where there is none."""

from __future__ import annotations

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

SECURE_NAME = "__Host-session"
LOOPBACK_NAME = "scrapersky-session"


def read_session(request: Request) -> str | None:
    """The token in the cookie that belongs to the way by which the request came."""
    return request.cookies.get(_name(request))


def write_session(request: Request, response: Response, token: str, lifetime: timedelta) -> None:
    response.set_cookie(
        _name(request),
        token,
        max_age=int(lifetime.total_seconds()),
        path="/",
        httponly=True,
        samesite="lax",
        secure=_is_secure(request),
    )


def delete_session(request: Request, response: Response) -> None:
    response.delete_cookie(
        _name(request), path="/", httponly=True, samesite="lax", secure=_is_secure(request)
    )


def _is_secure(request: Request) -> bool:
    return bool(request.scope["scheme"] == "https")


def _name(request: Request) -> str:
    return SECURE_NAME if _is_secure(request) else LOOPBACK_NAME
