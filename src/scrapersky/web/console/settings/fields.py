"""One setting as a field of a form: its label, its input, its value and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scrapersky.queries.installation.setting_overrides import SettingRow
from scrapersky.settings import EDITED

LIMITS = re.compile(r"(\d+) to (\d+)")
DEFAULT = "default"
SHORT_WORDS = {
    "url": "URL",
    "smtp": "SMTP",
    "api": "API",
    "ttl": "TTL",
    "dns": "DNS",
    "mib": "MiB",
    "kib": "KiB",
    "usd": "US dollars",
    "email": "e-mail",
    "slack": "Slack",
    "google places": "Google Places",
    "scraper API": "ScraperAPI",
    "debounce": "DeBounce",
    "overture": "Overture",
    "openstreetmap": "OpenStreetMap",
}
UNIT = re.compile(r" (milliseconds|seconds|minutes|hours|days|rows|MiB|KiB|US dollars)$")


@dataclass(frozen=True, slots=True)
class SettingField:
    """`text` is what the form shows: the value, or what somebody typed that was refused."""

    row: SettingRow
    label: str
    text: str
    error: str = ""
    is_of_stage: bool = False

    @property
    def kind(self) -> str:
        if self.row.is_secret:
            return "secret"
        if self.choices:
            return "choice"
        return "number" if self.limits else "text"

    @property
    def choices(self) -> list[str]:
        return [] if self.limits or ", " not in self.row.allowed else self.row.allowed.split(", ")

    @property
    def limits(self) -> tuple[str, str] | None:
        match = LIMITS.fullmatch(self.row.allowed)
        return (match[1], match[2]) if match else None

    @property
    def description(self) -> str:
        """The description, without the name of a stage, which is the heading above."""
        text = self.row.description.rpartition(": ")[2] if self.is_of_stage else self.row.description
        return text[:1].upper() + text[1:]

    @property
    def default(self) -> str:
        return as_text(self.row.default)

    @property
    def is_edited(self) -> bool:
        return self.row.origin == EDITED

    @property
    def is_fixed(self) -> bool:
        """Whether the value comes from outside, which wins over what people edit."""
        return self.row.origin not in (DEFAULT, EDITED)


def as_text(value: object) -> str:
    """A value as it is typed."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def label_of(name: str, prefix: str = "") -> str:
    """HOST_BACKOFF_MINUTES as "Host backoff (minutes)"; the prefix that a card shares is left out."""
    words = name.removeprefix(prefix).strip("_").replace("_", " ").lower()
    for short, long in SHORT_WORDS.items():
        words = re.sub(rf"\b{short}\b", long, words)
    words = UNIT.sub(r" (\1)", words)
    return words[:1].upper() + words[1:]


def make_field(
    row: SettingRow, *, prefix: str = "", typed: Mapping[str, str], errors: Mapping[str, str]
) -> SettingField:
    value = "" if row.is_secret else typed.get(row.name, as_text(row.value))
    return SettingField(row, label_of(row.name, prefix), value, errors.get(row.name, ""), bool(prefix))
