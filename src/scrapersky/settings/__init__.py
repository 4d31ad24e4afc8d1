"""Every setting of the program: one typed class, read from the environment, a .env file and secret files."""

from scrapersky.settings.loader import InvalidSettings, changed_settings, load_settings, settings_warnings
from scrapersky.settings.model import Settings
from scrapersky.settings.reference import env_example, settings_page

__all__ = [
    "InvalidSettings",
    "Settings",
    "changed_settings",
    "env_example",
    "load_settings",
    "settings_page",
    "settings_warnings",
]
