"""Alerts posted as JSON to a webhook, or to Slack.

Webhook addresses are the operator's own settings and may be inside the network, such as a chat server. So
they do not pass the SSRF checks that protect fetches of other people's hosts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import aiohttp

from scrapersky.alert_channels.channel import AlertMessage, ChannelFailed
from scrapersky.log import redact


@dataclass(frozen=True, slots=True)
class Webhook:
    """Posts each alert as JSON."""

    url: str = field(repr=False)
    name: str = "webhook"

    async def send(self, alert: AlertMessage) -> None:
        await _post(self.url, self.body(alert))

    def body(self, alert: AlertMessage) -> dict[str, Any]:
        return {
            "event": "alert",
            "state": alert.state,
            "kind": alert.kind,
            "subject": alert.subject,
            "severity": alert.severity,
            "message": redact(alert.message),
            "occurrences": alert.occurrences,
            "since": alert.since.isoformat(),
            "resolved_at": alert.resolved_at.isoformat() if alert.resolved_at else None,
        }


@dataclass(frozen=True, slots=True)
class Slack(Webhook):
    """Posts to an incoming webhook of Slack or of a compatible chat."""

    name: str = "slack"

    def body(self, alert: AlertMessage) -> dict[str, Any]:
        # Slack requires this escaping; without it foreign text could mention people.
        text = alert.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return {"text": text}


async def _post(url: str, body: dict[str, Any]) -> None:
    try:
        # A redirect means a wrong setting: alerts are never sent to another address.
        async with (
            aiohttp.ClientSession(trust_env=False) as session,
            session.post(url, json=body, allow_redirects=False) as response,
        ):
            status = response.status
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ChannelFailed(type(error).__name__) from None
    if not 200 <= status < 300:
        raise ChannelFailed(f"HTTP {status}")
