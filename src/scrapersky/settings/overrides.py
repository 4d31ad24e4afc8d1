"""Settings that people edit while the program runs: which those are, and their values over the others."""

from __future__ import annotations

from collections.abc import Mapping

from scrapersky.settings.loader import InvalidSettings, changed_settings
from scrapersky.settings.model import Settings

# The origin of a value that people set while the program runs.
EDITED = "edited"


def is_editable(name: str) -> bool:
    """Whether a setting may be changed while the program runs, as its declaration says."""
    extra = Settings.model_fields[name].json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("editable"))


def with_overrides(settings: Settings, overrides: Mapping[str, str]) -> Settings:
    """The settings with the edited values, checked as at the start; what the environment sets wins."""
    changes = {
        name: value
        for name, value in overrides.items()
        if name not in settings.model_fields_set and name in Settings.model_fields and is_editable(name)
    }
    return changed_settings(settings, changes, origin=EDITED) if changes else settings


def with_valid_overrides(settings: Settings, overrides: Mapping[str, str]) -> tuple[Settings, list[str]]:
    """The same without the values that have become invalid, and the reasons; a process keeps running."""
    try:
        return with_overrides(settings, overrides), []
    except InvalidSettings:
        accepted: dict[str, str] = {}
        problems: list[str] = []
        for name, value in sorted(overrides.items()):
            try:
                with_overrides(settings, {**accepted, name: value})
                accepted[name] = value
            except InvalidSettings as error:
                problems.append(str(error))
        return with_overrides(settings, accepted), problems
