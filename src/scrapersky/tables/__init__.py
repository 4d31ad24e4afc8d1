"""The tables as SQLAlchemy Core `Table`s on one `metadata`, grouped by subject."""

from scrapersky.tables.account_tables import (
    api_keys,
    login_failures,
    saved_views,
    sessions,
    setting_overrides,
    setup_links,
    tenant_usage,
    tenants,
    users,
)
from scrapersky.tables.audit_tables import audit_heads, audit_log, audit_values
from scrapersky.tables.columns import metadata
from scrapersky.tables.contact_tables import (
    contact_tombstones,
    contacts,
    deliveries,
    destinations,
    sightings,
    suppressions,
    webhook_messages,
)
from scrapersky.tables.engine_tables import (
    failures,
    hosts,
    investigations,
    scheduler_slots,
    stage_controls,
    workers,
    zombies,
)
from scrapersky.tables.health_tables import (
    alerts,
    credit_uses,
    credits,
    daily_calls,
    row_count_changes,
    row_counts,
    stage_stats,
    stage_totals,
)
from scrapersky.tables.idempotency_tables import idempotency_keys
from scrapersky.tables.ids import new_id
from scrapersky.tables.job_tables import import_notes, jobs
from scrapersky.tables.operation_tables import operation_rows, operations, rules, schedules
from scrapersky.tables.page_tables import page_bodies, page_sitemaps, pages
from scrapersky.tables.score_tables import lead_score_parts, lead_score_runs
from scrapersky.tables.search_tables import (
    column_mappings,
    local_businesses,
    osm_elements,
    place_identities,
    place_matches,
    place_searches,
    places_staging,
    search_cells,
    service_calls,
)
from scrapersky.tables.site_tables import domains, sitemap_files

__all__ = [
    "alerts",
    "api_keys",
    "audit_heads",
    "audit_log",
    "audit_values",
    "column_mappings",
    "contact_tombstones",
    "contacts",
    "credit_uses",
    "credits",
    "daily_calls",
    "deliveries",
    "destinations",
    "domains",
    "failures",
    "hosts",
    "idempotency_keys",
    "import_notes",
    "investigations",
    "jobs",
    "lead_score_parts",
    "lead_score_runs",
    "local_businesses",
    "login_failures",
    "metadata",
    "new_id",
    "operation_rows",
    "operations",
    "osm_elements",
    "page_bodies",
    "page_sitemaps",
    "pages",
    "place_identities",
    "place_matches",
    "place_searches",
    "places_staging",
    "row_count_changes",
    "row_counts",
    "rules",
    "saved_views",
    "scheduler_slots",
    "schedules",
    "search_cells",
    "service_calls",
    "sessions",
    "setting_overrides",
    "setup_links",
    "sightings",
    "sitemap_files",
    "stage_controls",
    "stage_stats",
    "stage_totals",
    "suppressions",
    "tenant_usage",
    "tenants",
    "users",
    "webhook_messages",
    "workers",
    "zombies",
]
