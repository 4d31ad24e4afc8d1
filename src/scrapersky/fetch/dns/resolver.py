"""Resolves host names within a time limit; the SSRF check judges the addresses."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address

import aiodns
from aiodns import error as ares
from aiohttp.abc import AbstractResolver, ResolveResult

from scrapersky.fetch.egress.test_overrides import ConnectTo

# More addresses than this are not tried.
MAX_ADDRESSES = 16

_FAILURE_CLASSES = {
    ares.ARES_ENOTFOUND: "dns_not_found",
    ares.ARES_ENODATA: "dns_no_address",
    ares.ARES_ESERVFAIL: "dns_server_failed",
    ares.ARES_EREFUSED: "dns_server_failed",
    ares.ARES_ENOTIMP: "dns_server_failed",
    ares.ARES_ECONNREFUSED: "dns_server_failed",
    ares.ARES_ETIMEOUT: "dns_timeout",
}


class ResolveFailed(OSError):
    """The name could not be resolved."""

    def __init__(self, failure_class: str) -> None:
        super().__init__(failure_class)
        self.failure_class = failure_class


class Resolver(AbstractResolver):
    """The resolver for aiohttp, with a time limit and CONNECT_TO; c-ares caches for the time to live."""

    def __init__(self, *, connect_to: ConnectTo, seconds: float, name_servers: tuple[str, ...] = ()) -> None:
        self._connect_to = connect_to
        self._seconds = seconds
        tries = 2
        self._dns = aiodns.DNSResolver(
            nameservers=list(name_servers) or None,
            timeout=seconds / (tries + 1),
            tries=tries,
            ndots=1,
            domains=[],
        )

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        to_host, to_port = self._connect_to.target(host, port)
        addresses = [to_host] if _is_address(to_host) else await self._addresses(to_host, family)
        if not addresses:
            raise ResolveFailed("dns_no_address")
        return [_result(host, address, to_port) for address in addresses[:MAX_ADDRESSES]]

    async def _addresses(self, host: str, family: socket.AddressFamily) -> list[str]:
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._dns.getaddrinfo(host, family=family, type=socket.SOCK_STREAM)
        except TimeoutError:
            raise ResolveFailed("dns_timeout") from None
        except (ares.DNSError, UnicodeError) as why:
            code = why.args[0] if why.args else None
            raise ResolveFailed(_FAILURE_CLASSES.get(code, "dns_failed")) from None
        addresses = (
            str(node.addr[0], "ascii") if isinstance(node.addr[0], bytes) else node.addr[0]
            for node in answer.nodes
        )
        return list(dict.fromkeys(addresses))

    async def close(self) -> None:
        await self._dns.close()


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _result(name: str, address: str, port: int) -> ResolveResult:
    return ResolveResult(
        hostname=name,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )
