"""A proxy on loopback for the browser: it resolves names and connects after the SSRF check."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from types import TracebackType
from typing import Self

from scrapersky.fetch.egress.url_policy import CheckedURL, URLPolicy
from scrapersky.fetch.errors import BadURL
from scrapersky.fetch.http.connector import ConnectionBlocked, ConnectScope, SocketFactory, make_resolver
from scrapersky.fetch.limits import FetchOptions

MAX_HEAD = 64 * 1024
HEAD_SECONDS = 10.0
CONNECT_SECONDS = 10.0
# Errors that end a connection silently.
_SILENT_ERRORS = (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
# For one connection of a rendered page; more than any script needs.
MAX_BYTES = 32 * 2**20
CONNECTION_SECONDS = 60.0

_REQUEST = re.compile(rb"\A([A-Z]{3,10}) (\S{1,4096}) HTTP/1\.[01]\r\n")
_HOP_BY_HOP = re.compile(rb"(?im)^(?:proxy-[a-z-]+|connection|keep-alive):[^\r\n]*\r\n")
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_FAILED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class EgressProxy:
    """Serves CONNECT and plain requests in absolute form; an async context manager."""

    def __init__(self, options: FetchOptions) -> None:
        self._url_policy = URLPolicy(options.egress_allow, options.ports, 4096)
        self._options = options
        self._socket_factory = SocketFactory(options)
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.refused = 0

    async def __aenter__(self) -> Self:
        self._resolver = make_resolver(self._options)
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=MAX_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._resolver.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  (a coroutine that runs has a task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(*_SILENT_ERRORS):
                async with asyncio.timeout(CONNECTION_SECONDS):
                    await self._serve(reader, writer)
        except asyncio.CancelledError:
            # Only closing the proxy cancels it.
            return
        finally:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        request = _REQUEST.match(head)
        try:
            target = self._target(request)
            far_reader, far_writer = await self._connect(target)
        except (BadURL, ConnectionBlocked):
            self.refused += 1
            return await _send(writer, _REFUSED)
        except (OSError, TimeoutError):
            return await _send(writer, _FAILED)
        try:
            if request is not None and request[1] == b"CONNECT":
                await _send(writer, b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                far_writer.write(_origin_form(head, target))
            await _relay(reader, writer, far_reader, far_writer)
        finally:
            far_writer.transport.abort()

    def _target(self, request: re.Match[bytes] | None) -> CheckedURL:
        if request is None:
            raise BadURL
        text = request[2].decode("latin-1")
        # CONNECT has only host and port.
        return self._url_policy.check(f"https://{text}/" if request[1] == b"CONNECT" else text)

    async def _connect(self, target: CheckedURL) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host = target.host.strip("[]")
        addresses = await self._resolver.resolve(host, target.port)
        failure: OSError = OSError()
        for address in addresses:
            try:
                with ConnectScope(target.host):
                    sock = self._socket_factory(
                        (address["family"], socket.SOCK_STREAM, 0, "", (address["host"], address["port"]))
                    )
                return await _open(sock, (address["host"], address["port"]))
            except OSError as why:
                failure = why
        raise failure


async def _open(
    sock: socket.socket, address: tuple[str, int]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    sock.setblocking(False)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            await asyncio.get_running_loop().sock_connect(sock, address)
            return await asyncio.open_connection(sock=sock)
    except BaseException:
        sock.close()
        raise


def _origin_form(head: bytes, target: CheckedURL) -> bytes:
    """The request in the form that the site expects, for one response only."""
    method = head.split(b" ", 1)[0]
    fields = head.split(b"\r\n", 1)[1]
    line = method + b" " + target.target.encode("ascii", "replace") + b" HTTP/1.1\r\n"
    return line + b"Connection: close\r\n" + _HOP_BY_HOP.sub(b"", fields)


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def _relay(
    near_reader: asyncio.StreamReader,
    near_writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far_writer: asyncio.StreamWriter,
) -> None:
    outward = asyncio.create_task(_copy(near_reader, far_writer))
    try:
        await _copy(far_reader, near_writer)
    finally:
        outward.cancel()
        await asyncio.gather(outward, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    left = MAX_BYTES
    while left > 0 and (data := await reader.read(min(left, 65_536))):
        left -= len(data)
        writer.write(data)
        await writer.drain()
