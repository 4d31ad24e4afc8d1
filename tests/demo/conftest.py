"""The demo world and its truth, made once, and a small client that speaks to its server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

import pytest

from scrapersky_demo import DemoServer, Truth, World, serve_world


class Reply(NamedTuple):
    """One answer as read from the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


@pytest.fixture(scope="session")
def world() -> World:
    return World(seed=1, size=200, huge_urls=500)


@pytest.fixture(scope="session")
def truth(world: World) -> Truth:
    return world.truth()


@pytest.fixture
async def server(world: World) -> AsyncIterator[DemoServer]:
    async with serve_world(world) as running:
        yield running


@pytest.fixture
def domain_with(world: World) -> Callable[..., str]:
    def find(**wanted: str) -> str:
        plans = (world.plan(domain) for domain in world.domains())
        wanted.setdefault("fate", "well")
        return next(
            plan.host
            for plan in plans
            if all(getattr(plan, name) == value for name, value in wanted.items())
            and (plan.robots not in ("error", "closed") or "robots" in wanted)
        )

    return find


@pytest.fixture
async def ask(server: DemoServer) -> AsyncIterator[Callable[..., Awaitable[Reply]]]:
    """Asks over one kept connection; `method` and header names are keywords with underscores."""
    reader, writer = await asyncio.open_connection(server.host, server.port)

    async def send(host: str, target: str = "/", *, method: str = "GET", **headers: str) -> Reply:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in rest)
        status = int(first.split(" ")[1])
        length = 0 if method == "HEAD" or status == 304 else int(fields["content-length"])
        return Reply(status, fields, await reader.readexactly(length))

    yield send
    writer.close()
