"""Read kept pages again with today's extractors, without asking their sites for anything."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.lines import Who
from scrapersky.errors import NoSuchRow
from scrapersky.tables import Domain, Page, PageBody, table_of

BATCH = 1_000


async def reread(engine: AsyncEngine, who: Who, *, domain: str | None = None) -> int:
    """Queue all pages that are kept, or those of one domain; says how many. Rejected ones are not read."""
    pages, bodies = table_of(Page), table_of(PageBody)
    chosen = select(pages.c.id).join(bodies, bodies.c.page_id == pages.c.id)
    chosen = chosen.where(pages.c.tenant_id == who.tenant_id, pages.c.page_processing_status == "Complete")
    if domain is not None:
        chosen = chosen.where(pages.c.domain_id == await _id_of(engine, who, domain))
    batch = chosen.limit(BATCH).with_for_update(skip_locked=True, of=pages).cte("batch")
    marked = func.coalesce(pages.c.additional_json, text("'{}'::jsonb")).op("||")(
        text("""'{"reread": true}'::jsonb""")
    )
    statement = (
        update(pages)
        .where(pages.c.id == batch.c.id)
        .values(page_processing_status="Queued", additional_json=marked)
    )
    total = 0
    while True:
        async with engine.begin() as connection:
            changed = (await connection.execute(statement)).rowcount
        total += changed
        if changed < BATCH:
            return total


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
