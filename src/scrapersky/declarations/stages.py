"""Every stage, declared once, in the order in which rows travel; everything else is derived from here."""

from __future__ import annotations

from scrapersky.declarations.queue import StatusSet
from scrapersky.declarations.stage import Compat, Gate, Next, StageDeclaration
from scrapersky.declarations.statuses import CANCELLED, EXCLUDED, FILTERED, SKIPPED

AUTO_DEEP_SCAN = Gate("auto_deep_scan", False, "Queue every place for its details, not only selected ones.")
AUTO_DOMAIN_EXTRACTION = Gate(
    "auto_domain_extraction", False, "Queue every business for its domain, not only selected ones."
)
AUTO_SITEMAP_ANALYSIS = Gate(
    "auto_sitemap_analysis", True, "Queue sitemap discovery when a domain's metadata has been read (D9)."
)
SITEMAP_AUTO_IMPORT = Gate(
    "sitemap_auto_import", True, "Queue discovered sitemaps for import in the same transaction (D1)."
)
AUTO_PAGE_READING = Gate(
    "auto_page_reading", True, "Queue pages that look like contact pages when they are imported."
)
AUTO_EMAIL_VALIDATION = Gate("auto_email_validation", True, "Queue new e-mail addresses for validation.")
AUTO_DELIVERY = Gate(
    "auto_delivery", False, "Deliver validated contacts to every destination that is marked as automatic."
)

SEARCH_PLACES = StageDeclaration(
    name="search_places",
    title="Place search",
    workflow="WF1",
    table="place_searches",
    status="status",
    error="error",
    statuses=StatusSet(queued="pending", processing="processing", done="complete", failed="failed"),
    queued_by_default=True,
    reads=("business_type", "location", "source", "params", "created_by"),
    writes=("places_staging", "osm_elements"),
    output_optional=True,
    queues=(Next("deep_scan", gate=AUTO_DEEP_SCAN),),
    batch=10,
    concurrency=5,
    timeout_seconds=120,
    compat=Compat(job_id="process_place_searches", settings_prefix="place_search_scheduler"),
)
DEEP_SCAN = StageDeclaration(
    name="deep_scan",
    title="Place details",
    workflow="WF2",
    table="places_staging",
    status="deep_scan_status",
    error="deep_scan_error",
    statuses=StatusSet(queued="Queued", processing="Processing", done="Completed", failed="Error"),
    prefix="deep_scan_",
    excluded_by="status",
    excluded_statuses=EXCLUDED,
    reads=("source", "place_id", "raw_data", "created_by"),
    writes=("local_businesses",),
    queues=(Next("extract_domain", gate=AUTO_DOMAIN_EXTRACTION),),
    batch=25,
    concurrency=10,
    timeout_seconds=60,
    max_instances=3,
    compat=Compat(job_id="process_deep_scan_queue", settings_prefix="deep_scan_scheduler"),
)
EXTRACT_DOMAIN = StageDeclaration(
    name="extract_domain",
    title="Domain extraction",
    workflow="WF3",
    table="local_businesses",
    status="domain_extraction_status",
    error="domain_extraction_error",
    statuses=StatusSet(queued="Queued", processing="Processing", done="Completed", failed="Error"),
    prefix="domain_extraction_",
    excluded_by="status",
    excluded_statuses=EXCLUDED,
    reads=("website_url", "listed_contact", "additional_json", "country", "source", "created_by"),
    writes=("domains", "contacts"),
    output_optional=True,
    queues=(Next("read_metadata"), Next("validate_email", gate=AUTO_EMAIL_VALIDATION)),
    batch=25,
    concurrency=20,
    timeout_seconds=55,
    max_instances=3,
    compat=Compat(job_id="process_domain_extraction_queue", settings_prefix="domain_extraction_scheduler"),
)
READ_METADATA = StageDeclaration(
    name="read_metadata",
    title="Metadata",
    workflow="WF3",
    table="domains",
    status="status",
    error="error",
    statuses=StatusSet(queued="pending", processing="processing", done="completed", failed="error"),
    queued_by_default=True,
    host="host",
    excluded_by="sitemap_curation_status",
    excluded_statuses=EXCLUDED,
    reads=("domain", "country", "sitemap_analysis_status"),
    writes=("pages",),
    queues=(
        Next("submit_domain", gate=AUTO_SITEMAP_ANALYSIS),
        Next("read_page", gate=AUTO_PAGE_READING),
    ),
    batch=50,
    concurrency=50,
    timeout_seconds=90,
    max_instances=3,
    compat=Compat(job_id="process_pending_domains", settings_prefix="domain_scheduler"),
)
SUBMIT_DOMAIN = StageDeclaration(
    name="submit_domain",
    title="Sitemap submission",
    workflow="WF4",
    table="domains",
    status="sitemap_analysis_status",
    error="sitemap_analysis_error",
    statuses=StatusSet(
        queued="queued", processing="processing", done="submitted", failed="failed", other=("pending",)
    ),
    prefix="sitemap_analysis_",
    excluded_by="sitemap_curation_status",
    excluded_statuses=EXCLUDED,
    reads=("domain", "host", "domain_metadata", "is_wordpress", "generator"),
    writes=("jobs",),
    queues=(Next("discover_sitemaps"),),
    batch=10,
    concurrency=10,
    timeout_seconds=55,
    compat=Compat(
        job_id="process_pending_domain_sitemap_submissions",
        settings_prefix="domain_sitemap_scheduler",
        health_name="domain_sitemap_submission",
        depth_name="domains_queued",
    ),
)
# Sitemap jobs crawl hosts and are polite; the other jobs do not, so the two are claimed separately.
DISCOVER_SITEMAPS = StageDeclaration(
    name="discover_sitemaps",
    title="Sitemap discovery",
    workflow="WF4",
    table="jobs",
    status="status",
    error="error",
    statuses=StatusSet(
        queued="pending", processing="running", done="complete", failed="failed", other=(CANCELLED,)
    ),
    queued_by_default=True,
    due_at="next_retry_at",
    retries="retry_count",
    max_retries="max_retries",
    host="host",
    condition="job_type = 'sitemap'",
    reads=("job_id", "domain_id", "result_data", "created_by"),
    writes=("sitemap_files", "pages"),
    queues=(
        Next("import_sitemap", gate=SITEMAP_AUTO_IMPORT),
        Next("read_page", gate=AUTO_PAGE_READING),
    ),
    batch=25,
    concurrency=25,
    timeout_seconds=900,
    max_instances=3,
    compat=Compat(job_id="process_pending_jobs", settings_prefix="sitemap_scheduler"),
)
IMPORT_SITEMAP = StageDeclaration(
    name="import_sitemap",
    title="Sitemap import",
    workflow="WF5/WF6",
    table="sitemap_files",
    status="sitemap_import_status",
    error="sitemap_import_error",
    statuses=StatusSet(queued="Queued", processing="Processing", done="Complete", failed="Error"),
    queued_by_default=True,
    prefix="sitemap_import_",
    order_by=("priority_level", "due_at"),
    host="host",
    excluded_by="sitemap_curation_status",
    excluded_statuses=EXCLUDED,
    reads=(
        "domain_id",
        "url",
        "depth",
        "job_id",
        "created_by",
        "max_urls",
        "max_pages",
        "additional_json",
    ),
    writes=("sitemap_files", "pages"),
    queues=(
        Next("import_sitemap", gate=SITEMAP_AUTO_IMPORT),
        Next("read_page", gate=AUTO_PAGE_READING),
    ),
    batch=20,
    concurrency=10,
    timeout_seconds=600,
    misfire_grace_seconds=1_800,
    compat=Compat(
        job_id="process_sitemap_imports",
        settings_prefix="sitemap_import_scheduler",
        health_name="sitemap_import",
        depth_name="sitemaps_queued",
    ),
)
READ_PAGE = StageDeclaration(
    name="read_page",
    title="Page reading",
    workflow="WF7",
    table="pages",
    status="page_processing_status",
    error="page_processing_error",
    statuses=StatusSet(
        queued="Queued", processing="Processing", done="Complete", failed="Error", other=(FILTERED,)
    ),
    prefix="page_processing_",
    order_by=("priority_level", "due_at"),
    host="host",
    excluded_by="page_curation_status",
    excluded_statuses=EXCLUDED,
    reads=(
        "url",
        "domain_id",
        "priority_level",
        "scraped_content",
        "etag",
        "last_modified_header",
        "content_hash",
        "additional_json",
        "page_curation_status",
    ),
    writes=("contacts", "page_bodies"),
    queues=(Next("validate_email", gate=AUTO_EMAIL_VALIDATION),),
    batch=10,
    concurrency=50,
    timeout_seconds=90,
    misfire_grace_seconds=1_800,
    compat=Compat(
        job_id="v2_page_curation_processor",
        settings_prefix="page_curation_scheduler",
        health_name="page_curation",
        depth_name="pages_queued",
    ),
)
VALIDATE_EMAIL = StageDeclaration(
    name="validate_email",
    title="E-mail validation",
    workflow="WF8",
    table="contacts",
    status="email_validation_status",
    error="email_validation_error",
    statuses=StatusSet(queued="Queued", processing="Processing", done="Complete", failed="Error"),
    prefix="email_validation_",
    excluded_by="contact_curation_status",
    excluded_statuses=EXCLUDED,
    reads=("email", "email_relation", "is_email_hidden", "contact_objection", "confidence"),
    writes=("deliveries",),
    output_optional=True,
    queues=(Next("deliver", gate=AUTO_DELIVERY),),
    batch=50,
    concurrency=20,
    timeout_seconds=60,
    misfire_grace_seconds=1_800,
    compat=Compat(job_id="process_email_validation", settings_prefix="email_validation_scheduler"),
)
DELIVER = StageDeclaration(
    name="deliver",
    title="Delivery",
    workflow="WF8",
    table="deliveries",
    status="status",
    error="error",
    statuses=StatusSet(
        queued="Queued", processing="Processing", done="Complete", failed="Error", other=(SKIPPED,)
    ),
    queued_by_default=True,
    reads=("action", "contact_id", "destination_id", "external_id"),
    # Rows of one claim that go to one destination are sent in one call.
    batch=200,
    concurrency=200,
    timeout_seconds=120,
    misfire_grace_seconds=1_800,
    compat=Compat(job_id="process_deliveries", settings_prefix="delivery_scheduler"),
)
RUN_JOB = StageDeclaration(
    name="run_job",
    title="Other jobs",
    table="jobs",
    status="status",
    error="error",
    statuses=DISCOVER_SITEMAPS.statuses,
    queued_by_default=True,
    due_at="next_retry_at",
    retries="retry_count",
    max_retries="max_retries",
    condition="job_type <> 'sitemap'",
    reads=("job_id", "job_type", "result_data", "job_metadata", "created_by", "timeout_seconds"),
    batch=10,
    concurrency=10,
    timeout_seconds=55,
    compat=Compat(job_id="process_jobs", settings_prefix="job_scheduler"),
)

DECLARATIONS = (
    SEARCH_PLACES,
    DEEP_SCAN,
    EXTRACT_DOMAIN,
    READ_METADATA,
    SUBMIT_DOMAIN,
    DISCOVER_SITEMAPS,
    IMPORT_SITEMAP,
    READ_PAGE,
    VALIDATE_EMAIL,
    DELIVER,
    RUN_JOB,
)
# One declaration for each status column: the two kinds of job share theirs.
COLUMN_OWNERS = tuple({(stage.table, stage.status): stage for stage in DECLARATIONS}.values())
POLITE_DECLARATIONS = tuple(stage for stage in DECLARATIONS if stage.host)
ENDED_JOBS = (RUN_JOB.statuses.failed, RUN_JOB.statuses.done, CANCELLED)
GATES = tuple(dict.fromkeys(step.gate for stage in DECLARATIONS for step in stage.queues if step.gate))
STAGE_TITLES = {stage.name: stage.title for stage in DECLARATIONS}
