"""A message that the next page shows once: what a form has done."""

from __future__ import annotations

from urllib.parse import quote, unquote

from fastapi import Request, Response

# Not a parameter of the address: a foreign link could make the page say anything.
COOKIE = "notice"
LIFETIME_SECONDS = 60
MAX_LENGTH = 400


def set_notice(request: Request, response: Response, text: str) -> None:
    response.set_cookie(
        COOKIE,
        quote(text[:MAX_LENGTH]),
        max_age=LIFETIME_SECONDS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.scope["scheme"] == "https",
    )


def read_notice(request: Request) -> str:
    return unquote(request.cookies.get(COOKIE, ""))[:MAX_LENGTH]


def clear_notice(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
