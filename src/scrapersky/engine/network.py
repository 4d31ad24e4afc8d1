"""Distinguishes an outage of our own network from failing hosts: failures across many hosts, then a probe.

A list of dead domains fails across many hosts too, but the probe succeeds, so nothing is paused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

Probe = Callable[[], Awaitable[bool]]
OnChange = Callable[[bool], Awaitable[None]]
# Seconds for which a probe's answer holds, and between two probes while the network is unavailable.
PROBE_HOLDS = 15.0
PROBE_AGAIN = 5.0
# A lasting outage is reported again from time to time, so that its alert does not look like an old one.
REPEAT_AFTER = 300.0


class NetworkMonitor:
    """Without a probe every failure is the host's."""

    def __init__(self, probe: Probe | None = None, *, failures: int = 5) -> None:
        self._probe, self._failures = probe, failures
        self.is_away = False
        # Called with whether the network is available; set by the worker.
        self.on_change: OnChange | None = None
        self._hosts: set[Any] = set()
        self._probed_at = -PROBE_HOLDS
        self._probing = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None

    def succeeded(self) -> None:
        """A host answered, so the network is available."""
        self._hosts.clear()

    async def is_ours(self, error: Exception, host: Any, *, is_last_try: bool) -> bool:
        """Whether this failure is our own network's.

        Asked after failures of several different hosts with no success between them, and before a row would
        become a dead letter: only then is the probe worth its connection.
        """
        if self._probe is None or not getattr(error, "is_network", False):
            if self._probe is not None:
                self.succeeded()
            return False
        self._hosts.add(host)
        if not self.is_away and (is_last_try or len(self._hosts) >= self._failures):
            await self._ask()
        return self.is_away

    async def _ask(self) -> None:
        async with self._probing:
            if self.is_away or self._probe is None or monotonic() - self._probed_at < PROBE_HOLDS:
                return
            is_there = await self._probe()
            self._probed_at = monotonic()
            if is_there:
                self._hosts.clear()
                return
            self.is_away = True
            self._watching = asyncio.create_task(self._wait_for_return())
        if self.on_change:
            await self.on_change(False)

    async def _wait_for_return(self) -> None:
        try:
            await self._probe_again()
        finally:
            # Also when the probe is broken: then nobody would ever end the pause.
            self._hosts.clear()
            self._probed_at = monotonic()
            self.is_away = False
        if self.on_change:
            await self.on_change(True)

    async def _probe_again(self) -> None:
        reported_at = monotonic()
        while self._probe is not None:
            if await self._probe():
                break
            if self.on_change and monotonic() - reported_at > REPEAT_AFTER:
                reported_at = monotonic()
                await self.on_change(False)
            await asyncio.sleep(PROBE_AGAIN)

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
