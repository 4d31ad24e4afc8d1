"""The security headers of every answer."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scrapersky.api.problems import Problem, respond

RawHeader = tuple[bytes, bytes]
# Everything that a browser would let a page ask for; the console needs none of it. Chromium warns about
# names that it does not know in this header, such as bluetooth and web-share, so they are left out.
FEATURES = (
    *("accelerometer", "autoplay", "camera", "display-capture", "encrypted-media"),
    *("fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "idle-detection", "magnetometer"),
    *("microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-get"),
    *("screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
)
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in FEATURES),
}
# Browsers remember it for a year, so it is sent only where TLS is there to stay.
STRICT_TRANSPORT = "max-age=31536000; includeSubDomains"


# The server's own limit holds only for headers that arrive in several pieces.
MAX_HEADER_BYTES = 32 * 1024


class HeaderLimit:
    """Refuses a request whose headers and address are longer than any honest one's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _header_size(scope) <= MAX_HEADER_BYTES:
            await self.app(scope, receive, send)
            return
        problem = Problem(431, "Headers too large", f"The headers exceed {MAX_HEADER_BYTES:,} bytes.")
        await respond(Request(scope), problem)(scope, receive, send)


def _header_size(scope: Scope) -> int:
    size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
    return size + sum(len(name) + len(value) + 4 for name, value in scope["headers"])


# As the server sends them: made once, because they are in every answer.
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
OWN_NAMES = frozenset(name for name, _ in RAW_HEADERS)
RAW_STRICT_TRANSPORT = b"strict-transport-security", STRICT_TRANSPORT.encode()
UNSTORED = b"cache-control", b"no-store"


def with_security_headers(headers: Iterable[RawHeader], scheme: str) -> list[RawHeader]:
    """The headers of an answer with ours in place of any of the same names."""
    made = [header for header in headers if header[0] not in OWN_NAMES] + RAW_HEADERS
    if not any(name == UNSTORED[0] for name, _ in made):
        made.append(UNSTORED)
    if scheme == "https":
        made.append(RAW_STRICT_TRANSPORT)
    return made


class SecurityHeaders:
    """Plain ASGI, so that streams pass through untouched."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_security_headers(message.get("headers", ()), scope["scheme"])
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)
