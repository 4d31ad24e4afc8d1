"""Every vocabulary of every status column, defined once; each word is stored as it is written here."""

from __future__ import annotations

from scrapersky.engine.work import Words

NEW, SELECTED, MAYBE, REJECTED, ARCHIVED = "New", "Selected", "Maybe", "Rejected", "Archived"

# What people decide about a row (D3). `Not a Fit` is another word for Rejected, accepted at the door only.
CURATION = (NEW, SELECTED, MAYBE, REJECTED, ARCHIVED)
CURATION_SYNONYMS = {"Not a Fit": REJECTED}
BARRING = (REJECTED, ARCHIVED)

PLACE_SEARCH = Words("pending", "processing", "complete", "failed")
DEEP_SCAN = Words("Queued", "Processing", "Completed", "Error")
DOMAIN_EXTRACTION = Words("Queued", "Processing", "Completed", "Error")
METADATA = Words("pending", "processing", "completed", "error")
SITEMAP_ANALYSIS = Words("queued", "processing", "submitted", "failed", extra=("pending",))
CANCELLED = "cancelled"
JOB = Words("pending", "running", "complete", "failed", extra=(CANCELLED,))
ENDED_JOBS = (JOB.failed, CANCELLED, JOB.done)
SITEMAP_IMPORT = Words("Queued", "Processing", "Complete", "Error")
FILTERED = "Filtered"
PAGE_PROCESSING = Words("Queued", "Processing", "Complete", "Error", extra=(FILTERED,))
EMAIL_VALIDATION = Words("Queued", "Processing", "Complete", "Error")
DELIVERY = Words("Queued", "Processing", "Complete", "Error")

# What reading a page came to.
CONTACT_FOUND, NO_CONTACT_FOUND, CONTACT_ERROR = "ContactFound", "NoContactFound", "Error"
CONTACT_SCRAPE = (NEW, CONTACT_FOUND, NO_CONTACT_FOUND, CONTACT_ERROR)
EMAIL_RESULT = ("valid", "invalid", "catch-all", "unknown", "disposable")
EVIDENCE_PLACE = ("text", "html")
ROBOTS = ("unknown", "found", "none", "refused", "unreachable")
OPERATION = ("pending", "running", "complete", "failed", "cancelled", "undone")
# The kind of alert that is open while a circuit breaker is.
CIRCUIT_OPEN = "circuit_open"
SEVERITY = ("warning", "error")
ROLE = ("viewer", "operator", "admin", "system")
SUPPRESSION_KIND = ("email", "domain", "phone")
DESTINATION_KIND = ("csv", "jsonl", "xlsx", "parquet", "webhook", "hubspot", "brevo", "n8n")
