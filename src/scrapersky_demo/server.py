"""A small HTTP server that answers for every host name of the demo world on one loopback port."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from scrapersky_demo.answer import Answer
from scrapersky_demo.request_log import Request, RequestLog
from scrapersky_demo.seeded import number_of
from scrapersky_demo.wire import Wire, head_of, wire_of
from scrapersky_demo.world import World

_CACHED_BYTES = 192 * 2**20
_LONGEST_HEAD = 64 * 2**10
_DRIP_SECONDS = 0.5
_ENDLESS_PIECE = b"10000\r\n" + b"<p>and so on</p>\n".ljust(0x10000, b" ") + b"\r\n"
# An "endless" page stops here, so that a reader without a limit fails instead of hanging its test.
_ENDLESS_BYTES = 512 * 2**20
_BUSY_EVERY = 4
_METHODS = (b"GET", b"HEAD")


class Shelf:
    """Answers ready for the wire, the longest unused dropped first when they grow too large."""

    def __init__(self, world: World, *, limit: int = _CACHED_BYTES) -> None:
        self._world, self._limit = world, limit
        self._kept: OrderedDict[tuple[bytes, bytes], Wire] = OrderedDict()
        self._bytes = 0

    def wire(self, host: bytes, target: bytes) -> Wire:
        key = (host, target)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        made = self._make(host, target)
        self._kept[key] = made
        self._bytes += _weight(made)
        while self._bytes > self._limit and len(self._kept) > 1:
            self._bytes -= _weight(self._kept.popitem(last=False)[1])
        return made

    def fill(self) -> None:
        """Make every answer now, so that a measured reader never waits for the making of one."""
        for domain in self._world.domains():
            site = self._world.site(domain)
            for path in ("/robots.txt", *site.sitemaps, *site.pages):
                self.wire(site.plan.served_host.encode("latin-1"), path.encode("latin-1"))

    def _make(self, host: bytes, target: bytes) -> Wire:
        answer = self._world.answer(host.decode("latin-1"), target.decode("latin-1"))
        if answer.mode in ("abort", "drip", "endless"):
            return Wire(answer.status, b"", b"", b"", b"", b"", b"", 0.0, answer.mode)
        return wire_of(answer)


def _weight(wire: Wire) -> int:
    return len(wire.whole) + len(wire.packed) + 1_000


class DemoServer:
    """The running server: its address, its log, and the small memory of its moody hosts."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.log = RequestLog()
        self.shelf = Shelf(world)
        self.host, self.port = "", 0
        self.connections: set[Connection] = set()
        self._seen: Counter[bytes] = Counter()

    def refusal(self, mode: str, host: bytes, target: bytes) -> Wire | None:
        """A busy host refuses every fourth request; a flaky one fails once on a fifth of its pages."""
        if mode == "busy":
            self._seen[host] += 1
            return _TOO_MANY if self._seen[host] % _BUSY_EVERY == 0 else None
        if mode == "flaky" and number_of(target) % 5 == 0:
            key = host + target
            self._seen[key] += 1
            return _UNAVAILABLE if self._seen[key] == 1 else None
        return None


_TOO_MANY = wire_of(Answer(429, b"too many requests\n", "text/plain", (("Retry-After", "1"),)))
_UNAVAILABLE = wire_of(Answer(503, b"try again\n", "text/plain", (("Retry-After", "1"),)))


class Connection(asyncio.Protocol):
    """One connection, kept alive; requests are answered in order, one at a time."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server
        self._buffer = b""
        self._late: _Asked | None = None
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
        wire = self._server.shelf.wire(host, target)
        wire = self._server.refusal(wire.mode, host, target) or wire
        self._answer(_Asked(start, host, parts[0], target), wire, headers)

    def _refuse(self, start: float, headers: dict[bytes, bytes]) -> None:
        asked = _Asked(start, headers.get(b"host", b""), b"?", b"?")
        self._send(asked, wire_of(Answer(405, b"GET and HEAD only\n", "text/plain")), headers)
        if self._transport:
            self._transport.close()

    def _answer(self, asked: "_Asked", wire: Wire, headers: dict[bytes, bytes]) -> None:
        if wire.mode in ("abort", "drip", "endless"):
            self._misbehave(asked, wire.mode)
        elif wire.delay:
            self._waiting, self._late = True, asked
            asyncio.get_running_loop().call_later(wire.delay, self._send_late, asked, wire, headers)
        else:
            self._send(asked, wire, headers)

    def _send_late(self, asked: "_Asked", wire: Wire, headers: dict[bytes, bytes]) -> None:
        self._waiting, self._late = False, None
        self._send(asked, wire, headers)
        self._serve_buffer()

    def _send(self, asked: "_Asked", wire: Wire, headers: dict[bytes, bytes]) -> None:
        status, data = _form_of(wire, asked.method, headers)
        if self._transport:
            self._transport.write(data)
            self._note(asked, status, len(data))
            if headers.get(b"connection", b"").lower() == b"close":
                self._transport.close()

    def _note(self, asked: "_Asked", status: int, sent: int) -> None:
        self._server.log.append(
            Request(
                asked.start,
                time.monotonic(),
                asked.host.decode("latin-1"),
                asked.method.decode("latin-1"),
                asked.target.decode("latin-1"),
                status,
                sent,
            )
        )

    def _misbehave(self, asked: "_Asked", mode: str) -> None:
        if mode == "abort":
            self._note(asked, 0, 0)
            self.close()
            return
        self._waiting = True
        self._task = asyncio.get_running_loop().create_task(self._pour(asked, mode))

    async def _pour(self, asked: "_Asked", mode: str) -> None:
        """Sends a body that does not end: as fast as it is read, or one byte every half second."""
        sent = 0
        try:
            self._write(head_of(Answer(200), None))
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
            self._note(asked, 200, sent)
            self.close()

    def _write(self, data: bytes) -> None:
        if self._transport:
            self._transport.write(data)


class _Asked:
    """What was asked and when, kept until the answer is out."""

    __slots__ = ("host", "method", "start", "target")

    def __init__(self, start: float, host: bytes, method: bytes, target: bytes) -> None:
        self.start, self.host, self.method, self.target = start, host, method, target


def _form_of(wire: Wire, method: bytes, headers: dict[bytes, bytes]) -> tuple[int, bytes]:
    """The form of an answer that this request asked for."""
    if wire.status == 200 and _is_known(wire, headers):
        return 304, wire.not_modified
    if method == b"HEAD":
        return wire.status, wire.head
    if wire.packed and b"gzip" in headers.get(b"accept-encoding", b""):
        return wire.status, wire.packed
    return wire.status, wire.whole


def _is_known(wire: Wire, headers: dict[bytes, bytes]) -> bool:
    """RFC 9110: If-None-Match decides alone when it is there."""
    tags = headers.get(b"if-none-match")
    if tags is not None:
        return bool(wire.etag) and (tags == b"*" or wire.etag in tags.replace(b"W/", b"").split(b", "))
    return bool(wire.modified) and headers.get(b"if-modified-since") == wire.modified


@asynccontextmanager
async def serve(world: World, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[DemoServer]:
    """Serves the world while the block runs; port 0 takes a free one."""
    server = DemoServer(world)
    listener = await asyncio.get_running_loop().create_server(lambda: Connection(server), host, port)
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
