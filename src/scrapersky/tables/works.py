"""The work of every stage: on which table and in which columns it is kept."""

from __future__ import annotations

from scrapersky.engine.work import Work
from scrapersky.tables import words

PLACE_SEARCH = Work(
    name="search_places", table="place_searches", status="status", error="error", words=words.PLACE_SEARCH
)
DEEP_SCAN = Work(
    name="deep_scan",
    table="places_staging",
    status="deep_scan_status",
    error="deep_scan_error",
    words=words.DEEP_SCAN,
    prefix="deep_scan_",
    barred="status",
    barring=words.BARRING,
)
DOMAIN_EXTRACTION = Work(
    name="extract_domain",
    table="local_businesses",
    status="domain_extraction_status",
    error="domain_extraction_error",
    words=words.DOMAIN_EXTRACTION,
    prefix="domain_extraction_",
    barred="status",
    barring=words.BARRING,
)
METADATA = Work(
    name="read_metadata",
    table="domains",
    status="status",
    error="error",
    words=words.METADATA,
    host="host",
    awaits="awaits_read_metadata",
    barred="sitemap_curation_status",
    barring=words.BARRING,
)
SITEMAP_ANALYSIS = Work(
    name="submit_domain",
    table="domains",
    status="sitemap_analysis_status",
    error="sitemap_analysis_error",
    words=words.SITEMAP_ANALYSIS,
    prefix="sitemap_analysis_",
    barred="sitemap_curation_status",
    barring=words.BARRING,
)
# Sitemap jobs call strangers and keep to their pace; the other jobs do not, so they are claimed apart.
SITEMAP_JOB = Work(
    name="discover_sitemaps",
    table="jobs",
    status="status",
    error="error",
    words=words.JOB,
    due_at="next_retry_at",
    retries="retry_count",
    max_retries="max_retries",
    host="host",
    awaits="awaits_discover_sitemaps",
    only="job_type = 'sitemap'",
)
JOB = Work(
    name="run_job",
    table="jobs",
    status="status",
    error="error",
    words=words.JOB,
    due_at="next_retry_at",
    retries="retry_count",
    max_retries="max_retries",
    only="job_type <> 'sitemap'",
)
SITEMAP_IMPORT = Work(
    name="import_sitemap",
    table="sitemap_files",
    status="sitemap_import_status",
    error="sitemap_import_error",
    words=words.SITEMAP_IMPORT,
    prefix="sitemap_import_",
    priority="priority_level",
    host="host",
    awaits="awaits_import_sitemap",
    barred="sitemap_curation_status",
    barring=words.BARRING,
)
PAGE_PROCESSING = Work(
    name="read_page",
    table="pages",
    status="page_processing_status",
    error="page_processing_error",
    words=words.PAGE_PROCESSING,
    prefix="page_processing_",
    priority="priority_level",
    host="host",
    awaits="awaits_read_page",
    barred="page_curation_status",
    barring=words.BARRING,
)
EMAIL_VALIDATION = Work(
    name="validate_email",
    table="contacts",
    status="email_validation_status",
    error="email_validation_error",
    words=words.EMAIL_VALIDATION,
    prefix="email_validation_",
    barred="contact_curation_status",
    barring=words.BARRING,
)
DELIVERY = Work(name="deliver", table="deliveries", status="status", error="error", words=words.DELIVERY)

# In the order in which rows travel.
WORKS = (
    PLACE_SEARCH,
    DEEP_SCAN,
    DOMAIN_EXTRACTION,
    METADATA,
    SITEMAP_ANALYSIS,
    SITEMAP_JOB,
    JOB,
    SITEMAP_IMPORT,
    PAGE_PROCESSING,
    EMAIL_VALIDATION,
    DELIVERY,
)
# Both kinds of job share one set of columns, so the rules about a single row are made from one of them.
WORKS_WITH_COLUMNS = tuple(work for work in WORKS if work is not SITEMAP_JOB)
POLITE_WORKS = tuple(work for work in WORKS if work.host)
# The stable name of each on the schedule, in the order of the pipeline; who only counts needs no stage.
JOB_IDS: dict[Work, str] = {
    PLACE_SEARCH: "process_place_searches",
    DEEP_SCAN: "process_deep_scan_queue",
    DOMAIN_EXTRACTION: "process_domain_extraction_queue",
    METADATA: "process_pending_domains",
    SITEMAP_ANALYSIS: "process_pending_domain_sitemap_submissions",
    SITEMAP_JOB: "process_pending_jobs",
    SITEMAP_IMPORT: "process_sitemap_imports",
    PAGE_PROCESSING: "v2_page_curation_processor",
    EMAIL_VALIDATION: "process_email_validation",
    DELIVERY: "process_deliveries",
    JOB: "process_jobs",
}
