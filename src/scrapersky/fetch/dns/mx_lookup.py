"""Looks up the mail servers of a domain: MX, null MX, or the domain's own address (RFC 5321)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Literal

import aiodns
from aiodns import error as ares
from cachetools import TLRUCache

from scrapersky.fetch.limits import FetchOptions

State = Literal["mx", "null_mx", "address_only", "no_mail", "none", "no_domain", "failed", "unreachable"]

# An answer is kept as long as its records say, within these bounds; one without records a while.
MIN_CACHE_SECONDS, MAX_CACHE_SECONDS = 60.0, 86_400.0
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
# The SPF record of a domain that sends no mail at all (RFC 7208).
_SENDS_NO_MAIL = re.compile(rb"v=spf1\s+-all\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailServers:
    """What DNS says about a domain's mail; `hosts` are the mail servers, best first.

    `address_only` has no MX record, so that mail would go to its web server; `no_mail` is the same, and its
    SPF record says that it sends none.
    """

    state: State
    hosts: tuple[str, ...] = ()
    seconds: float = field(default=CACHE_SECONDS, compare=False)


UNREACHABLE = MailServers("unreachable")


class MXLookup:
    """Uses the fetcher's name servers and time limit; names that CONNECT_TO redirects are not looked up."""

    def __init__(self, options: FetchOptions, *, clock: Callable[[], float] = monotonic) -> None:
        self._options, self._clock = options, clock
        self._dns: aiodns.DNSResolver | None = None
        self._cache: TLRUCache[str, MailServers] = TLRUCache(CACHE_SIZE, _expires_at, timer=clock)
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
        if self._paused_until > self._clock():
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
        return MailServers("mx" if hosts else "null_mx", hosts, _cache_seconds(records))

    async def _address(self, name: str) -> MailServers:
        """Without MX, mail goes to the domain's own address (RFC 5321), if it has one."""
        worst: State = "none"
        for kind in ("A", "AAAA"):
            try:
                if records := await self._query(name, kind):
                    state: State = "no_mail" if await self._sends_no_mail(name) else "address_only"
                    return MailServers(state, (name,), _cache_seconds(records))
            except ares.DNSError as why:
                failure = _state(why)
                worst = failure if failure in ("failed", "unreachable") else worst
        return MailServers(worst)

    async def _sends_no_mail(self, name: str) -> bool:
        try:
            records = await self._query(name, "TXT")
        except ares.DNSError:
            return False
        return any(_SENDS_NO_MAIL.fullmatch(record.data.data) for record in records)

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
            self._paused_until, self._timeouts = self._clock() + FAILURE_CACHE_SECONDS, 0

    async def close(self) -> None:
        if self._dns is not None:
            await self._dns.close()
            self._dns = None


def _state(why: ares.DNSError) -> State:
    return _STATES.get(why.args[0] if why.args else None, "failed")


def _cache_seconds(records: list[Any]) -> float:
    shortest = float(min(record.ttl for record in records))
    return min(max(shortest, MIN_CACHE_SECONDS), MAX_CACHE_SECONDS)


def _expires_at(name: str, servers: MailServers, now: float) -> float:
    is_failure = servers.state in ("failed", "unreachable")
    return now + (FAILURE_CACHE_SECONDS if is_failure else servers.seconds)
