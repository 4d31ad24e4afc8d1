"""Hears from the database that rows were queued; says so plainly when it cannot hear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

CHANNEL = "scrapersky"
PROBE = "probe"
# Seconds for an answer to a probe, between two probes, and before a deaf connection is asked again.
PROBE_TIMEOUT = 2.0
PROBE_EVERY = 30.0
DEAF_PAUSE = 30.0


class Wakeup:
    """Keeps one listening connection; `heard` gets a stage's name, `changed` whether we hear at all.

    A connection can die without a word, and then nothing is heard: it is probed now and then.
    """

    def __init__(
        self, engine: AsyncEngine, heard: Callable[[str], None], changed: Callable[[bool], None]
    ) -> None:
        self.engine, self.heard, self.changed = engine, heard, changed
        self.hears = False
        self._probe = asyncio.Event()

    async def listen(self) -> None:
        """Listen for ever; a connection that breaks is made anew, and polling covers the time between."""
        wait = 0.1
        while True:
            try:
                await self._listen_once()
                wait = 0.1
            except (OSError, SQLAlchemyError):
                wait = min(wait * 2, 5.0)
            finally:
                self._set(False)
            await asyncio.sleep(wait)

    async def _listen_once(self) -> None:
        async with self.engine.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            ended = asyncio.Event()
            driver.add_termination_listener(lambda _: ended.set())
            await driver.add_listener(CHANNEL, self._note)
            try:
                while not await self._probe_hearing(driver):  # noqa: ASYNC110 - only a probe tells.
                    await asyncio.sleep(DEAF_PAUSE)
                self._set(True)
                while not ended.is_set() and await self._probe_hearing(driver):
                    await self._wait(ended)
            finally:
                await connection.invalidate()

    async def _probe_hearing(self, driver: Any) -> bool:
        """Notify ourselves: behind a transaction pooler LISTEN succeeds and then hears nothing."""
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
            self.heard(payload)

    def _set(self, hears: bool) -> None:
        if hears != self.hears:
            self.hears = hears
            self.changed(hears)
