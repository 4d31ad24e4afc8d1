"""Stores submitted rows, set by set; what is there already keeps its state and every decision about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    Float,
    SmallInteger,
    Table,
    Text,
    Uuid,
    and_,
    bindparam,
    case,
    func,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.submission_input import LineResult
from scrapersky.declarations import IMPORT_SITEMAP, READ_METADATA, READ_PAGE, statuses
from scrapersky.declarations.queue import Queue
from scrapersky.engine.database import retry_on_deadlock, unnest_rows
from scrapersky.maintenance.exclusions import EXCLUDED_REASON, domain_is_excluded


class RowSpec(NamedTuple):
    """A row that should exist: a domain, or an address on it with what its form tells."""

    domain: str
    host: str
    url: str = ""
    page_type: str = "unknown"
    confidence: float = 0.0
    priority: int = 3
    depth: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return (self.domain, self.url)


NewRows = Sequence[tuple[LineResult, RowSpec]]


@retry_on_deadlock
async def store_domains(
    engine: AsyncEngine, actor: Actor, fresh: NewRows, *, auto_queue: bool, lead_source: str
) -> None:
    """New domains; known ones that were never queued are queued now."""
    table, queue = tables.domains, READ_METADATA
    async with engine.begin() as connection:
        status = queue.statuses.queued if auto_queue else None
        made = await insert_domains(connection, actor, [one for _, one in fresh], status, lead_source)
        known = await _known_domains(connection, actor, [one.domain for _, one in fresh])
        queued = await _queue_idle(connection, table, queue, list(known.values())) if auto_queue else set()
    for result, wanted in fresh:
        _tell(result, known[wanted.domain], wanted.domain in made, queued)


@retry_on_deadlock
async def store_sitemaps(
    engine: AsyncEngine, actor: Actor, fresh: NewRows, *, auto_queue: bool, lead_source: str
) -> None:
    table, queue = tables.sitemap_files, IMPORT_SITEMAP
    lines = unnest_rows(domain_id=Uuid(), host=Text(), url=Text())
    values = {
        "domain_id": lines.c.domain_id,
        "host": lines.c.host,
        "url": lines.c.url,
        "discovery_method": literal("manual"),
        "lead_source": literal(lead_source),
        "created_by": literal(actor.user_id, Uuid()),
        **_begins(queue, lines, auto_queue=auto_queue),
    }
    async with engine.begin() as connection:
        await _store_below(connection, actor, fresh, table, queue, lines, values, auto_queue, lead_source)


@retry_on_deadlock
async def store_pages(
    engine: AsyncEngine, actor: Actor, fresh: NewRows, *, auto_queue: bool, lead_source: str
) -> None:
    table, queue = tables.pages, READ_PAGE
    lines = unnest_rows(
        domain_id=Uuid(), host=Text(), url=Text(), page_type=Text(), confidence=Float(),
        priority=SmallInteger(), depth=SmallInteger(),
    )  # fmt: skip
    values = {
        "domain_id": lines.c.domain_id,
        "host": lines.c.host,
        "url": lines.c.url,
        "page_type": lines.c.page_type,
        "page_type_confidence": lines.c.confidence,
        "priority_level": lines.c.priority,
        "path_depth": lines.c.depth,
        "lead_source": literal(lead_source),
        **_begins(queue, lines, auto_queue=auto_queue),
    }
    async with engine.begin() as connection:
        await _store_below(connection, actor, fresh, table, queue, lines, values, auto_queue, lead_source)


def _begins(queue: Queue, lines: Any, *, auto_queue: bool) -> dict[str, Any]:
    """The work of a new row: queued, unless nobody wants it yet or its domain is rejected."""
    rejected = domain_is_excluded(lines.c.domain_id)
    idle = rejected if auto_queue else literal(True)
    values: dict[str, Any] = {
        queue.status: case((idle, null()), else_=literal(queue.statuses.queued)),
        queue.error: case((rejected, literal(EXCLUDED_REASON)), else_=null()) if auto_queue else null(),
    }
    if queue is IMPORT_SITEMAP:
        # One that nobody forgot counts as finished for the safety net (R003).
        values[queue.column("finished_at")] = case((idle, func.now()), else_=null())
    return values


async def _store_below(
    connection: AsyncConnection,
    actor: Actor,
    fresh: NewRows,
    table: Table,
    queue: Queue,
    lines: Any,
    values: dict[str, Any],
    auto_queue: bool,
    lead_source: str,
) -> None:
    """Rows below domains; the domains are made first, idle: only the row itself was asked for."""
    await insert_domains(connection, actor, [one for _, one in fresh], None, lead_source)
    domains = await _known_domains(connection, actor, [one.domain for _, one in fresh])
    ordered = sorted((one for _, one in fresh), key=lambda one: (one.host, one.domain, one.url))
    columns = [column.name for column in lines.c]
    arrays = {
        f"{name}_list": [getattr(one, name) for one in ordered] for name in columns if name != "domain_id"
    }
    arrays["domain_id_list"] = [domains[one.domain] for one in ordered]
    rows = select(literal(actor.tenant_id, Uuid()), *values.values()).select_from(lines)
    statement = (
        insert(table)
        .from_select(["tenant_id", *values], rows, include_defaults=False)
        .on_conflict_do_nothing(index_elements=["tenant_id", "domain_id", "url_hash"])
        .returning(table.c.id)
    )
    made = {row.id for row in await connection.execute(statement, arrays)}
    find = select(table.c.id, table.c.domain_id, table.c.url).join(
        lines, (lines.c.domain_id == table.c.domain_id) & (lines.c.url == table.c.url)
    )
    # The join by hash is what the unique index answers.
    find = find.where(
        table.c.tenant_id == actor.tenant_id, table.c.url_hash == func.md5(lines.c.url).cast(Uuid())
    )
    known = {(row.domain_id, row.url): row.id for row in await connection.execute(find, arrays)}
    queued = await _queue_idle(connection, table, queue, list(known.values())) if auto_queue else set()
    for result, wanted in fresh:
        row_id = known[domains[wanted.domain], wanted.url]
        _tell(result, row_id, row_id in made, queued)


async def insert_domains(
    connection: AsyncConnection, actor: Actor, wanted: Iterable[RowSpec], status: str | None, lead_source: str
) -> set[str]:
    """The names of the domains that were not there."""
    # In the order of hosts, so that two submissions lock the same rows one after the other.
    unique = sorted({(one.host, one.domain) for one in wanted})
    lines = unnest_rows(domain=Text(), host=Text())
    values = {
        "tenant_id": literal(actor.tenant_id, Uuid()),
        "domain": lines.c.domain,
        "host": lines.c.host,
        "status": literal(status) if status else null(),
        "lead_source": literal(lead_source),
        "created_by": literal(actor.user_id, Uuid()),
    }
    table = tables.domains
    statement = (
        insert(table)
        .from_select(list(values), select(*values.values()).select_from(lines), include_defaults=False)
        .on_conflict_do_nothing(index_elements=["tenant_id", "domain"])
        .returning(table.c.domain)
    )
    arrays = {"domain_list": [domain for _, domain in unique], "host_list": [host for host, _ in unique]}
    return {row.domain for row in await connection.execute(statement, arrays)}


async def _known_domains(connection: AsyncConnection, actor: Actor, names: Iterable[str]) -> dict[str, UUID]:
    table = tables.domains
    wanted = bindparam("names", type_=ARRAY(Text()))
    query = select(table.c.domain, table.c.id).where(
        table.c.tenant_id == actor.tenant_id, table.c.domain == func.any(wanted)
    )
    rows = await connection.execute(query, {"names": list(set(names))})
    return {row.domain: row.id for row in rows}


async def _queue_idle(connection: AsyncConnection, table: Table, queue: Queue, ids: list[UUID]) -> set[UUID]:
    """Queue those that were never queued; says which of all of them are queued now."""
    status = table.c[queue.status]
    mine = table.c.id == func.any(bindparam("ids", type_=ARRAY(Uuid())))
    allowed: Any = (
        table.c[queue.excluded_by].not_in(statuses.EXCLUDED) if queue.excluded_by else literal(True)
    )
    if "domain_id" in table.c:
        allowed = and_(allowed, ~domain_is_excluded(table.c.domain_id))
    idle = (
        or_(status.is_(None), status.in_(queue.statuses.other)) if queue.statuses.other else status.is_(None)
    )
    await connection.execute(
        update(table).where(mine, idle, allowed).values({queue.status: queue.statuses.queued}), {"ids": ids}
    )
    rows = await connection.execute(
        select(table.c.id).where(mine, status == queue.statuses.queued, allowed), {"ids": ids}
    )
    return {row.id for row in rows}


def _tell(result: LineResult, row_id: UUID, is_new: bool, queued: set[UUID]) -> None:
    result.id = row_id
    result.status = "new" if is_new else "known"
    result.reason = "" if is_new else "already there"
    result.queued = row_id in queued
