"""Who takes the mail of a domain: MX, null MX, or the domain's own address; asked once and remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Literal

import aiodns
from aiodns import error as ares

from scrapersky.fetch.limits import FetchOptions

State = Literal["mx", "null_mx", "address_only", "none", "no_domain", "failed", "unreachable"]

KEEP_SECONDS = 3_600.0
KEEP_UNREACHABLE_SECONDS = 30.0
REMEMBERED = 20_000
# After so many silent questions in a row the machine is taken to have no DNS for a while.
SILENT_BEFORE_REST = 3
_STATES: dict[Any, State] = {
    ares.ARES_ENODATA: "none",
    ares.ARES_ENOTFOUND: "no_domain",
    ares.ARES_ETIMEOUT: "unreachable",
    ares.ARES_ECONNREFUSED: "unreachable",
}
_LAB_PORTS = (25, 80, 443)


@dataclass(frozen=True, slots=True)
class MailServers:
    """What DNS says about a domain's mail; `hosts` are the mail servers, best first."""

    state: State
    hosts: tuple[str, ...] = ()


UNREACHABLE = MailServers("unreachable")


class MXLookup:
    """Asks the fetcher's name servers within the fetcher's time limit; names led elsewhere are not asked."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        self._dns: aiodns.DNSResolver | None = None
        self._known: OrderedDict[str, tuple[float, MailServers]] = OrderedDict()
        self._asked: dict[str, asyncio.Task[MailServers]] = {}
        self._silent = 0
        self._rest_until = 0.0

    async def exchange(self, domain: str) -> MailServers:
        """The answer for a domain in ASCII form; never raises."""
        name = domain.rstrip(".").lower()
        if self._is_led_elsewhere(name):
            return UNREACHABLE
        now = asyncio.get_running_loop().time()
        until, answer = self._known.get(name, (0.0, UNREACHABLE))
        if until > now:
            return answer
        if self._rest_until > now:
            return UNREACHABLE
        if name not in self._asked:
            self._asked[name] = asyncio.create_task(self._ask(name))
        return await asyncio.shield(self._asked[name])

    def _is_led_elsewhere(self, name: str) -> bool:
        """Invented names of a laboratory are nobody else's business."""
        return any(self._options.connect_to.target(name, port) != (name, port) for port in _LAB_PORTS)

    async def _ask(self, name: str) -> MailServers:
        try:
            async with asyncio.timeout(self._options.dns_seconds):
                answer = await self._look_up(name)
        except TimeoutError:
            answer = UNREACHABLE
        finally:
            self._asked.pop(name, None)
        self._remember(name, answer)
        return answer

    async def _look_up(self, name: str) -> MailServers:
        try:
            records = await self._query(name, "MX")
        except ares.DNSError as why:
            state = _state(why)
            return await self._address(name) if state == "none" else MailServers(state)
        found = sorted((one.data.priority, one.data.exchange.rstrip(".")) for one in records)
        if not found:
            return await self._address(name)
        hosts = tuple(host for _, host in found if host)
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
        wanted = aiodns.query_type_map[kind]
        return [one for one in result.answer if one.type == wanted]

    def _remember(self, name: str, answer: MailServers) -> None:
        now = asyncio.get_running_loop().time()
        is_silent = answer.state in ("failed", "unreachable")
        self._silent = self._silent + 1 if answer.state == "unreachable" else 0
        if self._silent >= SILENT_BEFORE_REST:
            self._rest_until, self._silent = now + KEEP_UNREACHABLE_SECONDS, 0
        self._known[name] = (now + (KEEP_UNREACHABLE_SECONDS if is_silent else KEEP_SECONDS), answer)
        self._known.move_to_end(name)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)

    async def close(self) -> None:
        if self._dns is not None:
            await self._dns.close()
            self._dns = None


def _state(why: ares.DNSError) -> State:
    return _STATES.get(why.args[0] if why.args else None, "failed")
