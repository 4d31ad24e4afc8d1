"""One id for everything that a request causes: in the answer, in its problem, in the log and in the rows."""

from __future__ import annotations

import asyncio
import re
import traceback
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrapersky.api.context import PREFIX
from scrapersky.api.problems import respond_unexpected
from scrapersky.log import Log

HEADER = "X-Correlation-Id"
WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def choose_id(sent: str | None) -> str:
    """The client's id, or a new one where it sent none or one that would not be safe to repeat."""
    return sent if sent and WELL_FORMED.fullmatch(sent) else uuid4().hex


@dataclass
class _Exchange:
    """What is known about a request and its answer so far."""

    scope: Scope
    started: float = field(default_factory=monotonic)
    status: int = 0

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.scope["state"]
        return state

    def line(self) -> dict[str, Any]:
        return {
            "method": self.scope["method"][:20],
            "route": route_template(self.scope),
            "status": self.status,
            "milliseconds": round((monotonic() - self.started) * 1000, 1),
            "user": self.state.get("user"),
            "correlation_id": self.state["correlation_id"],
        }


def route_template(scope: Scope) -> str | None:
    """The path with the names of its parameters; None where no route matched."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return None
    # A route knows its path below the prefix that its router was included with.
    is_below = scope["path"].startswith(PREFIX) and not path.startswith(PREFIX)
    return f"{PREFIX}{path}" if is_below else str(path)


class Correlation:
    """Gives every request its id, logs it when it is served, and answers unexpected errors.

    Plain ASGI: streams pass through untouched, and a client that disconnects is seen by the route.
    """

    def __init__(self, app: ASGIApp, *, log: Log | None = None) -> None:
        self.app, self.log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope)
        headers = Headers(scope=scope)
        correlation_id = choose_id(headers.get(HEADER))
        scope.setdefault("state", {})["correlation_id"] = correlation_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                MutableHeaders(scope=message)[HEADER] = correlation_id
            await send(message)

        if "transfer-encoding" in headers:
            # Malformed chunks, which the server has answered already, end the connection a moment later.
            await asyncio.sleep(0)
        try:
            await self.app(scope, receive, send_with_id)
        except Exception as error:
            self._log_failure(exchange, error)
            if exchange.status:
                raise  # The server cuts the connection, so that the client sees an incomplete answer.
            await respond_unexpected(Request(scope), error)(scope, receive, send_with_id)
        finally:
            self._log_request(exchange)

    def _log_request(self, exchange: _Exchange) -> None:
        if self.log is not None:
            level = "debug" if exchange.scope["method"] in SAFE_METHODS else "info"
            self.log.event("request_served", level=level, **exchange.line())

    def _log_failure(self, exchange: _Exchange, error: Exception) -> None:
        if self.log is not None:
            trace = "".join(traceback.format_exception(error))
            self.log.event("request_failed", level="error", **exchange.line(), trace=trace)
