"""Contacts with pages and sightings for tests, as a reading would store them."""

from __future__ import annotations

import uuid
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables


async def add_contact(engine: AsyncEngine, domain: str, **given: Any) -> uuid.UUID:
    """One contact of a domain, seen on two pages: surely on the contact page, less so on the home page."""
    contact = uuid.uuid4()
    async with engine.begin() as connection:
        domains = tables.domains
        known = select(domains.c.id).where(domains.c.tenant_id == TENANT, domains.c.domain == domain)
        domain_id = (await connection.execute(known)).scalar()
        if domain_id is None:
            domain_id = uuid.uuid4()
            values = {"id": domain_id, "tenant_id": TENANT, "domain": domain, "host": domain}
            await connection.execute(insert(domains).values(values))
        pages = [uuid.uuid4(), uuid.uuid4()]
        urls = [f"https://{domain}/contact", f"https://{domain}/{contact}"]
        for page, url in zip(pages, urls, strict=True):
            row = {"id": page, "tenant_id": TENANT, "domain_id": domain_id, "host": domain, "url": url}
            held = select(tables.pages.c.id).where(
                tables.pages.c.domain_id == domain_id, tables.pages.c.url == url
            )
            found = (await connection.execute(held)).scalar()
            if found is None:
                await connection.execute(insert(tables.pages).values(row))
            else:
                pages[0] = found
        values = {"id": contact, "tenant_id": TENANT, "domain_id": domain_id, "page_id": pages[1]}
        await connection.execute(insert(tables.contacts).values({**values, "source_url": urls[1], **given}))
        field, value = ("email", given["email"]) if given.get("email") else ("phone", given["phone_number"])
        for page, confidence, method in ((pages[1], 0.5, "text"), (pages[0], 0.9, "mailto")):
            seen = {
                "tenant_id": TENANT,
                "contact_id": contact,
                "page_id": page,
                "field": field,
                "value": value,
            }
            seen |= {"method": method, "quote": f"mail {value}", "confidence": confidence}
            await connection.execute(insert(tables.sightings).values({**seen, "extractor_version": "1"}))
    return contact
