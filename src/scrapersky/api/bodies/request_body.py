"""Reads the body of every request to the API: its size, time, type and JSON are checked before any route."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import Message as MediaType

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrapersky.api.bodies.strict_json import MalformedJson, RefusedJson, check_json
from scrapersky.api.problems import Problem, respond
from scrapersky.settings import Settings

JSON = "application/json"
MULTIPART = "multipart/form-data"
ACCEPTED = (JSON, MULTIPART, "text/csv")
MAX_PARTS = 100


@dataclass(frozen=True, slots=True)
class BodyLimits:
    max_bytes: int
    seconds: float


def body_limits(settings: Settings) -> BodyLimits:
    return BodyLimits(
        max_bytes=settings.max_request_body_mib * 1024 * 1024,
        seconds=settings.request_body_timeout_seconds,
    )


class RequestBody:
    """Holds the whole body, at most `max_bytes`, and passes it on as one piece."""

    def __init__(self, app: ASGIApp, *, prefix: str, limits: BodyLimits) -> None:
        self.app, self.prefix, self.limits = app, prefix, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(self.prefix):
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(Headers(scope=scope), receive)
        except Problem as problem:
            await respond(Request(scope), problem)(scope, receive, send)
            return
        scope["state"]["body_hash"] = hashlib.sha256(body).digest()
        await self.app(scope, _replay(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes:
        announcements = {"content-length", "transfer-encoding"} & set(headers)
        if not announcements:
            return b""
        if len(announcements) > 1:
            # Two programs on the way may read two different bodies.
            raise Problem(400, "Malformed request", "Send Content-Length or Transfer-Encoding, not both.")
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem(415, "Unsupported media type", "Compressed bodies are not accepted.")
        if _announced_length(headers) > self.limits.max_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(self.limits.seconds):
                body = await self._collect(receive)
        except TimeoutError:
            detail = f"The body did not arrive within {self.limits.seconds:g} seconds."
            raise Problem(408, "Request timeout", detail).with_headers(Connection="close") from None
        if body:
            _check_content(headers.get("content-type", ""), body)
        return body

    async def _collect(self, receive: Receive) -> bytes:
        """Count while reading: the header about the length is missing or wrong where it matters."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Problem(400, "Malformed request", "The body ended early.")
            body += message.get("body", b"")
            if len(body) > self.limits.max_bytes:
                raise self._too_large()
            if not message.get("more_body"):
                return bytes(body)

    def _too_large(self) -> Problem:
        detail = f"The body exceeds {self.limits.max_bytes:,} bytes."
        return Problem(413, "Too large", detail).with_headers(Connection="close")


def _announced_length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit():
        raise Problem(400, "Malformed request", "The header Content-Length is not a number.")
    return int(length[:19])


def _check_content(content_type: str, body: bytes) -> None:
    parsed = MediaType()
    parsed["content-type"] = content_type or "missing"
    kind, charset = parsed.get_content_type(), str(parsed.get_param("charset", "utf-8")).lower()
    if "/" not in content_type or kind not in ACCEPTED or (kind == JSON and charset not in ("utf-8", "utf8")):
        detail = f"Send {JSON} in UTF-8 or, where a route takes a file, {MULTIPART}."
        raise Problem(415, "Unsupported media type", detail)
    if kind == JSON:
        _check_json(body)
    if kind == MULTIPART and body.count(b"--" + str(parsed.get_boundary() or "").encode()) > MAX_PARTS + 1:
        raise Problem(413, "Too large", f"The body has more than {MAX_PARTS} parts.")


def _check_json(body: bytes) -> None:
    try:
        check_json(body)
    except MalformedJson as error:
        raise Problem(400, "Malformed request", str(error)) from None
    except RefusedJson as error:
        fault = {"pointer": "", "detail": str(error), "code": "json_refused"}
        raise Problem(422, "Invalid input", str(error), errors=[fault]) from None


def _replay(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    """The body as one message; what follows, such as a disconnect, comes from the server."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
