"""How much of a site is taken; filled from the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class StageLimits:
    """Every figure is a setting; `body_retention` is None where bodies are kept for good."""

    sitemap_urls_per_file: int = 50_000
    sitemap_urls_per_domain: int = 50_000
    sitemap_files_per_domain: int = 500
    sitemap_depth: int = 5
    job_max_pages: int = 1_000
    page_budget: int = 500
    stop_after_empty_pages: int = 4
    body_retention: timedelta | None = timedelta(days=30)
