"""What a page is when it is not the page that was expected: barriers are errors, the rest is a finding."""

from __future__ import annotations

from scrapersky.engine.outcome import Discard
from scrapersky.extract.page_class import BLOCKED, PageClass
from scrapersky.extract.report import HomeReport, PageReport

# The same body as another page of the domain had.
DUPLICATE = PageClass("duplicate", "")


def usable_class(report: PageReport | HomeReport) -> PageClass | None:
    """The class of a report, None for an ordinary page; a barrier is discarded, as nothing was read."""
    page_class = report.page_class
    if page_class and page_class.name == BLOCKED:
        raise Discard(f"blocked: the site shows a barrier instead of the page ({page_class.sign})")
    return page_class
