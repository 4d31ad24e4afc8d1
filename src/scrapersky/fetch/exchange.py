"""One request and its answer: sent within the limits, checked for sane framing, read in bounded pieces."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy

from scrapersky.fetch.classify import failures_named
from scrapersky.fetch.decode import BoundedBody
from scrapersky.fetch.dial import dialling
from scrapersky.fetch.errors import ProtocolError, Timeout
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Page
from scrapersky.fetch.url_gate import CheckedURL

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# As much of a redirect's body as is read, undecoded, to be able to use the connection again.
REDIRECT_BODY = 16 * 1024
# A header value with these has been folded over lines or tampered with.
_BAD_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Budget:
    """The seconds one fetch may still spend on the network, over all its hops."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.spent = 0.0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ends what runs inside when the budget is spent."""
        started = time.monotonic()
        try:
            if self.spent >= self._seconds:
                raise Timeout
            async with asyncio.timeout(self._seconds - self.spent):
                yield
        except TimeoutError:
            raise Timeout from None
        finally:
            self.spent += time.monotonic() - started

    @property
    def milliseconds(self) -> int:
        return round(self.spent * 1000)


@asynccontextmanager
async def answer(
    session: aiohttp.ClientSession,
    url: CheckedURL,
    *,
    limits: Limits,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> AsyncIterator[aiohttp.ClientResponse]:
    """The answer to one request, not redirected; a connection not read to the end is closed."""
    request = session.request(
        method,
        url.wire,
        headers=headers,
        data=body,
        allow_redirects=False,
        timeout=aiohttp.ClientTimeout(sock_connect=limits.connect, sock_read=limits.first_byte),
        max_line_size=limits.header_field_bytes,
        max_field_size=limits.header_field_bytes,
        max_headers=limits.header_fields,
    )
    with dialling(url.host), failures_named():
        response = await request
    try:
        check_framing(response, limits)
        yield response
    finally:
        if response.content.at_eof():
            response.release()
        response.close()


def check_framing(response: aiohttp.ClientResponse, limits: Limits) -> None:
    """Refuse what could be read in two ways, or is too much to read at all."""
    raw = response.raw_headers
    if len(raw) > limits.header_fields or sum(len(n) + len(v) for n, v in raw) > limits.header_bytes:
        raise ProtocolError("the answer's headers are too large")
    if any(_BAD_VALUE.search(value) for _, value in raw):
        raise ProtocolError
    names = [name.lower() for name, _ in raw]
    lengths = names.count(b"content-length")
    if lengths > 1 or (lengths and b"transfer-encoding" in names):
        raise ProtocolError
    if not 200 <= response.status < 600:
        raise ProtocolError("the answer has an impossible status")


async def skip_redirect_body(response: aiohttp.ClientResponse) -> None:
    """Read a little of the raw body, so that a well-behaved host's connection can be used again."""
    left = REDIRECT_BODY
    with failures_named():
        async for raw in response.content.iter_any():
            left -= len(raw)
            if left < 0:
                return


class PageStream:
    """An answer whose body is read piece by piece: iterate over it once, then ask `truncated`."""

    def __init__(self, page: Page, response: aiohttp.ClientResponse, limits: Limits) -> None:
        self.page = page
        self._response = response
        self._body = BoundedBody(response.headers.get("Content-Encoding", ""), limits.body)

    @property
    def truncated(self) -> bool:
        return self.page.truncated or self._body.truncated

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with failures_named():
            async for raw in self._response.content.iter_any():
                for piece in self._body.pieces(raw):
                    yield piece
                if self._body.truncated:
                    return
        self._body.finish()

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self])


def plain_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Headers by any spelling of the name, storable as text; of a repeated one the first stands."""
    plain: CIMultiDict[str] = CIMultiDict()
    for name, value in headers.items():
        plain.setdefault(name, value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return CIMultiDictProxy(plain)
