"""Stores submitted rows in sets; existing rows keep their status and curation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Float, SmallInteger, Text, Uuid, case, func, literal, null, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.actions.audit import record
from scrapersky.actions.operations.exclusions import EXCLUDED_REASON, domain_is_excluded
from scrapersky.actions.submission_input import LineResult
from scrapersky.declarations import IMPORT_SITEMAP, READ_METADATA, READ_PAGE, StageDeclaration
from scrapersky.engine.database import retry_on_deadlock, unnest_rows
from scrapersky.queries.read_model import in_array, queue_table


class RowSpec(NamedTuple):
    """A submitted row: a domain, or a URL on it with what the URL alone says about it."""

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


SubmittedRows = Sequence[tuple[LineResult, RowSpec]]


@retry_on_deadlock
async def store_domains(
    engine: AsyncEngine, actor: Actor, rows: SubmittedRows, *, auto_queue: bool, lead_source: str
) -> None:
    """Store domains; existing ones that were never queued are queued now."""
    specs = [spec for _, spec in rows]
    async with engine.begin() as connection:
        status = READ_METADATA.statuses.queued if auto_queue else None
        created = await insert_domains(connection, actor, specs, status, lead_source)
        ids = await _domain_ids(connection, actor, specs)
        queued = await _queue_idle_rows(connection, READ_METADATA, ids.values()) if auto_queue else set()
        new_ids = [ids[name] for name in created]
        await record(
            connection, actor, "domain.submit", table="domains", after=_audit_values(new_ids, queued)
        )
    for result, spec in rows:
        _set_result(result, ids[spec.domain], spec.domain in created, queued)


@retry_on_deadlock
async def store_sitemaps(
    engine: AsyncEngine, actor: Actor, rows: SubmittedRows, *, auto_queue: bool, lead_source: str
) -> None:
    lines = unnest_rows(domain_id=Uuid(), host=Text(), url=Text())
    values = {
        "domain_id": lines.c.domain_id,
        "host": lines.c.host,
        "url": lines.c.url,
        "discovery_method": literal("manual"),
        "lead_source": literal(lead_source),
        "created_by": literal(actor.user_id, Uuid()),
        **_initial_status(IMPORT_SITEMAP, lines, auto_queue=auto_queue),
    }
    async with engine.begin() as connection:
        await _store_below_domains(
            connection, actor, rows, IMPORT_SITEMAP, lines, values, auto_queue, lead_source
        )


@retry_on_deadlock
async def store_pages(
    engine: AsyncEngine, actor: Actor, rows: SubmittedRows, *, auto_queue: bool, lead_source: str
) -> None:
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
        **_initial_status(READ_PAGE, lines, auto_queue=auto_queue),
    }
    async with engine.begin() as connection:
        await _store_below_domains(connection, actor, rows, READ_PAGE, lines, values, auto_queue, lead_source)


def _initial_status(stage: StageDeclaration, lines: Any, *, auto_queue: bool) -> dict[str, Any]:
    """The status of a new row: queued, unless it waits for a person or its domain is excluded."""
    is_excluded = domain_is_excluded(lines.c.domain_id)
    is_idle = is_excluded if auto_queue else literal(True)
    values: dict[str, Any] = {
        stage.status: case((is_idle, null()), else_=literal(stage.statuses.queued)),
        stage.error: case((is_excluded, literal(EXCLUDED_REASON)), else_=null()) if auto_queue else null(),
    }
    if stage is IMPORT_SITEMAP:
        # Otherwise the safety net would queue it (R003).
        values[stage.column("finished_at")] = case((is_idle, func.now()), else_=null())
    return values


async def _store_below_domains(
    connection: AsyncConnection,
    actor: Actor,
    rows: SubmittedRows,
    stage: StageDeclaration,
    lines: Any,
    values: dict[str, Any],
    auto_queue: bool,
    lead_source: str,
) -> None:
    """Store rows below domains. Missing domains are created but not queued: only the row was submitted."""
    table, specs = queue_table(stage), [spec for _, spec in rows]
    await insert_domains(connection, actor, specs, None, lead_source)
    domain_ids = await _domain_ids(connection, actor, specs)
    ordered = sorted(specs, key=lambda spec: (spec.host, spec.domain, spec.url))
    names = [column.name for column in lines.c if column.name != "domain_id"]
    arrays = {f"{name}_list": [getattr(spec, name) for spec in ordered] for name in names}
    arrays["domain_id_list"] = [domain_ids[spec.domain] for spec in ordered]
    new_rows = select(literal(actor.tenant_id, Uuid()), *values.values()).select_from(lines)
    statement = (
        insert(table)
        .from_select(["tenant_id", *values], new_rows, include_defaults=False)
        .on_conflict_do_nothing(index_elements=["tenant_id", "domain_id", "url_hash"])
        .returning(table.c.id)
    )
    created = set((await connection.execute(statement, arrays)).scalars())
    stored = (
        select(table.c.id, table.c.domain_id, table.c.url)
        .join(lines, (lines.c.domain_id == table.c.domain_id) & (lines.c.url == table.c.url))
        # The unique index is on the hash.
        .where(table.c.tenant_id == actor.tenant_id, table.c.url_hash == func.md5(lines.c.url).cast(Uuid()))
    )
    ids = {(row.domain_id, row.url): row.id for row in await connection.execute(stored, arrays)}
    queued = await _queue_idle_rows(connection, stage, ids.values()) if auto_queue else set()
    action = "page.submit" if stage is READ_PAGE else "sitemap.submit"
    await record(connection, actor, action, table=table.name, after=_audit_values(created, queued))
    for result, spec in rows:
        row_id = ids[domain_ids[spec.domain], spec.url]
        _set_result(result, row_id, row_id in created, queued)


async def insert_domains(
    connection: AsyncConnection, actor: Actor, specs: Iterable[RowSpec], status: str | None, lead_source: str
) -> set[str]:
    """Create missing domains; returns their names."""
    # Ordered by host, so that two submissions lock the same rows in the same order.
    unique = sorted({(spec.host, spec.domain) for spec in specs})
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
    return set((await connection.execute(statement, arrays)).scalars())


async def _domain_ids(connection: AsyncConnection, actor: Actor, specs: Iterable[RowSpec]) -> dict[str, UUID]:
    domains = tables.domains.c
    is_named = in_array(domains.domain, {spec.domain for spec in specs})
    query = select(domains.domain, domains.id).where(domains.tenant_id == actor.tenant_id, is_named)
    return {row.domain: row.id for row in await connection.execute(query)}


async def _queue_idle_rows(
    connection: AsyncConnection, stage: StageDeclaration, ids: Iterable[UUID]
) -> set[UUID]:
    """Queue rows that were never queued; returns those of all rows that are queued now."""
    table = queue_table(stage)
    status = table.c[stage.status]
    claimable = [in_array(table.c.id, ids)]
    if stage.excluded_by:
        claimable.append(table.c[stage.excluded_by].not_in(stage.excluded_statuses))
    if "domain_id" in table.c:
        claimable.append(~domain_is_excluded(table.c.domain_id))
    others = stage.statuses.other
    is_idle = or_(status.is_(None), status.in_(others)) if others else status.is_(None)
    await connection.execute(
        update(table).where(*claimable, is_idle).values({stage.status: stage.statuses.queued})
    )
    queued = select(table.c.id).where(*claimable, status == stage.statuses.queued)
    return set((await connection.execute(queued)).scalars())


def _audit_values(created: Collection[UUID], queued: Collection[UUID]) -> dict[str, Any]:
    return {"created": len(created), "queued": len(queued), "ids": sorted(created)}


def _set_result(result: LineResult, row_id: UUID, is_new: bool, queued: set[UUID]) -> None:
    result.id = row_id
    result.status = "new" if is_new else "known"
    result.reason = "" if is_new else "already exists"
    result.queued = row_id in queued
