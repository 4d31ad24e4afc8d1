"""Contacts with their domain and the best piece of evidence, as they are shown, exported and delivered."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, case, desc, func, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.destinations.contact_columns import CONTACT_COLUMNS
from scrapersky.queries.email_scores import current_score
from scrapersky.queries.rows.attributions import derived_attribution


def contact_rows(engine: AsyncEngine) -> Select[Any]:
    """One row for each contact with the columns of `CONTACT_COLUMNS`; callers add their conditions."""
    contacts, domains = tables.contacts, tables.domains
    evidence = _best_sighting(contacts)
    computed: dict[str, Any] = {
        "domain": domains.c.domain,
        "decision": contacts.c.contact_curation_status,
        "first_seen_at": contacts.c.created_at,
        "email_validation_score": current_score(engine),
        "source_url": func.coalesce(evidence.c.url, contacts.c.source_url),
        "evidence": evidence.c.quote,
        "evidence_method": evidence.c.method,
        "attribution": derived_attribution(contacts.c.lead_source, domains.c.lead_source),
        "lead_score": case((contacts.c.lead_score_parts != {}, contacts.c.lead_score)),
        "lead_score_why": func.scrapersky_score_why(contacts.c.lead_score_parts),
    }
    return (
        select(
            *(
                computed[name].label(name) if name in computed else contacts.c[name]
                for name in CONTACT_COLUMNS
            )
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
