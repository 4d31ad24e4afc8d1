"""Settings of delivery: what is left out of automatic delivery, and where the services are."""

from __future__ import annotations

from scrapersky.settings.field import Group, ShortText, setting


class DeliverySettings(Group):
    """Delivery"""

    auto_delivery_hidden: bool = setting(
        False,
        "Deliver addresses automatically that a site hides from programs, such as those behind Cloudflare.",
        editable=True,
    )
    auto_delivery_webmail: bool = setting(
        False, "Deliver addresses of mail providers automatically, such as gmail.com.", editable=True
    )
    auto_delivery_results: ShortText = setting(
        "valid",
        "Verdicts of the e-mail validation that are delivered automatically, separated by commas.",
        editable=True,
    )
    auto_delivery_min_confidence: int = setting(
        80,
        "Lowest confidence in percent that is delivered automatically, also by rules; docs/quality.md shows "
        "how many findings of each confidence are right.",
        ge=0,
        le=100,
        editable=True,
    )
    hubspot_url: ShortText = setting("https://api.hubapi.com", "Address of HubSpot's API.")
    hubspot_api_version: ShortText = setting(
        "2026-09", "Version of HubSpot's API, such as 2026-09 or v3; where it is missing, v3 is called."
    )
    brevo_url: ShortText = setting("https://api.brevo.com/v3", "Address of Brevo's API.")
