"""Looks up the mail servers of a domain: MX, null MX, or the domain's own address (RFC 5321)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

import aiodns
from aiodns import error as ares
from cachetools import TLRUCache

from scrapersky.fetch.limits import FetchOptions

State = Literal["mx", "null_mx", "address_only", "none", "no_domain", "failed", "unreachable"]

CACHE_SECONDS = 3_600.0
FAILURE_CACHE_SECONDS = 30.0
CACHE_SIZE = 20_000
# After so many timeouts in a row DNS is taken to be unavailable for a while.
TIMEOUTS_BEFORE_PAUSE = 3
_STATES: dict[Any, State] = {
    ares.ARES_ENODATA: "none",
    ares.ARES_ENOTFOUND: "no_domain",
    ares.ARES_ETIMEOUT: "unreachable",
    ares.ARES_ECONNREFUSED: "unreachable",
}
_MAPPED_PORTS = (25, 80, 443)


@dataclass(frozen=True, slots=True)
class MailServers:
    """What DNS says about a domain's mail; `hosts` are the mail servers, best first."""

    state: State
    hosts: tuple[str, ...] = ()


UNREACHABLE = MailServers("unreachable")


class MXLookup:
    """Uses the fetcher's name servers and time limit; names that CONNECT_TO redirects are not looked up."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        self._dns: aiodns.DNSResolver | None = None
        self._cache: TLRUCache[str, MailServers] = TLRUCache(CACHE_SIZE, _expires_at)
        self._running: dict[str, asyncio.Task[MailServers]] = {}
        self._timeouts = 0
        self._paused_until = 0.0

    async def lookup(self, domain: str) -> MailServers:
        """The mail servers of a domain in ASCII form; never raises."""
        name = domain.rstrip(".").lower()
        if self._is_redirected(name):
            return UNREACHABLE
        if known := self._cache.get(name):
            return known
        if self._paused_until > monotonic():
            return UNREACHABLE
        if name not in self._running:
            self._running[name] = asyncio.create_task(self._run(name))
        return await asyncio.shield(self._running[name])

    def _is_redirected(self, name: str) -> bool:
        """Names of a test setup must not reach real name servers."""
        return any(self._options.connect_to.target(name, port) != (name, port) for port in _MAPPED_PORTS)

    async def _run(self, name: str) -> MailServers:
        try:
            async with asyncio.timeout(self._options.dns_seconds):
                servers = await self._look_up(name)
        except TimeoutError:
            servers = UNREACHABLE
        finally:
            self._running.pop(name, None)
        self._cache[name] = servers
        self._count_timeout(servers)
        return servers

    async def _look_up(self, name: str) -> MailServers:
        try:
            records = await self._query(name, "MX")
        except ares.DNSError as why:
            state = _state(why)
            return await self._address(name) if state == "none" else MailServers(state)
        servers = sorted((record.data.priority, record.data.exchange.rstrip(".")) for record in records)
        if not servers:
            return await self._address(name)
        hosts = tuple(host for _, host in servers if host)
        return MailServers("mx", hosts) if hosts else MailServers("null_mx")

    async def _address(self, name: str) -> MailServers:
        """Without MX, mail goes to the domain's own address (RFC 5321), if it has one."""
        worst: State = "none"
        for kind in ("A", "AAAA"):
            try:
                if await self._query(name, kind):
                    return MailServers("address_only", (name,))
            except ares.DNSError as why:
                state = _state(why)
                worst = state if state in ("failed", "unreachable") else worst
        return MailServers(worst)

    async def _query(self, name: str, kind: str) -> list[Any]:
        if self._dns is None:
            servers = list(self._options.name_servers) or None
            seconds = self._options.dns_seconds / 3
            self._dns = aiodns.DNSResolver(nameservers=servers, timeout=seconds, tries=2, domains=[])
        result = await self._dns.query_dns(name, kind)
        record_type = aiodns.query_type_map[kind]
        return [record for record in result.answer if record.type == record_type]

    def _count_timeout(self, servers: MailServers) -> None:
        self._timeouts = self._timeouts + 1 if servers.state == "unreachable" else 0
        if self._timeouts >= TIMEOUTS_BEFORE_PAUSE:
            self._paused_until, self._timeouts = monotonic() + FAILURE_CACHE_SECONDS, 0

    async def close(self) -> None:
        if self._dns is not None:
            await self._dns.close()
            self._dns = None


def _state(why: ares.DNSError) -> State:
    return _STATES.get(why.args[0] if why.args else None, "failed")


def _expires_at(name: str, servers: MailServers, now: float) -> float:
    is_failure = servers.state in ("failed", "unreachable")
    return now + (FAILURE_CACHE_SECONDS if is_failure else CACHE_SECONDS)
