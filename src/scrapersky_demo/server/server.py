"""A small HTTP server that answers for every host name of the demo world on one loopback port."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from scrapersky_demo.draws import number_of
from scrapersky_demo.server.encoded_response import EncodedResponse, encode_head, encode_response
from scrapersky_demo.server.request_log import Request, RequestLog
from scrapersky_demo.sites.response import Response
from scrapersky_demo.world import World

_CACHED_BYTES = 192 * 2**20
_LONGEST_HEAD = 64 * 2**10
_DRIP_SECONDS = 0.5
_ENDLESS_PIECE = b"10000\r\n" + b"<p>and so on</p>\n".ljust(0x10000, b" ") + b"\r\n"
# An "endless" page stops here, so that a reader without a limit fails instead of hanging its test.
_ENDLESS_BYTES = 512 * 2**20
_BUSY_EVERY = 4
_METHODS = (b"GET", b"HEAD")


class ResponseCache:
    """Encoded responses; the least recently used are dropped when they grow too large."""

    def __init__(self, world: World, *, limit: int = _CACHED_BYTES) -> None:
        self._world, self._limit = world, limit
        self._responses: OrderedDict[tuple[bytes, bytes], EncodedResponse] = OrderedDict()
        self._bytes = 0

    def response(self, host: bytes, target: bytes) -> EncodedResponse:
        key = (host, target)
        response = self._responses.get(key)
        if response is not None:
            self._responses.move_to_end(key)
            return response
        made = self._make(host, target)
        self._responses[key] = made
        self._bytes += _weight(made)
        while self._bytes > self._limit and len(self._responses) > 1:
            self._bytes -= _weight(self._responses.popitem(last=False)[1])
        return made

    def fill(self) -> None:
        """Make every answer now, so that a measured reader never waits for the making of one."""
        for domain in self._world.domains():
            site = self._world.site(domain)
            for path in ("/robots.txt", *site.sitemaps, *site.pages):
                self.response(site.plan.served_host.encode("latin-1"), path.encode("latin-1"))

    def _make(self, host: bytes, target: bytes) -> EncodedResponse:
        answer = self._world.answer(host.decode("latin-1"), target.decode("latin-1"))
        if answer.mode in ("abort", "drip", "endless"):
            return EncodedResponse(answer.status, b"", b"", b"", b"", b"", b"", 0.0, answer.mode)
        return encode_response(answer)


def _weight(response: EncodedResponse) -> int:
    return len(response.whole) + len(response.packed) + 1_000


class DemoServer:
    """The running server: its address, its log, and the small memory of its moody hosts."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.log = RequestLog()
        self.response_cache = ResponseCache(world)
        self.host, self.port = "", 0
        self.connections: set[ClientConnection] = set()
        self._seen: Counter[bytes] = Counter()

    def refusal(self, mode: str, host: bytes, target: bytes) -> EncodedResponse | None:
        """A busy host refuses every fourth request; a flaky one fails once on a fifth of its pages."""
        if mode == "busy":
            self._seen[host] += 1
            return _TOO_MANY if self._seen[host] % _BUSY_EVERY == 0 else None
        if mode == "flaky" and number_of(target) % 5 == 0:
            key = host + target
            self._seen[key] += 1
            return _UNAVAILABLE if self._seen[key] == 1 else None
        return None


_TOO_MANY = encode_response(Response(429, b"too many requests\n", "text/plain", (("Retry-After", "1"),)))
_UNAVAILABLE = encode_response(Response(503, b"try again\n", "text/plain", (("Retry-After", "1"),)))


class ClientConnection(asyncio.Protocol):
    """One connection, kept alive; requests are answered in order, one at a time."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server
        self._buffer = b""
        self._late: _Exchange | None = None
        self._waiting = False
        self._paused = asyncio.Event()
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._paused.set()
        self._server.connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.connections.discard(self)
        self._transport = None
        self._paused.set()
        if self._late:
            self._note(self._late, 0, 0)
            self._late = None
        if self._task:
            self._task.cancel()

    def pause_writing(self) -> None:
        self._paused.clear()

    def resume_writing(self) -> None:
        self._paused.set()

    def close(self) -> None:
        if self._transport:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        self._serve_buffer()

    def _serve_buffer(self) -> None:
        while not self._waiting and self._transport:
            head, mark, rest = self._buffer.partition(b"\r\n\r\n")
            if not mark:
                if len(self._buffer) > _LONGEST_HEAD:
                    self._transport.abort()
                return
            self._buffer = rest
            self._serve(head)

    def _serve(self, head: bytes) -> None:
        start = time.monotonic()
        line, *fields = head.split(b"\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (field.partition(b":") for field in fields)
        }
        parts = line.split(b" ")
        if len(parts) != 3 or parts[0] not in _METHODS:
            self._refuse(start, headers)
            return
        host, target = headers.get(b"host", b"").lower(), parts[1]
        if target.startswith(b"http://"):
            host, _, path = target[7:].partition(b"/")
            target = b"/" + path
        host = host.partition(b":")[0]
        response = self._server.response_cache.response(host, target)
        response = self._server.refusal(response.mode, host, target) or response
        self._answer(_Exchange(start, host, parts[0], target), response, headers)

    def _refuse(self, start: float, headers: dict[bytes, bytes]) -> None:
        exchange = _Exchange(start, headers.get(b"host", b""), b"?", b"?")
        self._send(exchange, encode_response(Response(405, b"GET and HEAD only\n", "text/plain")), headers)
        if self._transport:
            self._transport.close()

    def _answer(self, exchange: "_Exchange", response: EncodedResponse, headers: dict[bytes, bytes]) -> None:
        if response.mode in ("abort", "drip", "endless"):
            self._misbehave(exchange, response.mode)
        elif response.delay:
            self._waiting, self._late = True, exchange
            asyncio.get_running_loop().call_later(
                response.delay, self._send_late, exchange, response, headers
            )
        else:
            self._send(exchange, response, headers)

    def _send_late(
        self, exchange: "_Exchange", response: EncodedResponse, headers: dict[bytes, bytes]
    ) -> None:
        self._waiting, self._late = False, None
        self._send(exchange, response, headers)
        self._serve_buffer()

    def _send(self, exchange: "_Exchange", response: EncodedResponse, headers: dict[bytes, bytes]) -> None:
        status, data = _form_of(response, exchange.method, headers)
        if self._transport:
            self._transport.write(data)
            self._note(exchange, status, len(data))
            if headers.get(b"connection", b"").lower() == b"close":
                self._transport.close()

    def _note(self, exchange: "_Exchange", status: int, sent: int) -> None:
        self._server.log.append(
            Request(
                exchange.start,
                time.monotonic(),
                exchange.host.decode("latin-1"),
                exchange.method.decode("latin-1"),
                exchange.target.decode("latin-1"),
                status,
                sent,
            )
        )

    def _misbehave(self, exchange: "_Exchange", mode: str) -> None:
        if mode == "abort":
            self._note(exchange, 0, 0)
            self.close()
            return
        self._waiting = True
        self._task = asyncio.get_running_loop().create_task(self._pour(exchange, mode))

    async def _pour(self, exchange: "_Exchange", mode: str) -> None:
        """Sends a body that does not end: as fast as it is read, or one byte every half second."""
        sent = 0
        try:
            self._write(encode_head(Response(200), None))
            while self._transport and sent < _ENDLESS_BYTES:
                await self._paused.wait()
                if mode == "drip":
                    await asyncio.sleep(_DRIP_SECONDS)
                piece = b"1\r\n \r\n" if mode == "drip" else _ENDLESS_PIECE
                self._write(piece)
                sent += len(piece)
                # A reader as fast as the writer must not keep every other host waiting.
                await asyncio.sleep(0)
        finally:
            self._note(exchange, 200, sent)
            self.close()

    def _write(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)


class _Exchange:
    """What was asked and when, kept until the answer is out."""

    __slots__ = ("host", "method", "start", "target")

    def __init__(self, start: float, host: bytes, method: bytes, target: bytes) -> None:
        self.start, self.host, self.method, self.target = start, host, method, target


def _form_of(response: EncodedResponse, method: bytes, headers: dict[bytes, bytes]) -> tuple[int, bytes]:
    """The form of an answer that this request asked for."""
    if response.status == 200 and _is_known(response, headers):
        return 304, response.not_modified
    if method == b"HEAD":
        return response.status, response.head
    if response.packed and b"gzip" in headers.get(b"accept-encoding", b""):
        return response.status, response.packed
    return response.status, response.whole


def _is_known(response: EncodedResponse, headers: dict[bytes, bytes]) -> bool:
    """RFC 9110: If-None-Match decides alone when it is there."""
    tags = headers.get(b"if-none-match")
    if tags is not None:
        return bool(response.etag) and (
            tags == b"*" or response.etag in tags.replace(b"W/", b"").split(b", ")
        )
    return bool(response.modified) and headers.get(b"if-modified-since") == response.modified


@asynccontextmanager
async def serve_world(world: World, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[DemoServer]:
    """Serves the world while the block runs; port 0 takes a free one."""
    server = DemoServer(world)
    listener = await asyncio.get_running_loop().create_server(lambda: ClientConnection(server), host, port)
    server.host, server.port = listener.sockets[0].getsockname()[:2]
    try:
        yield server
    finally:
        listener.close()
        for connection in list(server.connections):
            connection.close()
        await listener.wait_closed()
        # The loop reports a lost connection on its next turn; until then its request is not in the log.
        await asyncio.sleep(0)
