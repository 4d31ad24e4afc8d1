"""Refuses what other sites make a browser send (CSRF), and plain HTTP where TLS is required."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from scrapersky.api.caller import SAFE_METHODS
from scrapersky.api.problems import Problem, respond

OWN_SITE = frozenset({"same-origin", "none"})
PROBES = frozenset({"/health/live", "/health/ready"})


class OriginCheck:
    """Compares Sec-Fetch-Site and Origin with ourselves; who sends neither is not a browser.

    A request with an API key is exempt: no cookie is read for it, and a foreign page cannot send the header.
    """

    def __init__(self, app: ASGIApp, *, public_url: str = "", requires_tls: bool = False) -> None:
        self.app, self.public_url, self.requires_tls = app, public_url, requires_tls

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._refuse(scope)):
            await respond(Request(scope), problem)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _refuse(self, scope: Scope) -> Problem | None:
        if self.requires_tls and scope["scheme"] != "https" and scope["path"] not in PROBES:
            return Problem(403, "Forbidden", f"Use {self.public_url}: plain HTTP is not accepted here.")
        headers = Headers(scope=scope)
        if "authorization" in headers or not self._is_foreign(scope, headers):
            return None
        return Problem(403, "Forbidden", "The request comes from another site.")

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        # Without a referrer, browsers send the origin "null" with the forms of our own pages too.
        if origin not in (None, "null") and not self._is_own(scope, headers, str(origin)):
            return True
        if site is not None:
            is_link = scope["method"] in SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"
            return site not in OWN_SITE and not is_link
        return origin == "null"

    def _is_own(self, scope: Scope, headers: Headers, origin: str) -> bool:
        own = f"{scope['scheme']}://{headers.get('host', '')}".lower()
        return origin.lower() in {own, self.public_url} - {""}
