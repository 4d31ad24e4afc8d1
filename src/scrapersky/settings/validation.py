"""Settings of e-mail validation: the age of a verdict, and the optional check of mailboxes by DeBounce."""

from __future__ import annotations

from scrapersky.settings.field import Group, Secret, ShortText, setting


class ValidationSettings(Group):
    """E-mail validation"""

    email_score_half_life_days: int = setting(
        180,
        "Days after which the score of a validated address counts half; lowered whenever it is read.",
        ge=1,
        le=3_650,
    )
    email_recheck_days: int = setting(
        90,
        "Days after which the verdict on an address is checked again before its contact is delivered or"
        " exported.",
        ge=1,
        le=3_650,
    )
    debounce_api_key: Secret = setting(
        None, "DeBounce key; without it no mailbox is checked and no address leaves this installation."
    )
    debounce_url: ShortText = setting("https://api.debounce.io/v1/", "DeBounce URL.")
    debounce_daily_calls: int = setting(
        1_000, "Maximum calls of DeBounce a day (UTC), all workers together.", ge=0, le=10_000_000
    )
