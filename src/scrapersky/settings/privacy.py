"""Settings of people's data."""

from __future__ import annotations

from scrapersky.settings.field import Days, Group, ShortText, setting


class PrivacySettings(Group):
    """People's data"""

    contact_retention_days: Days = setting(
        730,
        "Contacts that nobody saw or changed for so long are deleted with their sightings and deliveries; "
        "a number of days or `keep`.",
    )
    privacy_controller: ShortText = setting(
        "", "Who is responsible for the data: name and postal address, for the notice to people (Article 14)."
    )
    privacy_contact: ShortText = setting(
        "", "Where people exercise their rights, such as an e-mail address, for the notice to people."
    )
