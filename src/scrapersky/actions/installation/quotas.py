"""Refuses new work beyond the quotas of a tenant; what it has stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.errors import TooManyRequests
from scrapersky.log import pluralize
from scrapersky.queries.installation.tenants import TenantQuery, today
from scrapersky.queries.read_model import Query
from scrapersky.tables.counts import tenant_waiting_rows


async def require_queue_room(engine: AsyncEngine, tenant_id: UUID, number: int) -> None:
    """Refuse to queue so many more rows beyond the quota of waiting ones.

    Requests at the same moment may exceed it together, by what each of them queues.
    """
    limit = (await TenantQuery(engine).state(tenant_id)).quotas.queued_items
    if limit is None or not number:
        return
    waiting = await Query(engine).scalar(tenant_waiting_rows(tenant_id)) or 0
    if waiting + number > limit:
        raise TooManyRequests(
            f"The tenant may have {limit:,} queued items; {waiting:,} wait, and this would add {number:,}",
            retry_after=60,
            quota="queued_items",
            limit=limit,
            used=waiting,
        )


async def count_export(engine: AsyncEngine, tenant_id: UUID) -> None:
    """Count an export that begins, or refuse it beyond the quota of the day."""
    limit = (await TenantQuery(engine).state(tenant_id)).quotas.exports_per_day
    usage = tables.tenant_usage
    statement = insert(usage).from_select(
        ["tenant_id", "day", "exports"],
        select(tables.tenants.c.id, today(), 1).where(tables.tenants.c.id == tenant_id),
        include_defaults=False,
    )
    added = statement.on_conflict_do_update(
        index_elements=["tenant_id", "day"],
        set_={"exports": usage.c.exports + 1},
        where=None if limit is None else usage.c.exports < limit,
    ).returning(usage.c.exports)
    async with engine.begin() as connection:
        number = await connection.scalar(added)
        if limit is not None and (number is None or number > limit):
            raise TooManyRequests(
                f"The tenant may have {pluralize(limit, 'export')} a day; the next day begins at 00:00 UTC",
                retry_after=_seconds_until_midnight(datetime.now(UTC)),
                quota="exports_per_day",
                limit=limit,
            )


def _seconds_until_midnight(now: datetime) -> int:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return max(1, round((midnight - now).total_seconds()))
