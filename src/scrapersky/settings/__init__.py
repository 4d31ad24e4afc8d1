"""Every setting of the program: one typed class, read from the environment, a .env file and secret files."""

from scrapersky.settings.checks import is_strong_secret
from scrapersky.settings.loader import (
    InvalidSettings,
    changed_settings,
    is_secret,
    load_settings,
    settings_warnings,
)
from scrapersky.settings.model import Settings
from scrapersky.settings.overrides import EDITED, is_editable, with_overrides, with_valid_overrides
from scrapersky.settings.reference import env_example, settings_page

__all__ = [
    "EDITED",
    "InvalidSettings",
    "Settings",
    "changed_settings",
    "env_example",
    "is_editable",
    "is_secret",
    "is_strong_secret",
    "load_settings",
    "settings_page",
    "settings_warnings",
    "with_overrides",
    "with_valid_overrides",
]
