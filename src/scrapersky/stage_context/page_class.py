"""What a page is instead of a page: barriers are errors, the rest is left early and says why."""

from __future__ import annotations

from scrapersky.engine.outcome import Discard
from scrapersky.extract.page_class import BLOCKED
from scrapersky.extract.report import HomeReport, PageReport

# The same body as another page of the domain had.
DUPLICATE = {"name": "duplicate", "sign": ""}


def what_instead(report: PageReport | HomeReport) -> dict[str, str] | None:
    """The class of a report, or None for a page like any other; nothing was read behind a barrier."""
    page_class = report.page_class
    if page_class is None:
        return None
    if page_class.name == BLOCKED:
        raise Discard(f"blocked: the site shows a barrier instead of the page ({page_class.sign})")
    return page_class._asdict()


def reason_of(instead: dict[str, str]) -> str:
    """The line that people read."""
    return f"{instead['name']}: the home page says “{instead['sign']}”"
