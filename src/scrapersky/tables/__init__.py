"""The tables as SQLAlchemy Core `Table`s on one `metadata`, grouped by subject."""

from scrapersky.tables.account_tables import api_keys, audit_log, saved_views, tenants, users
from scrapersky.tables.columns import metadata
from scrapersky.tables.contact_tables import contacts, deliveries, destinations, sightings, suppressions
from scrapersky.tables.engine_tables import failures, hosts, schedules, stage_controls, workers, zombies
from scrapersky.tables.health_tables import alerts, credits, row_count_changes, row_counts, stage_stats
from scrapersky.tables.ids import new_id
from scrapersky.tables.job_tables import jobs, operation_changes, operations
from scrapersky.tables.page_tables import page_bodies, page_sitemaps, pages
from scrapersky.tables.search_tables import local_businesses, place_searches, places_staging
from scrapersky.tables.site_tables import domains, sitemap_files

__all__ = [
    "alerts",
    "api_keys",
    "audit_log",
    "contacts",
    "credits",
    "deliveries",
    "destinations",
    "domains",
    "failures",
    "hosts",
    "jobs",
    "local_businesses",
    "metadata",
    "new_id",
    "operation_changes",
    "operations",
    "page_bodies",
    "page_sitemaps",
    "pages",
    "place_searches",
    "places_staging",
    "row_count_changes",
    "row_counts",
    "saved_views",
    "schedules",
    "sightings",
    "sitemap_files",
    "stage_controls",
    "stage_stats",
    "suppressions",
    "tenants",
    "users",
    "workers",
    "zombies",
]
