"""What goes on by itself and how much of a site is taken; filled from the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True)
class StageLimits:
    """Every figure and switch is a setting."""

    system_user_id: UUID
    auto_deep_scan: bool = False
    auto_domain_extraction: bool = False
    auto_sitemap_analysis: bool = True
    sitemap_auto_import: bool = True
    auto_page_reading: bool = True
    auto_email_validation: bool = True
    sitemap_urls_per_file: int = 50_000
    sitemap_urls_per_domain: int = 50_000
    sitemap_files_per_domain: int = 500
    sitemap_depth: int = 5
    job_max_pages: int = 1_000
    page_budget: int = 500
    fruitless_pages: int = 4
    keep_bodies: timedelta | None = timedelta(days=30)
    lab_suffixes: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ("https", "http")
