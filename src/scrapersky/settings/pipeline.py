"""Settings of the pipeline: what goes on by itself, and how much of a site is taken."""

from __future__ import annotations

from scrapersky.settings.setting import Group, setting


class PipelineSettings(Group):
    """What goes on without a person"""

    auto_deep_scan: bool = setting(False, "Queue every found place for its details, not only selected ones.")
    auto_domain_extraction: bool = setting(
        False, "Queue every business for its domain, not only selected ones."
    )
    auto_sitemap_analysis: bool = setting(
        True, "Queue the sitemap search when a domain's metadata was read (D9)."
    )
    sitemap_auto_import: bool = setting(True, "Queue found sitemaps for import in the same transaction (D1).")
    auto_page_reading: bool = setting(
        True, "Queue pages that look like contact pages when they are imported."
    )
    auto_email_validation: bool = setting(True, "Queue found e-mail addresses for validation.")


class BudgetSettings(Group):
    """How much of a site is taken"""

    sitemap_urls_per_file: int = setting(50_000, "URLs taken from one sitemap file.", ge=1, le=1_000_000)
    sitemap_urls_per_domain: int = setting(
        50_000, "URLs taken from all sitemaps of a domain.", ge=1, le=10_000_000
    )
    sitemap_files_per_domain: int = setting(500, "Sitemap files read for one domain.", ge=1, le=50_000)
    sitemap_depth: int = setting(5, "Levels of sitemap indexes that are followed.", ge=1, le=20)
    sitemap_job_max_pages: int = setting(
        1_000, "Pages a sitemap job asks for when it names no number (R170).", ge=1, le=1_000_000
    )
    page_budget_per_domain: int = setting(500, "Pages read of one domain.", ge=1, le=1_000_000)
    fruitless_pages: int = setting(
        4,
        "Pages in a row that brought no contact, after which a domain's ordinary pages are left.",
        ge=1,
        le=1_000_000,
    )
    url_length: int = setting(2_048, "Characters of the longest URL that is followed.", ge=256, le=8_000)
