"""What is told of an alert, and what a channel that tells it must be able to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scrapersky.log import redacted


class ChannelFailed(Exception):
    """Why a channel took no alert; never with its address, which is a secret for most of them."""


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """An alert that was raised (`open`), or that is `over`."""

    state: str
    kind: str
    subject: str
    severity: str
    message: str
    times: int
    since: datetime
    over_at: datetime | None = None

    @property
    def headline(self) -> str:
        """One line, whatever the subject holds."""
        line = f"ScraperSky {'over' if self.state == 'over' else self.severity}: {self.kind} {self.subject}"
        return " ".join(redacted(line).split())[:200]

    @property
    def text(self) -> str:
        lines = [self.headline, redacted(self.message), f"since {self.since:%Y-%m-%d %H:%M:%S} UTC"]
        if self.over_at is not None:
            lines.append(f"over {self.over_at:%Y-%m-%d %H:%M:%S} UTC")
        return "\n".join(lines)


class Channel(Protocol):
    """One way to tell people. It may fail by raising; whoever calls bounds its time and logs the failure."""

    @property
    def name(self) -> str: ...

    async def send(self, news: AlertMessage) -> None: ...
