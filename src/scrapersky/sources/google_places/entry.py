"""What interfaces know of Google as a source."""

from __future__ import annotations

from scrapersky.sources.catalog import SourceEntry, SourceState
from scrapersky.sources.google_places.places import ATTRIBUTION
from scrapersky.sources.google_places.source import SOURCE_NAME


def google_entry(*, is_configured: bool) -> SourceEntry:
    return SourceEntry(
        SOURCE_NAME,
        "Google Places",
        licence="Google Maps Platform terms; all but the place ids expire",
        attribution=ATTRIBUTION,
        needs_area=True,
        needs_kind=True,
        setup="Set GOOGLE_MAPS_API_KEY",
        state=lambda: SourceState("" if is_configured else "not configured"),
    )
