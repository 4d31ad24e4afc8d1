"""The statuses of every column that is not a stage's queue; each is stored as it is written here."""

from __future__ import annotations

NEW, SELECTED, MAYBE, REJECTED, ARCHIVED = "New", "Selected", "Maybe", "Rejected", "Archived"

# Curation statuses (D3). `Not a Fit` is a synonym of Rejected that is only accepted as input.
CURATION = (NEW, SELECTED, MAYBE, REJECTED, ARCHIVED)
CURATION_SYNONYMS = {"Not a Fit": REJECTED}
EXCLUDED = (REJECTED, ARCHIVED)

CANCELLED = "cancelled"
FILTERED = "Filtered"
SKIPPED = "Skipped"

# What reading a page came to.
CONTACT_FOUND, NO_CONTACT_FOUND, CONTACT_ERROR = "ContactFound", "NoContactFound", "Error"
CONTACT_SCRAPE = (NEW, CONTACT_FOUND, NO_CONTACT_FOUND, CONTACT_ERROR)
EMAIL_RESULT = ("valid", "invalid", "catch-all", "unknown", "disposable")
# The tier of validation that decided.
EMAIL_METHOD = ("syntax", "list", "dns", "debounce")
# What became of a row of another database that did not come over as it was.
IMPORT_OUTCOME = ("changed", "merged", "refused")
EVIDENCE_PLACE = ("text", "html")
SAME, DIFFERENT, UNSURE = "same", "different", "unsure"
MATCH_VERDICT = (UNSURE, SAME, DIFFERENT)
ROBOTS = ("unknown", "found", "none", "refused", "unreachable")
OPERATION = ("pending", "running", "complete", "failed", "cancelled", "undone")
OPERATION_PENDING, OPERATION_RUNNING, OPERATION_COMPLETE, OPERATION_FAILED, OPERATION_CANCELLED, UNDONE = (
    OPERATION
)
OPERATION_ACTION = ("curate", "reset", "run", "undo", "deliver")
# What a schedule repeats.
SCHEDULE_KIND = ("search", "crawl", "send", "export")
REPEAT_SEARCH, REPEAT_CRAWL, REPEAT_SEND, REPEAT_EXPORT = SCHEDULE_KIND
# How the last run of a schedule stands; skipped means that the one before it was still open.
RUN_OUTCOME = ("started", "skipped", "ended", "failed")
RUN_STARTED, RUN_SKIPPED, RUN_ENDED, RUN_FAILED = RUN_OUTCOME
# The kind of alert that is open while a circuit breaker is.
CIRCUIT_OPEN = "circuit_open"
# How far people are with a dead letter.
INVESTIGATION = ("open", "investigating", "resolved")
SEVERITY = ("warning", "error")
# How far the search of a cell is: to be counted, to be listed by paid calls, listed, and stored as places.
CELL_OPEN, CELL_COUNTED, CELL_LISTED, CELL_STORED = "open", "counted", "listed", "stored"
CELL_STATE = (CELL_OPEN, CELL_COUNTED, CELL_LISTED, CELL_STORED)
SYSTEM_ROLE = "system"
ROLE = ("viewer", "operator", "admin", SYSTEM_ROLE)
SUPPRESSION_KIND = ("email", "domain", "phone")
DESTINATION_KIND = ("csv", "jsonl", "webhook", "hubspot", "brevo", "n8n")
# What a delivery does at its destination: create or update a contact, or delete it again.
DELIVERY_ACTION = ("upsert", "delete")
UPSERT, DELETE = DELIVERY_ACTION
