"""Whether another page of a domain is worth a request: a page budget, and what the last pages brought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from cachetools import TTLCache
from sqlalchemy import ARRAY, Uuid, any_, bindparam, desc, func, select

from scrapersky import tables
from scrapersky.declarations import READ_PAGE
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement
from scrapersky.log import pluralize
from scrapersky.stage_context.limits import StageLimits

MAX_DOMAINS, TTL_SECONDS = 2_000, 900.0
# What a site brought when it was read before says nothing about this time.
RECENTLY = timedelta(days=1)


@dataclass(slots=True)
class _Seen:
    """The contacts that this process has just seen on a domain, and the page that showed each first."""

    first_pages: dict[str | None, UUID] = field(default_factory=dict)
    empty_pages: int = 0


class CrawlBudget:
    """Knows what is stored of each domain, and what this process has just read and not yet stored."""

    def __init__(self, database: Database, limits: StageLimits) -> None:
        self._database, self._limits = database, limits
        self._query = Statement(_query(limits))
        self._loader = BatchLoader(self._load)
        self._seen: TTLCache[UUID, _Seen] = TTLCache(MAX_DOMAINS, TTL_SECONDS)

    def record(
        self, domain_id: UUID, page_id: UUID, contacts: Iterable[str | None], *, is_ordinary: bool
    ) -> None:
        """The addresses and numbers that a page showed."""
        seen = self._seen.setdefault(domain_id, _Seen())
        is_first = [seen.first_pages.setdefault(contact, page_id) == page_id for contact in contacts]
        if is_ordinary:
            seen.empty_pages = 0 if any(is_first) else seen.empty_pages + 1

    async def exhausted(self, domain_id: UUID, *, ignore_empty_pages: bool = False) -> str | None:
        """Why no more pages of the domain should be read; None while the budget lasts.

        With `ignore_empty_pages` the budget lasts although the last pages brought nothing new.
        """
        empty = self._limits.stop_after_empty_pages
        seen = self._seen.get(domain_id)
        if seen and seen.empty_pages >= empty and not ignore_empty_pages:
            return _nothing_new(seen.empty_pages)
        usage = await self._loader.load(domain_id)
        if usage is None:
            return None
        if usage.pages_read >= self._limits.page_budget:
            return f"the budget of {pluralize(self._limits.page_budget, 'page')} is used up"
        if ignore_empty_pages:
            return None
        if len(usage.brought_contacts) >= empty and not any(usage.brought_contacts):
            return _nothing_new(empty)
        return None

    async def _load(self, domain_ids: list[UUID]) -> Mapping[UUID, Any]:
        rows = await self._database.fetch(self._query, {"domains": domain_ids})
        return {row.id: row for row in rows}


def _nothing_new(pages: int) -> str:
    return f"the last {pluralize(pages, 'ordinary page')} brought no new contact"


def _query(limits: StageLimits) -> Any:
    """How many pages were read, and whether each of the last ordinary ones showed a new contact.

    By tenant too, as the index is sorted.
    """
    pages, contacts, domains = tables.pages.c, tables.contacts.c, tables.domains
    # A contact keeps the page that showed it first, so what stands on every page counts once.
    first = select(contacts.id).where(contacts.page_id == pages.id, contacts.tenant_id == pages.tenant_id)
    # One look at the index for each page; the plan of EXISTS may read all contacts instead.
    done = select(first.limit(1).scalar_subquery().is_not(None)).where(
        pages.tenant_id == domains.c.tenant_id,
        pages.domain_id == domains.c.id,
        pages[READ_PAGE.status] == READ_PAGE.statuses.done,
    )
    done = done.correlate(domains)
    finished_at = pages[READ_PAGE.column("finished_at")]
    ordinary = done.where(pages.priority_level != 1, finished_at > func.now() - RECENTLY)
    newest = ordinary.order_by(desc(finished_at)).limit(limits.stop_after_empty_pages)
    pages_read = select(func.count()).select_from(
        done.with_only_columns(pages.id).limit(limits.page_budget).subquery()
    )
    return select(
        domains.c.id,
        pages_read.correlate(domains).scalar_subquery().label("pages_read"),
        func.array(newest.scalar_subquery()).label("brought_contacts"),
    ).where(domains.c.id == any_(bindparam("domains", type_=ARRAY(Uuid()))))
