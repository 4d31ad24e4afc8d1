"""The settings of a running process: those that it started with, and what people edited since."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.log import Report
from scrapersky.queries.installation.setting_overrides import SettingQuery, StoredSetting
from scrapersky.settings import Settings, is_secret

Apply = Callable[[Settings], Awaitable[None]]


class LiveSettings:
    """Reads the edited settings again and again; those who subscribe are called when some changed.

    Whoever needs a value reads `current`, which is replaced as a whole.
    """

    def __init__(self, settings: Settings, engine: AsyncEngine, report: Report) -> None:
        self.current = settings
        self._query, self._report = SettingQuery(engine, settings), report
        self._stored: list[StoredSetting] = []
        self._subscribers: list[Apply] = []

    def subscribe(self, apply: Apply) -> None:
        """Call `apply` with the settings whenever they change."""
        self._subscribers.append(apply)

    async def refresh(self) -> None:
        stored = await self._query.stored()
        if stored == self._stored:
            return
        before = self.current
        self.current, problems = self._query.apply(stored)
        for apply in self._subscribers:
            await apply(self.current)
        # Remembered last: what could not be applied is tried again.
        self._stored = stored
        self._report([{"event": "setting_ignored", "level": "error", "error": line} for line in problems])
        if changes := _changes(before, self.current):
            self._report([{"event": "settings_changed", "settings": changes}])


def _changes(before: Settings, after: Settings) -> dict[str, str]:
    return {
        name.upper(): "***" if is_secret(name) else str(getattr(after, name))
        for name in Settings.model_fields
        if getattr(before, name) != getattr(after, name)
    }
