"""Settings of other people's services: where places come from, where contacts go, who is told of trouble."""

from __future__ import annotations

from typing import Literal

from scrapersky.settings.setting import Group, Secret, ShortText, setting


class SourceSettings(Group):
    """Where places come from"""

    google_maps_api_key: Secret = setting(None, "Key of Google Places; without it other sources are used.")
    google_places_daily_requests: int = setting(
        1_000, "Requests to Google Places in a day.", ge=0, le=10_000_000
    )
    google_places_cache_days: int = setting(
        30, "How long fields of Google may be kept by its terms.", ge=1, le=30
    )
    place_search_results: int = setting(60, "Places taken from one search.", ge=1, le=100_000)


class DestinationSettings(Group):
    """Where contacts go"""

    debounce_api_key: Secret = setting(
        None, "Key of DeBounce; without it addresses are checked by ourselves only."
    )
    debounce_at_once: int = setting(5, "Requests to DeBounce at the same time.", ge=1, le=50)
    brevo_api_key: Secret = setting(None, "Key of Brevo.")
    brevo_list_id: ShortText = setting("", "List of Brevo that contacts join.")
    hubspot_api_key: Secret = setting(None, "Token of a private app of HubSpot.")
    n8n_webhook_url: ShortText = setting("", "Address of the n8n webhook that contacts are sent to.")
    n8n_webhook_secret: Secret = setting(None, "Bearer secret of the n8n webhook.")
    delivery_timeout_seconds: int = setting(30, "Longest wait for a destination's answer.", ge=1, le=300)


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
