"""One HTTP request: sent within the limits, its response checked and read in bounded pieces."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from types import TracebackType

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy

from scrapersky.fetch.egress.url_policy import CheckedURL
from scrapersky.fetch.errors import ProtocolError, Timeout
from scrapersky.fetch.http.connector import ConnectScope
from scrapersky.fetch.http.content_decoder import BoundedBody
from scrapersky.fetch.http.exception_map import ErrorTranslator
from scrapersky.fetch.limits import Limits
from scrapersky.fetch.page import Page

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# How much of a redirect's body is read so that the connection can be reused.
MAX_REDIRECT_BODY = 16 * 1024
# Control characters: a folded or manipulated header.
_BAD_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class TimeBudget:
    """The time that one fetch may spend on the network over all its hops; entered at each hop."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.spent = 0.0

    async def __aenter__(self) -> None:
        if self.spent >= self._seconds:
            raise Timeout
        self._started = time.monotonic()
        self._limit = asyncio.timeout(self._seconds - self.spent)
        await self._limit.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.spent += time.monotonic() - self._started
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError:
            raise Timeout from None
        if isinstance(error, TimeoutError):
            raise Timeout from None

    @property
    def milliseconds(self) -> int:
        return round(self.spent * 1000)


class HTTPRequest:
    """One request without redirects; entering it gives the response. An unread connection is closed.

    A class and not a generator, as everything that is entered for every request: the event loop's tracking
    of generators costs more than the work done here.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: CheckedURL,
        *,
        limits: Limits,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> None:
        self._session, self._url, self._limits = session, url, limits
        self._method, self._headers, self._body = method, headers, body

    async def __aenter__(self) -> aiohttp.ClientResponse:
        limits = self._limits
        with ConnectScope(self._url.host), ErrorTranslator():
            response = await self._session.request(
                self._method,
                self._url.wire,
                headers=self._headers,
                data=self._body,
                allow_redirects=False,
                timeout=_timeout(limits.connect, limits.first_byte),
                max_line_size=limits.header_field_bytes,
                max_field_size=limits.header_field_bytes,
                max_headers=limits.header_fields,
            )
        self._response = response
        try:
            check_framing(response, limits)
        except BaseException:
            self._release()
            raise
        return response

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _release(self) -> None:
        if self._response.content.at_eof():
            self._response.release()
        self._response.close()


@lru_cache(maxsize=64)
def _timeout(connect: float, first_byte: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(sock_connect=connect, sock_read=first_byte)


def check_framing(response: aiohttp.ClientResponse, limits: Limits) -> None:
    """Reject a response that is ambiguous or whose headers are too large."""
    raw = response.raw_headers
    names = [name.lower() for name, _ in raw]
    # The tab is the only control character that a value may contain.
    values = b"\t".join([value for _, value in raw])
    size = len(b"\t".join(names)) + len(values) - 2 * (len(raw) - 1)
    if len(raw) > limits.header_fields or size > limits.header_bytes:
        raise ProtocolError("invalid HTTP response: headers are too large")
    if _BAD_VALUE.search(values):
        raise ProtocolError
    lengths = names.count(b"content-length")
    if lengths > 1 or (lengths and b"transfer-encoding" in names):
        raise ProtocolError
    if not 200 <= response.status < 600:
        raise ProtocolError("invalid HTTP response: impossible status")


async def skip_redirect_body(response: aiohttp.ClientResponse) -> None:
    """Read a small raw body, so that the connection can be reused."""
    left = MAX_REDIRECT_BODY
    with ErrorTranslator():
        async for raw in response.content.iter_any():
            left -= len(raw)
            if left < 0:
                return


class PageStream:
    """A response whose body is read in pieces: iterate once, then see `truncated` and `damage`."""

    def __init__(self, page: Page, response: aiohttp.ClientResponse, limits: Limits) -> None:
        self.page = page
        self._response = response
        self._body = BoundedBody(response.headers.get("Content-Encoding", ""), limits.body)

    @property
    def truncated(self) -> bool:
        return self.page.truncated or self._body.truncated

    @property
    def damage(self) -> str:
        return self._body.damage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with ErrorTranslator():
            async for raw in self._response.content.iter_any():
                for piece in self._body.pieces(raw):
                    yield piece
                if self._body.truncated:
                    return
        self._body.finish()

    async def read(self) -> bytes:
        """The whole body, without the cost of a generator."""
        parts: list[bytes] = []
        with ErrorTranslator():
            while raw := await self._response.content.readany():
                parts += self._body.pieces(raw)
                if self._body.truncated:
                    return b"".join(parts)
        self._body.finish()
        return b"".join(parts)

    def to_page(self, body: bytes, milliseconds: int) -> Page:
        """The page with the body that was read."""
        return self.page.with_body(
            body, truncated=self.truncated, milliseconds=milliseconds, damage=self.damage
        )


def normalize_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Case-insensitive headers that can be stored as text; of a repeated header the first counts."""
    plain: CIMultiDict[str] = CIMultiDict()
    for name, value in headers.items():
        if not value.isascii():
            value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        plain.setdefault(name, value)
    return CIMultiDictProxy(plain)
