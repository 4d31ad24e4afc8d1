"""Limits of pages and sitemap files per domain, applied where rows are stored: only there all of them count.

Several workers import files of one domain concurrently. Storing rows of a domain with a limit locks the
domain until the end of the transaction, so that two workers together cannot exceed it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import md5
from typing import Any
from uuid import UUID

from sqlalchemy import Table, Uuid, any_, bindparam, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.engine.database import Statement
from scrapersky.engine.stage import Item
from scrapersky.storage.pages import ListedPage, PageList
from scrapersky.storage.upserts import Upsert

# The tenant and the domain.
Site = tuple[UUID, UUID]

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
    limits: dict[Site, int] = defaultdict(int)
    for item, listed in rows:
        site = (item.tenant_id, listed.domain_id)
        limits[site] = max(limits[site], listed.max_pages or 0)
    stored = await _count(connection, tables.pages, limits)
    for item, listed in rows:
        number, others = stored.get(listed.domain_id, 0), new[listed.domain_id]
        if listed.max_pages:
            listed = await _shortened(connection, item, listed, number, others)
        kept.append((item, listed))
    return kept


async def _shortened(
    connection: AsyncConnection, item: Item, listed: PageList, stored: int, new: set[str]
) -> PageList:
    """`new` are pages of the domain that other lists of this transaction bring, and then this one's too."""
    limit = listed.max_pages or 0
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
    groups: dict[Site, list[tuple[Item, Upsert]]] = defaultdict(list)
    for item, row in rows:
        if row.max_files:
            groups[item.tenant_id, _domain_of(row)].append((item, row))
    limits = {site: max(row.max_files or 0 for _, row in group) for site, group in groups.items()}
    counts = await _count(connection, tables.sitemap_files, limits)
    for (tenant_id, domain_id), group in groups.items():
        limit, stored = limits[tenant_id, domain_id], counts[domain_id]
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


async def _count(connection: AsyncConnection, table: Table, limits: Mapping[Site, int]) -> dict[UUID, int]:
    """How many rows each domain with a limit has; counting ends at the limit."""
    limited = [(*site, limit) for site, limit in limits.items() if limit]
    if not limited:
        return {}
    tenants, domains, numbers = (list(column) for column in zip(*limited, strict=True))
    values = {"tenants": tenants, "domains": domains, "limits": numbers}
    return {row.domain_id: row.number for row in await _counting(table.name).run(connection, values)}


@cache
def _counting(table: str) -> Statement:
    return Statement(f"""
SELECT v.domain_id, (SELECT count(*) FROM (
  SELECT FROM {table} AS t WHERE t.tenant_id = v.tenant_id AND t.domain_id = v.domain_id LIMIT v.most
) AS found) AS number
FROM unnest(:tenants::uuid[], :domains::uuid[], :limits::int[]) AS v (tenant_id, domain_id, most)""")  # noqa: S608


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
