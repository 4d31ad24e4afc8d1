"""Names that the requirements fix: never renamed, because people and programs outside depend on them.

The names of a stage (job id, prefix of settings, names on the health page) stand in its declaration.
"""

from __future__ import annotations

from scrapersky.declarations.stage import StageDeclaration
from scrapersky.declarations.stages import DECLARATIONS

FIXED_SETTINGS = (
    "SITEMAP_AUTO_IMPORT",
    "AUTO_SITEMAP_ANALYSIS",
    "SCHEDULER_SYSTEM_USER_ID",
    "SCRAPER_API_ENABLE_PREMIUM",
)
# The settings of every stage: its prefix with each of these behind it.
FIXED_STAGE_SETTINGS = ("INTERVAL_MINUTES", "BATCH_SIZE", "MAX_INSTANCES")
# Beside these, the status and error columns of every stage.
FIXED_COLUMNS = {
    "places_staging": ("place_id", "status"),
    "local_businesses": ("status", "additional_json"),
    "domains": ("sitemap_curation_status",),
    "jobs": ("id", "job_id", "job_type", "result_data", "created_by", "progress"),
    "sitemap_files": ("url", "sitemap_type", "discovery_method", "sitemap_curation_status", "job_id"),
    "pages": (
        "page_curation_status",
        "contact_scrape_status",
        "scraped_content",
        "priority_level",
        "path_depth",
        "lead_source",
        "additional_json",
    ),
    "contacts": ("contact_curation_status",),
}
FIXED_INDEXES = {"sitemap_files": ("idx_sitemap_files_curation_status",)}


def fixed_settings(stage: StageDeclaration) -> tuple[str, ...]:
    return tuple(f"{stage.compat.settings_prefix.upper()}_{name}" for name in FIXED_STAGE_SETTINGS)


def fixed_columns(table: str) -> tuple[str, ...]:
    """The columns of a table whose names never change."""
    queues = [name for stage in DECLARATIONS if stage.table == table for name in (stage.status, stage.error)]
    return tuple(dict.fromkeys([*queues, *FIXED_COLUMNS.get(table, ())]))
