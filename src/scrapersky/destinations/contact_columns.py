"""The columns of a contact in files and deliveries.

A name that `queries/contact_rows.py` does not compute is a column of the table `contacts`. To export another
column, add it here.
"""

from __future__ import annotations

# In the order of the file, with their meaning.
CONTACT_COLUMNS: dict[str, str] = {
    "domain": "the website the contact was found on",
    "email": "the address, in lower case",
    "email_type": "role, person or no-reply",
    "email_relation": "own (at the website's domain), free (a mail provider) or other",
    "phone_number": "the number in E.164",
    "phone_type": "phone, mobile or fax",
    "phone_extension": "the extension of the number",
    "name": "the person",
    "job_title": "the person's job",
    "address": "the postal address",
    "country": "the country of the contact, two letters",
    "social_urls": "profiles of the contact by network, as JSON",
    "confidence": "confidence of the extraction, 0 to 1",
    "source_url": "the page where it was read first",
    "evidence": "the quoted words of that page",
    "evidence_method": "how it was extracted",
    "email_validation_result": "valid, invalid, catch-all, unknown or disposable",
    "email_validation_score": "0 to 100",
    "email_validation_reason": "why",
    "email_validation_suggestion": "the address that was probably meant",
    "decision": "curation status: New, Selected, Maybe, Rejected or Archived",
    "tags": "tags such as boilerplate, separated by spaces",
    "lawful_basis": "why it may be kept",
    "first_seen_at": "when it was read first",
    "last_seen_at": "when it was read last",
    "id": "our identifier of the contact",
}
