"""Checks the Host header, so that no foreign page reaches us by DNS rebinding."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

from fastapi.responses import PlainTextResponse
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scrapersky.api.context import PREFIX
from scrapersky.api.problems import Problem, respond

NAME_AND_PORT = re.compile(r"(\[[^]]*\]|[^:]*)(?::[0-9]{1,5})?")
LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost"})


class AllowedHosts:
    """Loopback names and the configured ones; `*` allows every name, `.example.org` all names below it.

    An IP address is always allowed: a rebinding page sends its name.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {_plain(name) for name in names if name.strip()} | LOOPBACK_NAMES

    def allow(self, header: str | None) -> bool:
        # Browsers always send one; probes of HTTP/1.0 need not.
        if not header or "*" in self._names:
            return True
        name = _plain(_without_port(header))
        if _is_address(name) or name in self._names or name.endswith(".localhost"):
            return True
        return any(name.endswith(suffix) for suffix in self._names if suffix.startswith("."))


class HostCheck:
    """Answers requests for unknown hosts with one line or a problem, before anything else sees them."""

    def __init__(self, app: ASGIApp, *, allowed: AllowedHosts) -> None:
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = Headers(scope=scope).getlist("host") if scope["type"] == "http" else []
        wrong = next((host for host in hosts if not self.allowed.allow(host)), None)
        if wrong is None and len(hosts) < 2:
            await self.app(scope, receive, send)
            return
        line = f"Unknown host {(wrong or '')[:100]!a}; add it to ALLOWED_HOSTS if it is yours."
        refusal: Response = PlainTextResponse(f"{line}\n", status_code=421)
        if scope["path"].startswith(PREFIX):
            refusal = respond(Request(scope), Problem(421, "Unknown host", line))
        await refusal(scope, receive, send)


def _without_port(header: str) -> str:
    """The name; the whole header if it is malformed, so that no name matches."""
    match = NAME_AND_PORT.fullmatch(header.strip())
    return match[1] if match else header


def _plain(name: str) -> str:
    return name.strip().lower().rstrip(".").strip("[]")


@lru_cache(1_000)
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
