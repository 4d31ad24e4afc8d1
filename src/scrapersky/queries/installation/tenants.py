"""Tenants as those see them who manage the installation: state, quotas and use."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Date, cast, func, or_, select
from sqlalchemy import String as Text

from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.errors import NotFound
from scrapersky.queries.read_model import Query
from scrapersky.tables.counts import tenant_waiting_rows
from scrapersky.tables.seed import DEMO_TENANT_ID

MAX_QUOTA = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """The limits of a tenant; None is unlimited.

    Requests are counted by each web process, for the tenant and for each of its keys. `queued_items` are the
    rows that wait in all queues, `pages_per_day` those that are read; a day begins at midnight UTC.
    """

    requests_per_minute: int | None = None
    key_requests_per_minute: int | None = None
    queued_items: int | None = None
    exports_per_day: int | None = None
    pages_per_day: int | None = None


QUOTAS = tuple(quota.name for quota in fields(Quotas))


@dataclass(frozen=True, slots=True)
class TenantUse:
    """What a tenant uses of that which its quotas limit."""

    queued_items: int
    exports_today: int
    pages_today: int


@dataclass(frozen=True, slots=True)
class TenantRow:
    id: UUID
    name: str
    description: str | None
    is_active: bool
    quotas: Quotas
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class TenantDetails(TenantRow):
    """A tenant with what it uses."""

    use: TenantUse = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class TenantState:
    """What every request of a tenant is checked against."""

    is_active: bool = False
    quotas: Quotas = field(default_factory=Quotas)


def today() -> Any:
    """The day by the database's clock, in UTC."""
    return cast(func.timezone("UTC", func.now()), Date)


class TenantQuery(Query):
    """Needs the owner's engine: a request of a tenant sees itself only."""

    async def list(self) -> list[TenantRow]:
        rows = await self.dicts(select(*_COLUMNS).order_by(tables.tenants.c.name))
        return [TenantRow(**_with_quotas(row)) for row in rows]

    async def show(self, name: str) -> TenantDetails:
        """One tenant by name or id, with what it uses."""
        columns = tables.tenants.c
        rows = await self.dicts(
            select(*_COLUMNS).where(or_(columns.name == name, cast(columns.id, Text) == name.lower()))
        )
        if not rows:
            raise NotFound(f"There is no tenant {name[:200]!r}")
        return TenantDetails(**_with_quotas(rows[0]), use=await self._use(rows[0]["id"]))

    async def state(self, tenant_id: UUID) -> TenantState:
        columns = tables.tenants.c
        row = await self.first(select(columns.is_active, columns.quotas).where(columns.id == tenant_id))
        return TenantState(row.is_active, read_quotas(row.quotas)) if row else TenantState()

    async def disabled(self) -> set[UUID]:
        """Tenants of which nothing is processed: those that are disabled, and the demo world."""
        columns = tables.tenants.c
        rests = or_(~columns.is_active, columns.id == DEMO_TENANT_ID)
        return {row.id for row in await self.rows(select(columns.id).where(rests))}

    async def without_pages_left(self) -> set[UUID]:
        """Tenants that have read as many pages today as their quota allows."""
        columns = tables.tenants.c
        limit = columns.quotas["pages_per_day"].as_integer()
        query = select(columns.id).where(
            columns.quotas.has_key("pages_per_day"), pages_today(columns.id) >= limit
        )
        return {row.id for row in await self.rows(query)}

    async def _use(self, tenant_id: UUID) -> TenantUse:
        usage = tables.tenant_usage.c
        exports = select(usage.exports).where(usage.tenant_id == tenant_id, usage.day == today())
        return TenantUse(
            queued_items=await self.scalar(tenant_waiting_rows(tenant_id)) or 0,
            exports_today=await self.scalar(exports) or 0,
            pages_today=await self.scalar(select(pages_today(tenant_id))) or 0,
        )


_COLUMNS = [
    tables.tenants.c[name]
    for name in ("id", "name", "description", "is_active", "quotas", "created_at", "updated_at")
]


def _with_quotas(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "quotas": read_quotas(row["quotas"])}


def read_quotas(stored: dict[str, int]) -> Quotas:
    return Quotas(**{name: value for name, value in stored.items() if name in QUOTAS})


def pages_today(tenant_id: Any) -> Any:
    """The number of pages that a tenant has read today, by the index of pages that are read."""
    pages = tables.pages.c
    return (
        select(func.count())
        .select_from(tables.pages)
        .where(
            pages.tenant_id == tenant_id,
            pages[READ_PAGE.status] == READ_PAGE.statuses.done,
            pages[READ_PAGE.column("finished_at")]
            >= func.timezone("UTC", func.date_trunc("day", func.timezone("UTC", func.now()))),
        )
        .scalar_subquery()
    )
