"""The protocol of an alert channel, and the message that it sends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scrapersky.log import redact


class ChannelFailed(Exception):
    """Why an alert could not be sent; without the channel's address, which is often a secret."""


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
        return " ".join(redact(line).split())[:200]

    @property
    def text(self) -> str:
        lines = [self.headline, redact(self.message), f"since {self.since:%Y-%m-%d %H:%M:%S} UTC"]
        if self.resolved_at is not None:
            lines.append(f"resolved {self.resolved_at:%Y-%m-%d %H:%M:%S} UTC")
        return "\n".join(lines)


class Channel(Protocol):
    """Sends alerts. It may raise; the caller limits its time and logs the failure."""

    @property
    def name(self) -> str: ...

    async def send(self, alert: AlertMessage) -> None: ...
