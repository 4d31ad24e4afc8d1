"""Loopback servers that each fail in one way, in a thread of their own, and the settings that lead there."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager

import trustme

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter, bytes, int], Awaitable[None]]


def sends(data: bytes, *, robots: bytes | None = None) -> Answer:
    """Answers every request with these bytes and hangs up; `robots` is the answer for robots.txt."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, number: int
    ) -> None:
        is_robots = head.startswith(b"GET /robots.txt")
        writer.write(robots if is_robots and robots is not None else data)
        await writer.drain()

    return answer


def page(body: str, *, status: str = "200 OK", kind: str = "text/html; charset=utf-8") -> bytes:
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close"
    return f"{head}\r\n\r\n".encode() + data


NO_ROBOTS = page("none", status="404 Not Found")


async def hangs(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, number: int) -> None:
    await asyncio.sleep(3600)


class BrokenHosts:
    """`hosts` are names with their answers; None is a closed port."""

    def __init__(self, hosts: Mapping[str, Answer | None], *, tls: tuple[str, ...] = ()) -> None:
        self.hosts, self.tls = hosts, tls
        self.ports: dict[str, int] = {}
        self._servers: list[asyncio.Server] = []
        self.asked: dict[str, list[str]] = {name: [] for name in hosts}

    def environment(self) -> dict[str, str]:
        """Settings under which each name leads to its server, for http and https alike."""
        detours = []
        for name, port in self.ports.items():
            detours += [f"{name}:{scheme}:127.0.0.1:{port}" for scheme in (80, 443)]
        return {
            "EGRESS_ALLOW": ",".join(f"127.0.0.1:{port}" for port in self.ports.values()),
            "CONNECT_TO": ",".join(detours),
            "HOST_DELAY_MILLISECONDS": "10",
            "RETRY_BASE_SECONDS": "1",
            "FETCH_TIMEOUT_SECONDS": "3",
            "FETCH_CONNECT_TIMEOUT_SECONDS": "2",
            "FETCH_FIRST_BYTE_TIMEOUT_SECONDS": "2",
            "PARSER_PROCESSES": "1",
        }

    async def _start(self) -> None:
        for name, answer in self.hosts.items():
            if answer is None:
                with socket.socket() as nobody:
                    nobody.bind(("127.0.0.1", 0))
                    self.ports[name] = nobody.getsockname()[1]
                continue
            context = None
            if name in self.tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                trustme.CA().issue_cert(name).configure_cert(context)
            server = await asyncio.start_server(self._serving(name, answer), "127.0.0.1", 0, ssl=context)
            self.ports[name] = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    def _serving(self, name: str, answer: Answer) -> Callable[..., Awaitable[None]]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                self.asked[name].append(head.split(b" ")[1].decode())
                await answer(reader, writer, head, len(self.asked[name]))
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                writer.close()

        return serve

    @contextmanager
    def running(self) -> Iterator[BrokenHosts]:
        loop, ready = asyncio.new_event_loop(), threading.Event()

        async def main() -> None:
            await self._start()
            ready.set()

        def run() -> None:
            loop.run_until_complete(main())
            loop.run_forever()
            for server in self._servers:
                server.close()
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(asyncio.sleep(0.1))
            loop.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        assert ready.wait(10)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)


def site(pages: Mapping[str, bytes], *, drops: int = 0) -> Answer:
    """Answers these paths and 404 for all others; the first connections are dropped without an answer."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, number: int
    ) -> None:
        if number > drops:
            writer.write(pages.get(head.split(b" ")[1].decode(), NO_ROBOTS))
            await writer.drain()

    return answer
