"""Checks our own network: resolves a name and connects, without sending anything."""

from __future__ import annotations

import asyncio

from scrapersky.fetch.http.connector import ConnectScope, SocketFactory, make_resolver
from scrapersky.fetch.limits import FetchOptions

PROBE_SECONDS = 5.0


class NetworkProbe:
    """`hosts` are names with ports of well-known sites; one that can be connected to is enough."""

    def __init__(self, hosts: tuple[tuple[str, int], ...], options: FetchOptions) -> None:
        self._hosts, self._options = hosts, options

    async def __call__(self) -> bool:
        attempts = [asyncio.create_task(self._can_reach(host, port)) for host, port in self._hosts]
        try:
            for attempt in asyncio.as_completed(attempts):
                if await attempt:
                    return True
            return False
        finally:
            for task in attempts:
                task.cancel()
            await asyncio.gather(*attempts, return_exceptions=True)

    async def _can_reach(self, host: str, port: int) -> bool:
        resolver = make_resolver(self._options)
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                for address in (await resolver.resolve(host, port))[:2]:
                    if await self._can_connect(host, address["host"], address["port"]):
                        return True
        except (OSError, TimeoutError):
            return False
        finally:
            await resolver.close()
        return False

    async def _can_connect(self, name: str, address: str, port: int) -> bool:
        with ConnectScope(name):
            SocketFactory(self._options).check(address, port)
        try:
            _, writer = await asyncio.open_connection(address, port)
        except OSError:
            return False
        writer.close()
        return True


def parse_probe_hosts(text: str) -> tuple[tuple[str, int], ...]:
    """Entries `HOST` or `HOST:PORT`, separated by commas; the default port is 443."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    parts = [entry.partition(":") for entry in entries]
    return tuple((host, int(port or 443)) for host, _, port in parts)
