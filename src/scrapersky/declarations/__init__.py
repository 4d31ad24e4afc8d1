"""The stages as plain data: queues, statuses, figures and hand-over. Everything else is derived from here."""

from scrapersky.declarations.queue import Queue, StatusSet
from scrapersky.declarations.stage import Compat, Gate, Next, StageDeclaration
from scrapersky.declarations.stages import (
    COLUMN_OWNERS,
    DECLARATIONS,
    DEEP_SCAN,
    DELIVER,
    DISCOVER_SITEMAPS,
    ENDED_JOBS,
    EXTRACT_DOMAIN,
    GATES,
    IMPORT_SITEMAP,
    POLITE_DECLARATIONS,
    READ_METADATA,
    READ_PAGE,
    RUN_JOB,
    SEARCH_PLACES,
    STAGE_TITLES,
    SUBMIT_DOMAIN,
    VALIDATE_EMAIL,
)

__all__ = [
    "COLUMN_OWNERS",
    "DECLARATIONS",
    "DEEP_SCAN",
    "DELIVER",
    "DISCOVER_SITEMAPS",
    "ENDED_JOBS",
    "EXTRACT_DOMAIN",
    "GATES",
    "IMPORT_SITEMAP",
    "POLITE_DECLARATIONS",
    "READ_METADATA",
    "READ_PAGE",
    "RUN_JOB",
    "SEARCH_PLACES",
    "STAGE_TITLES",
    "SUBMIT_DOMAIN",
    "VALIDATE_EMAIL",
    "Compat",
    "Gate",
    "Next",
    "Queue",
    "StageDeclaration",
    "StatusSet",
]
