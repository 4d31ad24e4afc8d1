"""Settings of alerts: where they are sent, and when they are resolved."""

from __future__ import annotations

from typing import Literal

from scrapersky.settings.field import Group, Secret, ShortText, setting


class AlertSettings(Group):
    """Alerts"""

    # The mail server is not editable: a stored password must not be sent to a server that a request names.

    alert_webhook_url: Secret = setting(
        None,
        "URL that receives each alert as JSON, when it is raised and when it is resolved.",
        editable=True,
    )
    alert_slack_url: Secret = setting(None, "Slack incoming webhook.", editable=True)
    alert_email_to: ShortText = setting(
        "", "Recipients of alert e-mails, separated by commas.", editable=True
    )
    alert_email_from: ShortText = setting("", "Sender of alert e-mails.")
    alert_smtp_host: ShortText = setting("", "SMTP server for alerts.")
    alert_smtp_port: int = setting(587, "SMTP port.", ge=1, le=65_535)
    alert_smtp_user: ShortText = setting("", "SMTP user name.")
    alert_smtp_password: Secret = setting(None, "SMTP password.")
    alert_smtp_security: Literal["starttls", "tls", "none"] = setting("starttls", "SMTP connection security.")
    alert_resolve_after_minutes: int = setting(
        60, "An alert about a failure is resolved when it has not recurred for this long.", ge=1, le=10_080
    )
    alert_timeout_seconds: int = setting(10, "Timeout for sending an alert to one channel.", ge=1, le=60)
