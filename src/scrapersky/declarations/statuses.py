"""The statuses of every column that is not a stage's queue; each is stored as it is written here."""

from __future__ import annotations

NEW, SELECTED, MAYBE, REJECTED, ARCHIVED = "New", "Selected", "Maybe", "Rejected", "Archived"

# Curation statuses (D3). `Not a Fit` is a synonym of Rejected that is only accepted as input.
CURATION = (NEW, SELECTED, MAYBE, REJECTED, ARCHIVED)
CURATION_SYNONYMS = {"Not a Fit": REJECTED}
EXCLUDED = (REJECTED, ARCHIVED)

CANCELLED = "cancelled"
FILTERED = "Filtered"

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
