"""Wakes runners: by notifications that rows were queued, and by timers at known moments."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import asyncpg
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

CHANNEL = "scrapersky"
PROBE = "probe"
# Seconds: for the answer to a probe, between two probes, and until a probe without answer is repeated.
PROBE_TIMEOUT = 2.0
PROBE_EVERY = 30.0
UNANSWERED_PAUSE = 30.0
# Seconds; timers that end in the same step are one. A look at the queue costs about a millisecond.
TIMER_STEP = 0.02


class Timers:
    """Calls `wake` at known moments."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._moments: set[float] = set()

    def wake_after(self, wait: timedelta) -> None:
        loop = asyncio.get_running_loop()
        at = math.ceil((loop.time() + wait.total_seconds()) / TIMER_STEP) * TIMER_STEP
        if at not in self._moments:
            self._moments.add(at)
            loop.call_at(at, self._end, at)

    def _end(self, at: float) -> None:
        self._moments.discard(at)
        self._wake()


class Listener:
    """Keeps one listening connection and calls `on_queued` with the name of a stage that has new rows.

    A connection can die silently, so it is probed from time to time; `on_change` is called when that changes.
    """

    def __init__(
        self, engine: AsyncEngine, on_queued: Callable[[str], None], on_change: Callable[[bool], None]
    ) -> None:
        self.engine, self.on_queued, self.on_change = engine, on_queued, on_change
        self.is_listening = False
        self._probe = asyncio.Event()

    async def listen_forever(self) -> None:
        """Listen; a broken connection is replaced, and polling covers the time between."""
        wait = 0.1
        while True:
            try:
                await self._listen_once()
                wait = 0.1
            except (OSError, SQLAlchemyError, asyncpg.InterfaceError, asyncpg.PostgresError):
                wait = min(wait * 2, 5.0)
            finally:
                self._set_listening(False)
            await asyncio.sleep(wait)

    async def _listen_once(self) -> None:
        async with self.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            ended = asyncio.Event()
            driver.add_termination_listener(lambda _: ended.set())
            await driver.add_listener(CHANNEL, self._note)
            try:
                while not await self._answers_probe(driver):  # noqa: ASYNC110 - only a probe shows it.
                    await asyncio.sleep(UNANSWERED_PAUSE)
                self._set_listening(True)
                while not ended.is_set() and await self._answers_probe(driver):
                    await self._wait(ended)
            finally:
                await connection.invalidate()

    async def _answers_probe(self, driver: Any) -> bool:
        """Notify ourselves: behind a transaction pooler LISTEN succeeds, but no notification arrives."""
        self._probe.clear()
        try:
            # Python 3.11's wait_for forgets that it was cancelled when the probe comes at that moment.
            async with asyncio.timeout(PROBE_TIMEOUT):
                await driver.execute(f"SELECT pg_notify('{CHANNEL}', '{PROBE}')")
                await self._probe.wait()
        except TimeoutError:
            return False
        return True

    async def _wait(self, ended: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(PROBE_EVERY):
                await ended.wait()
        except TimeoutError:
            return

    def _note(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        if payload == PROBE:
            self._probe.set()
        else:
            self.on_queued(payload)

    def _set_listening(self, is_listening: bool) -> None:
        if is_listening != self.is_listening:
            self.is_listening = is_listening
            self.on_change(is_listening)
