"""Alerts sent as plain e-mail over SMTP."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid

from scrapersky.alert_channels.channel import AlertMessage, ChannelFailed


@dataclass(frozen=True, slots=True)
class Mail:
    """Sends each alert as a plain-text e-mail; smtplib runs in a thread."""

    host: str
    port: int
    sender: str
    to: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    security: str = "starttls"
    seconds: float = 10.0
    name: str = "email"

    async def send(self, alert: AlertMessage) -> None:
        context = ssl.create_default_context()
        server = (
            smtplib.SMTP_SSL(timeout=self.seconds, context=context)
            if self.security == "tls"
            else smtplib.SMTP(timeout=self.seconds)
        )
        try:
            await asyncio.to_thread(self._deliver, server, context, self._email(alert))
        except smtplib.SMTPResponseException as error:
            raise ChannelFailed(f"{type(error).__name__} {error.smtp_code}") from None
        except (smtplib.SMTPException, OSError, ValueError) as error:
            raise ChannelFailed(type(error).__name__) from None
        finally:
            # After a timeout the thread is still talking to the server.
            _disconnect(server)

    def _deliver(self, server: smtplib.SMTP, context: ssl.SSLContext, email: EmailMessage) -> None:
        server.connect(self.host, self.port)
        if self.security == "starttls":
            server.starttls(context=context)
        if self.user:
            server.login(self.user, self.password)
        server.send_message(email)
        server.quit()

    def _email(self, alert: AlertMessage) -> EmailMessage:
        email = EmailMessage()
        email["Subject"] = alert.headline
        email["From"] = self.sender
        email["To"] = ", ".join(self.to)
        email["Date"] = formatdate()
        email["Message-ID"] = make_msgid(domain="scrapersky.invalid")
        email["Auto-Submitted"] = "auto-generated"
        email.set_content(alert.text)
        return email


def _disconnect(server: smtplib.SMTP) -> None:
    connected = server.sock
    if connected is not None:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)
