"""Starts the import of an original ScraperSky database."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.jobs import submit_job
from scrapersky.queries import JobQuery
from scrapersky.secret_key import SecretKey
from scrapersky.stage_context.legacy import encrypt_address
from scrapersky.stage_context.legacy.source import LegacySource


async def import_legacy_database(
    engine: AsyncEngine, actor: Actor, key: SecretKey, url: str
) -> dict[str, Any]:
    """Check that the database can be read, then submit the job; its address is stored encrypted only."""
    counts = await LegacySource(url).counts()
    async with engine.begin() as connection:
        number, _ = await submit_job(
            connection,
            tenant_id=actor.tenant_id,
            job_type="import_legacy",
            data={"source": encrypt_address(key, url)},
            created_by=actor.user_id,
        )
        after = {"job_type": "import_legacy", "rows": counts}
        await record(connection, actor, "job.submit", table="jobs", row_id=number, after=after)
    return await JobQuery(engine, actor.tenant_id).show(str(number))
