"""A web server of raw sockets that misbehaves on purpose: one path per row of the bad-answer catalogue."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

HTTPRequest = Callable[["Visit"], Awaitable[None]]
ANSWERS: dict[str, HTTPRequest] = {}


@dataclass
class Visit:
    """One request as it arrived, and the way to answer it."""

    path: str
    head: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def host(self) -> str:
        return self.header("host")

    def header(self, name: str) -> str:
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.decode("latin-1").lower() == name:
                return value.decode("latin-1").strip()
        return ""

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def page(self, body: bytes = b"<p>ok</p>", *, status: str = "200 OK", headers: str = "") -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        await self.send(head.encode("latin-1") + body)

    async def drip(self, pieces: bytes, every: float) -> None:
        for number in range(len(pieces)):
            await self.send(pieces[number : number + 1])
            await asyncio.sleep(every)


@dataclass
class HostileServer:
    """Listens on loopback; `hits` counts requests by path, `log` keeps (host, path, started, ended)."""

    port: int = 0
    hits: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    log: list[tuple[str, str, float, float]] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    connections: int = 0
    robots: bytes | None = None
    # The path whose answer is given for /robots.txt.
    robots_as: str | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, OSError):
                while True:
                    await self.answer_one(reader, writer)
            writer.close()
        except asyncio.CancelledError:
            writer.transport.abort()

    async def answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode("latin-1")
        visit = Visit(path, head, reader, writer)
        started = asyncio.get_running_loop().time()
        self.hits[path] += 1
        self.heads.append(head)
        if path == "/robots.txt":
            await self.answer_robots(visit)
        else:
            await ANSWERS.get(path.split("?")[0], not_found)(visit)
        self.log.append((visit.host, path, started, asyncio.get_running_loop().time()))

    async def answer_robots(self, visit: Visit) -> None:
        if self.robots_as is not None:
            visit.path = self.robots_as
            await ANSWERS[self.robots_as.split("?")[0]](visit)
        elif self.robots is None:
            await visit.page(b"none", status="404 Not Found")
        else:
            await visit.page(self.robots, headers="Content-Type: text/plain\r\n")


@contextlib.asynccontextmanager
async def hostile_server(
    *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[HostileServer]:
    server = HostileServer()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listener = await asyncio.start_server(connected, host, port, ssl=tls, limit=2**20)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Transports close themselves in the next turns of the loop.
        await asyncio.sleep(0.01)


def path(name: str) -> Callable[[HTTPRequest], HTTPRequest]:
    def register(answer: HTTPRequest) -> HTTPRequest:
        ANSWERS[name] = answer
        return answer

    return register


def raw(name: str, data: bytes, *, then_close: bool = True) -> None:
    """Register a path that sends exactly these bytes."""

    async def answer(visit: Visit) -> None:
        await visit.send(data)
        if then_close:
            raise ConnectionError

    ANSWERS[name] = answer


async def not_found(visit: Visit) -> None:
    await visit.page(b"not here", status="404 Not Found")


def _head(*lines: str, status: str = "200 OK") -> bytes:
    return ("\r\n".join([f"HTTP/1.1 {status}", *lines]) + "\r\n\r\n").encode("latin-1")


@path("/ok")
async def ok(visit: Visit) -> None:
    await visit.page(b"<p>hello</p>", headers='Content-Type: text/html\r\nETag: "one"\r\n')


@path("/cookie")
async def cookie(visit: Visit) -> None:
    await visit.page(headers="Set-Cookie: session=secret\r\n")


@path("/conditional")
async def conditional(visit: Visit) -> None:
    if visit.header("if-none-match") == '"one"':
        await visit.send(_head('ETag: "one"', status="304 Not Modified"))
    else:
        await visit.page(b"fresh", headers='ETag: "one"\r\n')


# HTTP-01: slower than any read limit notices.
@path("/HTTP-01/body")
async def slow_body(visit: Visit) -> None:
    await visit.send(_head("Content-Length: 100000"))
    await visit.drip(b"x" * 1000, 0.1)


@path("/HTTP-01/headers")
async def slow_headers(visit: Visit) -> None:
    await visit.drip(b"HTTP/1.1 200 OK\r\n" + b"X-Slow: yes\r\n" * 100, 0.1)


@path("/HTTP-01/early-hints")
async def endless_hints(visit: Visit) -> None:
    while True:
        await visit.send(_head("Link: </x>; rel=preload", status="103 Early Hints"))
        await asyncio.sleep(0.1)


# HTTP-02: silence, closing, resetting, stopping half-way.
@path("/HTTP-02/silent")
async def silent(visit: Visit) -> None:
    await asyncio.sleep(3600)


raw("/HTTP-02/close", b"")
raw("/HTTP-02/half", _head("Content-Length: 100") + b"x" * 50)
raw("/HTTP-02/half-chunked", _head("Transfer-Encoding: chunked") + b"5\r\nhello\r\n10\r\nhal")


@path("/HTTP-02/reset")
async def reset(visit: Visit) -> None:
    await visit.send(_head("Content-Length: 100000") + b"x" * 50)
    transport = visit.writer.transport
    sock = transport.get_extra_info("socket")
    sock.setsockopt(1, 13, b"\x01\x00\x00\x00\x00\x00\x00\x00")  # SO_LINGER of 0 makes close() a reset.
    transport.abort()
    raise ConnectionError


# HTTP-04: lengths.
@path("/HTTP-04/endless")
async def endless(visit: Visit) -> None:
    await visit.send(_head("Connection: close"))
    while True:
        await visit.send(b"<p>more</p>" * 5000)


raw("/HTTP-04/huge", _head("Content-Length: 1000000000000000000") + b"x" * 50)
raw("/HTTP-04/negative", _head("Content-Length: -5") + b"x" * 50)
raw("/HTTP-04/two", _head("Content-Length: 5", "Content-Length: 6") + b"x" * 50)
raw("/HTTP-04/same-twice", _head("Content-Length: 5", "Content-Length: 5") + b"x" * 5)
raw("/HTTP-04/digits", _head("Content-Length: " + "9" * 5000) + b"x" * 50)

# HTTP-05: headers.
raw("/HTTP-05/many", _head(*(f"X-{n}: y" for n in range(7000)), "Content-Length: 2") + b"ok")
raw("/HTTP-05/cookies", _head(*(f"Set-Cookie: c{n}=y" for n in range(100_000)), "Content-Length: 2") + b"ok")
raw("/HTTP-05/large-sum", _head(*(f"X-{n}: {'y' * 4000}" for n in range(150)), "Content-Length: 2") + b"ok")


@path("/HTTP-05/one-large")
async def one_large_header(visit: Visit) -> None:
    await visit.send(b"HTTP/1.1 200 OK\r\nX-Large: ")
    for _ in range(64):
        await visit.send(b"y" * 2**20)
    await visit.send(b"\r\n\r\n")


# HTTP-08 and HTTP-11: odd but harmless.
raw("/HTTP-08/no-content", _head("Content-Length: 5", status="204 No Content") + b"extra")
raw("/HTTP-08/not-modified", _head("Content-Length: 5", status="304 Not Modified") + b"extra")
raw(
    "/HTTP-08/partial",
    _head("Content-Length: 5", "Content-Range: bytes 0-4/99", status="206 Partial") + b"hello",
)
raw("/HTTP-11/empty-charset", _head("Content-Type: text/html; charset=", "Content-Length: 2") + b"ok")
raw("/HTTP-11/two-types", _head("Content-Type: text/html", "Content-Type: x/y", "Content-Length: 2") + b"ok")
raw("/HTTP-11/path", _head("Content-Type: ../../x", "Content-Length: 2") + b"ok")

# HTTP-16 and HTTP-17: grammar.
raw("/HTTP-16/smuggled", _head("Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n")
raw("/HTTP-16/folded", b"HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\nok")
raw("/HTTP-16/bare-lf", b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok")
raw("/HTTP-16/nul", b"HTTP/1.1 200 OK\r\nX-A: a\x00b\r\nContent-Length: 2\r\n\r\nok")
raw("/HTTP-16/zero-nine", b"<html>no head at all</html>")
raw("/HTTP-16/status-999", _head("Content-Length: 2", status="999 Odd") + b"ok")
raw("/HTTP-16/no-colon", b"HTTP/1.1 200 OK\r\nNo colon here\r\nContent-Length: 2\r\n\r\nok")
raw("/HTTP-16/two-answers", (_head("Content-Length: 2") + b"ok") * 2, then_close=False)
raw("/HTTP-17/overflow", _head("Transfer-Encoding: chunked") + b"FFFFFFFFFFFFFFFF\r\nhello")
raw("/HTTP-17/overflow-more", _head("Transfer-Encoding: chunked") + b"F" * 40 + b"\r\nhello")
raw("/HTTP-17/not-hex", _head("Transfer-Encoding: chunked") + b"xyz\r\nhello\r\n0\r\n\r\n")
raw(
    "/HTTP-17/extension",
    _head("Transfer-Encoding: chunked") + b"5;" + b"x" * 2**20 + b"\r\nhello\r\n0\r\n\r\n",
)
raw(
    "/HTTP-17/trailers",
    _head("Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n" + b"X-T: y\r\n" * 130_000 + b"\r\n",
)


@path("/HTTP-17/tiny-chunks")
async def tiny_chunks(visit: Visit) -> None:
    await visit.send(_head("Transfer-Encoding: chunked"))
    for _ in range(100):
        await visit.send(b"1\r\nx\r\n" * 10_000)
    await visit.send(b"0\r\n\r\n")


@path("/HTTP-16/first")
async def speaks_first(visit: Visit) -> None:
    """Sends more than it announced, which the next request would take for its own answer."""
    await visit.send(_head("Content-Length: 2") + b"ok" + b"\x00garbage")
    raise ConnectionError


# HTTP-10: pauses.
RETRY_AFTER = ("120", "-1", "1e9", "9" * 5000, "Thu, 01 Jan 1970 00:00:00 GMT", "garbage", "")


@path("/HTTP-10")
async def pause(visit: Visit) -> None:
    value = RETRY_AFTER[int(visit.path.partition("?")[2])]
    await visit.page(b"later", status="429 Too Many", headers=f"Retry-After: {value}\r\n")


@path("/status")
async def any_status(visit: Visit) -> None:
    await visit.page(b"body", status=f"{visit.path.partition('?')[2]} Word")


# HTTP-07 and B4: redirects; the target is what follows the question mark.
@path("/to")
async def redirect(visit: Visit) -> None:
    target = visit.path.partition("?")[2].replace("+", " ")
    await visit.page(b"moved", status="302 Found", headers=f"Location: {target}\r\n")


@path("/loop")
async def loop(visit: Visit) -> None:
    await visit.page(b"", status="301 Moved", headers="Location: /loop\r\n")


@path("/chain")
async def chain(visit: Visit) -> None:
    number = int(visit.path.partition("?")[2])
    await visit.page(b"", status="307 Moved", headers=f"Location: /chain?{number + 1}\r\n")


@path("/countdown")
async def countdown(visit: Visit) -> None:
    number = int(visit.path.partition("?")[2])
    onward = f"/countdown?{number - 1}" if number > 1 else "/ok"
    await visit.page(b"", status="308 Moved", headers=f"Location: {onward}\r\n")


@path("/no-location")
async def no_location(visit: Visit) -> None:
    await visit.page(b"", status="301 Moved")


@path("/redirect-bomb")
async def redirect_bomb(visit: Visit) -> None:
    body = bombs()["gzip"]
    head = f"Location: /ok\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}"
    with contextlib.suppress(ConnectionError):
        await visit.send(_head(head, status="302 Found") + body)


@path("/bomb")
async def bomb(visit: Visit) -> None:
    name = visit.path.partition("?")[2]
    body = bombs()[name]
    coding = {"layers": "gzip, " * 63 + "gzip", "unknown": "lzma"}.get(name, name.split("-")[0])
    await visit.send(_head(f"Content-Encoding: {coding}", f"Content-Length: {len(body)}") + body)


_bombs: dict[int, dict[str, bytes]] = {}


def bombs(megabytes: int = 0) -> dict[str, bytes]:
    """Small bodies that unpack to so much, and broken compression; without a size, those made last."""
    size = megabytes or next(reversed(_bombs), 1024)
    _bombs[size] = _bombs.pop(size, None) or _packed(size)
    return _bombs[size]


def _packed(megabytes: int) -> dict[str, bytes]:
    import brotli

    from scrapersky.fetch.http.zstd import zstd

    zeros, made = b"\0" * 2**20, dict[str, bytes]()
    packers = {
        "gzip": zlib.compressobj(9, zlib.DEFLATED, 31),
        "deflate": zlib.compressobj(9),
        "zstd": zstd.ZstdCompressor(),
    }
    for name, packer in packers.items():
        made[name] = b"".join(packer.compress(zeros) for _ in range(megabytes)) + packer.flush()
    brotli_packer = brotli.Compressor(quality=5)
    made["br"] = b"".join(brotli_packer.process(zeros) for _ in range(megabytes)) + brotli_packer.finish()
    made["gzip-members"] = gzip.compress(b"") * 20_000
    made["gzip-truncated"] = gzip.compress(bytes(range(256)) * 40)[:-12]
    made["gzip-broken"] = gzip.compress(bytes(range(256)) * 40)[:50] + b"\xff" * 100
    made["layers"] = made["unknown"] = b"whatever"
    return made
