"""Facets: the columns with few values by which people filter lists and by which rows are counted."""

from __future__ import annotations

from scrapersky.declarations.stages import DECLARATIONS

# Beside the curation and status columns; some of these the condition of a queue names.
OTHER_FACETS: dict[str, tuple[str, ...]] = {
    "place_searches": ("source",),
    "places_staging": ("source",),
    "local_businesses": ("source",),
    "jobs": ("job_type",),
    "sitemap_files": ("sitemap_type", "discovery_method", "priority_level"),
    "pages": ("contact_scrape_status", "page_type", "priority_level"),
    "contacts": ("email_validation_result", "email_type"),
}


def _facets(table: str) -> tuple[str, ...]:
    """The curation and status columns of the table's queues, and the other facets."""
    stages = [stage for stage in DECLARATIONS if stage.table == table]
    curation = [stage.excluded_by for stage in stages if stage.excluded_by]
    return tuple(
        dict.fromkeys([*curation, *(stage.status for stage in stages), *OTHER_FACETS.get(table, ())])
    )


FACETS = {stage.table: _facets(stage.table) for stage in DECLARATIONS}
