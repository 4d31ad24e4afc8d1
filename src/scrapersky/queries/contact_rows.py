"""Contacts with their domain and the best piece of evidence, as they are shown, exported and delivered."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, case, desc, func, select, true

from scrapersky import tables

SAME_NAME = (
    "id", "email", "email_type", "email_relation", "phone_number", "phone_type", "phone_extension", "name",
    "job_title", "address", "country", "social_urls", "confidence", "lawful_basis", "last_seen_at",
    "email_validation_result", "email_validation_score", "email_validation_reason",
    "email_validation_suggestion", "tags",
)  # fmt: skip


def contact_rows() -> Select[Any]:
    """One row for each contact; callers add what they look for."""
    contacts, domains = tables.contacts, tables.domains
    evidence = _best_sighting(contacts)
    return (
        select(
            domains.c.domain,
            *(contacts.c[name] for name in SAME_NAME),
            contacts.c.contact_curation_status.label("decision"),
            contacts.c.created_at.label("first_seen_at"),
            func.coalesce(evidence.c.url, contacts.c.source_url).label("source_url"),
            evidence.c.quote.label("evidence"),
            evidence.c.method.label("evidence_method"),
        )
        .select_from(contacts)
        .join(domains, (domains.c.id == contacts.c.domain_id) & (domains.c.tenant_id == contacts.c.tenant_id))
        .join(evidence, true(), isouter=True)
    )


def _best_sighting(contacts: Any) -> Any:
    """The surest sighting of what the contact is: its address, or its number if it has none."""
    sightings, pages = tables.sightings, tables.pages
    main = case((contacts.c.email.is_not(None), "email"), else_="phone")
    return (
        select(sightings.c.quote, sightings.c.method, pages.c.url)
        .join(pages, pages.c.id == sightings.c.page_id)
        .where(sightings.c.contact_id == contacts.c.id, sightings.c.tenant_id == contacts.c.tenant_id)
        .order_by(desc(sightings.c.field == main), sightings.c.confidence.desc().nulls_last(), sightings.c.id)
        .limit(1)
        .lateral("evidence")
    )
