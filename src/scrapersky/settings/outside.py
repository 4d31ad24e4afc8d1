"""Settings of alerts: who is told of trouble, and how."""

from __future__ import annotations

from typing import Literal

from scrapersky.settings.setting import Group, Secret, ShortText, setting


class AlertSettings(Group):
    """Who is told of trouble"""

    alert_webhook_url: Secret = setting(
        None, "Address that gets each alert as JSON, when it is raised and when it is over."
    )
    alert_slack_url: Secret = setting(None, "Incoming webhook of Slack.")
    alert_email_to: ShortText = setting("", "Addresses that get each alert, with commas.")
    alert_email_from: ShortText = setting("", "Sender of alert mails.")
    alert_smtp_host: ShortText = setting("", "Mail server for alerts.")
    alert_smtp_port: int = setting(587, "Port of the mail server.", ge=1, le=65_535)
    alert_smtp_user: ShortText = setting("", "User of the mail server.")
    alert_smtp_password: Secret = setting(None, "Password of the mail server.")
    alert_smtp_security: Literal["starttls", "tls", "none"] = setting(
        "starttls", "How the mail server is reached."
    )
    alert_quiet_minutes: int = setting(
        60, "A failure that did not come again for so long is over.", ge=1, le=10_080
    )
    alert_timeout_seconds: int = setting(
        10, "Longest wait for a channel; a slow one delays nothing.", ge=1, le=60
    )
