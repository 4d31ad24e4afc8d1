"""What a page is instead of a page: barriers are errors, the rest is left early and says why."""

from __future__ import annotations

from typing import Any

from scrapersky.engine.outcome import Discard
from scrapersky.extract.page_class import BLOCKED

# The same body as another page of the domain had.
DUPLICATE = {"name": "duplicate", "sign": ""}


def what_instead(told: dict[str, Any]) -> dict[str, str] | None:
    """The class of a report, or None for a page like any other; nothing was read behind a barrier."""
    found: dict[str, str] | None = told["class"]
    if found and found["name"] == BLOCKED:
        raise Discard(f"blocked: the site shows a barrier instead of the page ({found['sign']})")
    return found


def reason_of(instead: dict[str, str]) -> str:
    """The line that people read."""
    return f"{instead['name']}: the home page says “{instead['sign']}”"
