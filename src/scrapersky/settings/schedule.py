"""Settings of the schedule: how often, how many, how many at once and how long, for each stage."""

from __future__ import annotations

from typing import Literal

from scrapersky.settings.setting import Group, setting

Mode = Literal["continuous", "interval"]


class ScheduleSettings(Group):
    """The schedule"""

    # A stage in `continuous` mode is drained as soon as rows are queued; the interval is only the longest
    # time between two looks at its queue. In `interval` mode the fleet begins one run per interval, a run
    # takes at most the batch size, and at most `MAX_INSTANCES` runs are open at once.

    place_search_scheduler_mode: Mode = setting(
        "continuous", "Place searches (WF1): drain the queue continuously, or run once per interval."
    )
    place_search_scheduler_interval_minutes: int = setting(
        1, "Place searches (WF1): minutes between runs in interval mode.", ge=1, le=1_440
    )
    place_search_scheduler_batch_size: int = setting(
        10, "Place searches (WF1): most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    place_search_scheduler_max_instances: int = setting(
        1, "Place searches (WF1): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    place_search_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Place searches (WF1): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    place_search_scheduler_at_once: int = setting(
        5, "Place searches (WF1): rows in work at the same time.", ge=1, le=1_000
    )
    place_search_scheduler_timeout_seconds: int = setting(
        120, "Place searches (WF1): longest time for one row.", ge=1, le=7_200
    )

    deep_scan_scheduler_mode: Mode = setting(
        "continuous", "Place details (WF2): drain the queue continuously, or run once per interval."
    )
    deep_scan_scheduler_interval_minutes: int = setting(
        1, "Place details (WF2): minutes between runs in interval mode.", ge=1, le=1_440
    )
    deep_scan_scheduler_batch_size: int = setting(
        25, "Place details (WF2): most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    deep_scan_scheduler_max_instances: int = setting(
        3, "Place details (WF2): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    deep_scan_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Place details (WF2): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    deep_scan_scheduler_at_once: int = setting(
        10, "Place details (WF2): rows in work at the same time.", ge=1, le=1_000
    )
    deep_scan_scheduler_timeout_seconds: int = setting(
        60, "Place details (WF2): longest time for one row.", ge=1, le=7_200
    )

    domain_extraction_scheduler_mode: Mode = setting(
        "continuous", "Domains from businesses (WF3): drain the queue continuously, or run once per interval."
    )
    domain_extraction_scheduler_interval_minutes: int = setting(
        1, "Domains from businesses (WF3): minutes between runs in interval mode.", ge=1, le=1_440
    )
    domain_extraction_scheduler_batch_size: int = setting(
        25,
        "Domains from businesses (WF3): most rows per claim, and per run in interval mode.",
        ge=1,
        le=10_000,
    )
    domain_extraction_scheduler_max_instances: int = setting(
        3, "Domains from businesses (WF3): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    domain_extraction_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Domains from businesses (WF3): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    domain_extraction_scheduler_at_once: int = setting(
        20, "Domains from businesses (WF3): rows in work at the same time.", ge=1, le=1_000
    )
    domain_extraction_scheduler_timeout_seconds: int = setting(
        55, "Domains from businesses (WF3): longest time for one row.", ge=1, le=7_200
    )

    domain_scheduler_mode: Mode = setting(
        "continuous", "Metadata of domains (WF3): drain the queue continuously, or run once per interval."
    )
    domain_scheduler_interval_minutes: int = setting(
        1, "Metadata of domains (WF3): minutes between runs in interval mode.", ge=1, le=1_440
    )
    domain_scheduler_batch_size: int = setting(
        50, "Metadata of domains (WF3): most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    domain_scheduler_max_instances: int = setting(
        3, "Metadata of domains (WF3): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    domain_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Metadata of domains (WF3): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    domain_scheduler_at_once: int = setting(
        50, "Metadata of domains (WF3): rows in work at the same time.", ge=1, le=1_000
    )
    domain_scheduler_timeout_seconds: int = setting(
        90, "Metadata of domains (WF3): longest time for one row.", ge=1, le=7_200
    )

    domain_sitemap_scheduler_mode: Mode = setting(
        "continuous", "Submission of domains (WF4): drain the queue continuously, or run once per interval."
    )
    domain_sitemap_scheduler_interval_minutes: int = setting(
        1, "Submission of domains (WF4): minutes between runs in interval mode.", ge=1, le=1_440
    )
    domain_sitemap_scheduler_batch_size: int = setting(
        10,
        "Submission of domains (WF4): most rows per claim, and per run in interval mode.",
        ge=1,
        le=10_000,
    )
    domain_sitemap_scheduler_max_instances: int = setting(
        1, "Submission of domains (WF4): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    domain_sitemap_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Submission of domains (WF4): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    domain_sitemap_scheduler_at_once: int = setting(
        10, "Submission of domains (WF4): rows in work at the same time.", ge=1, le=1_000
    )
    domain_sitemap_scheduler_timeout_seconds: int = setting(
        55, "Submission of domains (WF4): longest time for one row.", ge=1, le=7_200
    )

    sitemap_scheduler_mode: Mode = setting(
        "continuous",
        "Sitemap jobs (WF4): drain the queue continuously, or run once per interval.",
    )
    sitemap_scheduler_interval_minutes: int = setting(
        1,
        "Sitemap jobs (WF4): minutes between runs in interval mode.",
        ge=1,
        le=1_440,
    )
    sitemap_scheduler_batch_size: int = setting(
        25,
        "Sitemap jobs (WF4): most rows per claim, and per run in interval mode.",
        ge=1,
        le=10_000,
    )
    sitemap_scheduler_max_instances: int = setting(
        3,
        "Sitemap jobs (WF4): runs at once in the fleet in interval mode.",
        ge=1,
        le=32,
    )
    sitemap_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Sitemap jobs (WF4): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    sitemap_scheduler_at_once: int = setting(
        25, "Sitemap jobs (WF4): rows in work at the same time.", ge=1, le=1_000
    )
    sitemap_scheduler_timeout_seconds: int = setting(
        900, "Sitemap jobs (WF4): longest time for one row.", ge=1, le=7_200
    )

    job_scheduler_mode: Mode = setting(
        "continuous", "Jobs of every other type: drain the queue continuously, or run once per interval."
    )
    job_scheduler_interval_minutes: int = setting(
        1, "Jobs of every other type: minutes between runs in interval mode.", ge=1, le=1_440
    )
    job_scheduler_batch_size: int = setting(
        10, "Jobs of every other type: most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    job_scheduler_max_instances: int = setting(
        1, "Jobs of every other type: runs at once in the fleet in interval mode.", ge=1, le=32
    )
    job_scheduler_misfire_grace_seconds: int = setting(
        60,
        "Jobs of every other type: a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    job_scheduler_at_once: int = setting(
        10, "Jobs of every other type: rows in work at the same time.", ge=1, le=1_000
    )
    job_scheduler_timeout_seconds: int = setting(
        55, "Jobs of every other type: longest time for one row.", ge=1, le=7_200
    )

    sitemap_import_scheduler_mode: Mode = setting(
        "continuous", "Import of sitemaps (WF5/WF6): drain the queue continuously, or run once per interval."
    )
    sitemap_import_scheduler_interval_minutes: int = setting(
        1, "Import of sitemaps (WF5/WF6): minutes between runs in interval mode.", ge=1, le=1_440
    )
    sitemap_import_scheduler_batch_size: int = setting(
        20,
        "Import of sitemaps (WF5/WF6): most rows per claim, and per run in interval mode.",
        ge=1,
        le=10_000,
    )
    sitemap_import_scheduler_max_instances: int = setting(
        1, "Import of sitemaps (WF5/WF6): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    sitemap_import_scheduler_misfire_grace_seconds: int = setting(
        1_800,
        "Import of sitemaps (WF5/WF6): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    sitemap_import_scheduler_at_once: int = setting(
        10, "Import of sitemaps (WF5/WF6): rows in work at the same time.", ge=1, le=1_000
    )
    sitemap_import_scheduler_timeout_seconds: int = setting(
        600, "Import of sitemaps (WF5/WF6): longest time for one row.", ge=1, le=7_200
    )

    page_curation_scheduler_mode: Mode = setting(
        "continuous", "Reading of pages (WF7): drain the queue continuously, or run once per interval."
    )
    page_curation_scheduler_interval_minutes: int = setting(
        1, "Reading of pages (WF7): minutes between runs in interval mode.", ge=1, le=1_440
    )
    page_curation_scheduler_batch_size: int = setting(
        10, "Reading of pages (WF7): most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    page_curation_scheduler_max_instances: int = setting(
        1, "Reading of pages (WF7): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    page_curation_scheduler_misfire_grace_seconds: int = setting(
        1_800,
        "Reading of pages (WF7): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    page_curation_scheduler_at_once: int = setting(
        50, "Reading of pages (WF7): rows in work at the same time.", ge=1, le=1_000
    )
    page_curation_scheduler_timeout_seconds: int = setting(
        90, "Reading of pages (WF7): longest time for one row.", ge=1, le=7_200
    )

    email_validation_scheduler_mode: Mode = setting(
        "continuous",
        "Validation of e-mail addresses (WF8): drain the queue continuously, or run once per interval.",
    )
    email_validation_scheduler_interval_minutes: int = setting(
        1, "Validation of e-mail addresses (WF8): minutes between runs in interval mode.", ge=1, le=1_440
    )
    email_validation_scheduler_batch_size: int = setting(
        50,
        "Validation of e-mail addresses (WF8): most rows per claim, and per run in interval mode.",
        ge=1,
        le=10_000,
    )
    email_validation_scheduler_max_instances: int = setting(
        1, "Validation of e-mail addresses (WF8): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    email_validation_scheduler_misfire_grace_seconds: int = setting(
        1_800,
        "Validation of e-mail addresses (WF8): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    email_validation_scheduler_at_once: int = setting(
        20, "Validation of e-mail addresses (WF8): rows in work at the same time.", ge=1, le=1_000
    )
    email_validation_scheduler_timeout_seconds: int = setting(
        60, "Validation of e-mail addresses (WF8): longest time for one row.", ge=1, le=7_200
    )

    delivery_scheduler_mode: Mode = setting(
        "continuous", "Deliveries (WF8): drain the queue continuously, or run once per interval."
    )
    delivery_scheduler_interval_minutes: int = setting(
        1, "Deliveries (WF8): minutes between runs in interval mode.", ge=1, le=1_440
    )
    delivery_scheduler_batch_size: int = setting(
        10, "Deliveries (WF8): most rows per claim, and per run in interval mode.", ge=1, le=10_000
    )
    delivery_scheduler_max_instances: int = setting(
        1, "Deliveries (WF8): runs at once in the fleet in interval mode.", ge=1, le=32
    )
    delivery_scheduler_misfire_grace_seconds: int = setting(
        1_800,
        "Deliveries (WF8): a run that is later waits for the next interval.",
        ge=1,
        le=86_400,
    )
    delivery_scheduler_at_once: int = setting(
        5, "Deliveries (WF8): rows in work at the same time.", ge=1, le=1_000
    )
    delivery_scheduler_timeout_seconds: int = setting(
        60, "Deliveries (WF8): longest time for one row.", ge=1, le=7_200
    )
