"""Read kept pages again with today's extractors, without asking their sites for anything."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.lines import Who
from scrapersky.errors import NoSuchRow
from scrapersky.tables import Domain, Page, PageBody, table_of
from scrapersky.tables.batches import change_in_batches

BATCH = 1_000


async def reread(engine: AsyncEngine, who: Who, *, domain: str | None = None) -> int:
    """Queue all pages that are kept, or those of one domain; says how many. Rejected ones are not read."""
    pages, bodies = table_of(Page), table_of(PageBody)
    chosen = select(pages.c.id).join(bodies, bodies.c.page_id == pages.c.id)
    chosen = chosen.where(pages.c.tenant_id == who.tenant_id, pages.c.page_processing_status == "Complete")
    if domain is not None:
        chosen = chosen.where(pages.c.domain_id == await _id_of(engine, who, domain))
    marked = func.coalesce(pages.c.additional_json, text("'{}'::jsonb")).op("||")(
        text("""'{"reread": true}'::jsonb""")
    )
    values = {"page_processing_status": "Queued", "additional_json": marked}
    return await change_in_batches(engine, pages, chosen, values, BATCH)


async def _id_of(engine: AsyncEngine, who: Who, domain: str) -> Any:
    domains = table_of(Domain).c
    query = select(domains.id).where(
        domains.tenant_id == who.tenant_id, domains.domain == domain.strip().lower()
    )
    async with engine.connect() as connection:
        found = await connection.scalar(query)
    if found is None:
        raise NoSuchRow(f"There is no domain {domain}")
    return found
