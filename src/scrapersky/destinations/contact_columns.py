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
    "email_validation_score": "0 to 100, lowered by the age of the validation",
    "email_validation_reason": "why",
    "email_validation_suggestion": "the address that was probably meant",
    "email_validation_method": "what decided: syntax, list, dns or debounce",
    "email_validated_at": "when it was validated",
    "lead_score": "0 to 100; empty until it is computed",
    "lead_score_why": "the points and the reason of each part of the score",
    "decision": "curation status: New, Selected, Maybe, Rejected or Archived",
    "tags": "tags such as boilerplate, separated by spaces",
    "lawful_basis": "why it may be kept",
    "contact_objection": "the words in which its page asks not to be contacted",
    "first_seen_at": "when it was read first",
    "last_seen_at": "when it was read last",
    "attribution": "whom to name when it is published, by the licence of its source",
    "id": "our identifier of the contact",
}
