"""The channels over which alerts leave: any webhook, Slack, e-mail.

These go to addresses that the operator wrote into the settings, and those may be inside: a chat server or a
mail relay on the same network. So they do not pass the guarded door, which is for the hosts of strangers.
"""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any

import aiohttp

from scrapersky.fetch.alert_message import AlertMessage, ChannelFailed
from scrapersky.log import redacted


@dataclass(frozen=True, slots=True)
class Webhook:
    """Posts each alert as JSON."""

    url: str = field(repr=False)
    name: str = "webhook"

    async def send(self, news: AlertMessage) -> None:
        await _post(self.url, self.body(news))

    def body(self, news: AlertMessage) -> dict[str, Any]:
        return {
            "event": "alert",
            "state": news.state,
            "kind": news.kind,
            "subject": news.subject,
            "severity": news.severity,
            "message": redacted(news.message),
            "times": news.times,
            "since": news.since.isoformat(),
            "over_at": news.over_at.isoformat() if news.over_at else None,
        }


@dataclass(frozen=True, slots=True)
class Slack(Webhook):
    """Posts to an incoming webhook of Slack, or of a chat that speaks its format."""

    name: str = "slack"

    def body(self, news: AlertMessage) -> dict[str, Any]:
        # Slack wants these three written so; without it strangers' text could mention people.
        text = news.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return {"text": text}


async def _post(url: str, body: dict[str, Any]) -> None:
    try:
        # A webhook that moved is a wrong setting: what is ours goes nowhere else.
        async with (
            aiohttp.ClientSession(trust_env=False) as session,
            session.post(url, json=body, allow_redirects=False) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise ChannelFailed(type(error).__name__) from None
    if not 200 <= status < 300:
        raise ChannelFailed(f"HTTP {status}")


@dataclass(frozen=True, slots=True)
class Mail:
    """Sends each alert as a plain mail; the standard library's client runs in a thread."""

    host: str
    port: int
    sender: str
    to: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    security: str = "starttls"
    seconds: float = 10.0
    name: str = "email"

    async def send(self, news: AlertMessage) -> None:
        context = ssl.create_default_context()
        server = (
            smtplib.SMTP_SSL(timeout=self.seconds, context=context)
            if self.security == "tls"
            else smtplib.SMTP(timeout=self.seconds)
        )
        try:
            await asyncio.to_thread(self._deliver, server, context, self._message(news))
        except smtplib.SMTPResponseException as error:
            raise ChannelFailed(f"{type(error).__name__} {error.smtp_code}") from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise ChannelFailed(type(error).__name__) from None
        finally:
            # Whoever gave up waiting left the thread in the middle of a conversation.
            _hang_up(server)

    def _deliver(self, server: smtplib.SMTP, context: ssl.SSLContext, message: EmailMessage) -> None:
        server.connect(self.host, self.port)
        if self.security == "starttls":
            server.starttls(context=context)
        if self.user:
            server.login(self.user, self.password)
        server.send_message(message)
        server.quit()

    def _message(self, news: AlertMessage) -> EmailMessage:
        message = EmailMessage()
        message["Subject"] = news.headline
        message["From"] = self.sender
        message["To"] = ", ".join(self.to)
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain="scrapersky.invalid")
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(news.text)
        return message


def _hang_up(server: smtplib.SMTP) -> None:
    connected = server.sock
    if connected is not None:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)
