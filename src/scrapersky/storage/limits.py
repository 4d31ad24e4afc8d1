"""Limits of pages and sitemap files per domain, applied where rows are stored: only there all of them count.

Several workers import files of one domain concurrently. Storing rows of a domain with a limit locks the
domain until the end of the transaction, so that two workers together cannot exceed it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import md5
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Table, Uuid, any_, bindparam, func, literal, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.pages import ListedPage, PageList
from scrapersky.storage.upserts import Upsert

LOCK_DOMAINS = Statement("""
SELECT id FROM domains WHERE id = ANY (:ids::uuid[]) ORDER BY id FOR NO KEY UPDATE""")


async def lock_domains(connection: AsyncConnection, rows: Sequence[tuple[Item, Any]]) -> None:
    """Lock the domains of all rows with a limit, always in the same order."""
    if ids := {_domain_of(row) for _, row in rows if _is_limited(row)}:
        await LOCK_DOMAINS.run(connection, {"ids": list(ids)})


def _domain_of(row: Upsert | PageList) -> UUID:
    return row.domain_id if isinstance(row, PageList) else UUID(str(row.values["domain_id"]))


def _is_limited(row: Any) -> bool:
    return bool(getattr(row, "max_pages", None) or getattr(row, "max_files", None))


async def limit_pages(
    connection: AsyncConnection, rows: Sequence[tuple[Item, PageList]]
) -> list[tuple[Item, PageList]]:
    """The lists within their limits: the most promising pages are kept, and the file is marked."""
    kept: list[tuple[Item, PageList]] = []
    new: dict[UUID, set[str]] = defaultdict(set)
    for item, listed in rows:
        short = (
            await _shortened(connection, item, listed, new[listed.domain_id]) if listed.max_pages else listed
        )
        kept.append((item, short))
    return kept


async def _shortened(connection: AsyncConnection, item: Item, listed: PageList, new: set[str]) -> PageList:
    """`new` are pages of the domain that other lists of this transaction bring, and then this one's too."""
    limit = listed.max_pages or 0
    stored = await _count(connection, tables.pages, item.tenant_id, listed.domain_id, limit)
    pages = {page.url: page for page in listed.pages}
    if stored + len(new) + len(pages) <= limit:
        new.update(pages)
        return listed
    known = await _known(connection, tables.pages, item.tenant_id, listed.domain_id, pages) | (
        new & pages.keys()
    )
    others = sorted((page for url, page in pages.items() if url not in known), key=_promise)
    taken = others[: max(0, limit - stored - len(new))]
    new.update(page.url for page in taken)
    short = [*(pages[url] for url in known), *taken]
    if left_out := len(others) - len(taken):
        values = {"left_out_pages": left_out, "max_pages": limit, "page_count": len(short)}
        await _mark_partial(connection, item.tenant_id, listed.sitemap_id, values)
    return replace(listed, pages=short)


def _promise(page: ListedPage) -> tuple[bool, int, int]:
    return (page.status == statuses.FILTERED, page.priority, page.depth)


async def limit_sitemap_files(
    connection: AsyncConnection, rows: Sequence[tuple[Item, Upsert]]
) -> list[tuple[Item, Upsert]]:
    """The rows without the sitemap files that are too many for their domain; the first ones stay."""
    kept = [(item, row) for item, row in rows if not row.max_files]
    groups: dict[tuple[UUID, UUID], list[tuple[Item, Upsert]]] = defaultdict(list)
    for item, row in rows:
        if row.max_files:
            groups[item.tenant_id, _domain_of(row)].append((item, row))
    for (tenant_id, domain_id), group in groups.items():
        limit = max(row.max_files or 0 for _, row in group)
        stored = await _count(connection, tables.sitemap_files, tenant_id, domain_id, limit)
        if stored + len(group) <= limit:
            kept += group
            continue
        urls = dict.fromkeys(row.values["url"] for _, row in group)
        known = await _known(connection, tables.sitemap_files, tenant_id, domain_id, urls)
        taken = known | set([url for url in urls if url not in known][: max(0, limit - stored)])
        kept += [(item, row) for item, row in group if row.values["url"] in taken]
        for parent, number in _left_out(group, taken).items():
            await _mark_partial(connection, tenant_id, parent, {"left_out_files": number})
    return kept


def _left_out(group: Iterable[tuple[Item, Upsert]], taken: Collection[str]) -> dict[UUID | None, int]:
    counts: dict[UUID | None, int] = defaultdict(int)
    for _, row in group:
        if row.values["url"] not in taken:
            counts[row.values.get("parent_id")] += 1
    return counts


async def _count(
    connection: AsyncConnection, row: Table, tenant_id: UUID, domain_id: UUID, limit: int
) -> int:
    """How many rows the domain has; counting ends at the limit."""
    values = {"tenant": tenant_id, "domain": domain_id, "limit": limit}
    return int((await _counting(row).run(connection, values))[0][0])


@cache
def _counting(row: Table) -> Statement:
    columns = row.c
    tenant, domain = bindparam("tenant", type_=Uuid()), bindparam("domain", type_=Uuid())
    some = select(literal(1)).where(columns.tenant_id == tenant, columns.domain_id == domain)
    limit = bindparam("limit", type_=Integer)
    return Statement(select(func.count()).select_from(some.limit(limit).subquery()))


async def _known(
    connection: AsyncConnection, row: Table, tenant_id: UUID, domain_id: UUID, urls: Iterable[str]
) -> set[str]:
    """Those of the URLs that the domain has already."""
    columns = row.c
    hashes = [UUID(bytes=md5(url.encode(), usedforsecurity=False).digest()) for url in urls]
    query = select(columns.url).where(
        columns.tenant_id == tenant_id,
        columns.domain_id == domain_id,
        columns.url_hash == any_(bindparam("hashes", type_=ARRAY(Uuid()))),
    )
    return set((await connection.execute(query, {"hashes": hashes})).scalars())


async def _mark_partial(
    connection: AsyncConnection, tenant_id: UUID, sitemap_id: UUID | None, values: dict[str, int]
) -> None:
    """Record on the file's row that not all of it was taken."""
    table = tables.sitemap_files
    row = update(table).where(table.c.tenant_id == tenant_id, table.c.id == sitemap_id)
    await connection.execute(row.values(is_partial=True, **values))
