"""Settings of the pipeline: which hand-overs are automatic, and how much of a site is crawled."""

from __future__ import annotations

from scrapersky.settings.field import Group, setting


class PipelineSettings(Group):
    """Automatic hand-over"""

    auto_deep_scan: bool = setting(False, "Queue every place for its details, not only selected ones.")
    auto_domain_extraction: bool = setting(
        False, "Queue every business for its domain, not only selected ones."
    )
    auto_sitemap_analysis: bool = setting(
        True, "Queue sitemap discovery when a domain's metadata has been read (D9)."
    )
    sitemap_auto_import: bool = setting(
        True, "Queue discovered sitemaps for import in the same transaction (D1)."
    )
    auto_page_reading: bool = setting(
        True, "Queue pages that look like contact pages when they are imported."
    )
    auto_email_validation: bool = setting(True, "Queue new e-mail addresses for validation.")


class BudgetSettings(Group):
    """Crawl budget"""

    sitemap_urls_per_file: int = setting(50_000, "Maximum URLs of one sitemap file.", ge=1, le=1_000_000)
    sitemap_urls_per_domain: int = setting(
        50_000, "Maximum URLs of all sitemaps of a domain.", ge=1, le=10_000_000
    )
    sitemap_files_per_domain: int = setting(500, "Maximum sitemap files of a domain.", ge=1, le=50_000)
    sitemap_depth: int = setting(5, "Maximum depth of nested sitemap indexes.", ge=1, le=20)
    sitemap_job_max_pages: int = setting(
        1_000, "Default page limit of a sitemap job (R170).", ge=1, le=1_000_000
    )
    page_budget_per_domain: int = setting(500, "Maximum pages read of one domain.", ge=1, le=1_000_000)
    stop_after_empty_pages: int = setting(
        4,
        "Consecutive pages without a contact after which a domain's ordinary pages are skipped.",
        ge=1,
        le=1_000_000,
    )
    max_url_length: int = setting(2_048, "Maximum length of a URL.", ge=256, le=8_000)
