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
    """An alert that was raised (`open`), or that is `resolved`."""

    state: str
    kind: str
    subject: str
    severity: str
    message: str
    occurrences: int
    since: datetime
    resolved_at: datetime | None = None

    @property
    def headline(self) -> str:
        """One line, whatever the subject holds."""
        label = self.severity if self.state == "open" else self.state
        line = f"ScraperSky {label}: {self.kind} {self.subject}"
        return " ".join(redacted(line).split())[:200]

    @property
    def text(self) -> str:
        lines = [self.headline, redacted(self.message), f"since {self.since:%Y-%m-%d %H:%M:%S} UTC"]
        if self.resolved_at is not None:
            lines.append(f"resolved {self.resolved_at:%Y-%m-%d %H:%M:%S} UTC")
        return "\n".join(lines)


class Channel(Protocol):
    """One way to tell people. It may fail by raising; whoever calls bounds its time and logs the failure."""

    @property
    def name(self) -> str: ...

    async def send(self, alert: AlertMessage) -> None: ...
