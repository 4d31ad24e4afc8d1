"""Rows in every state for tests of operations, and what is left of them afterwards."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT
from scrapersky import tables
from scrapersky.declarations import statuses
from scrapersky.queries.rows.entities import ENTITIES, Entity

NAMES = {"place": "name", "business": "business_name"}


async def add_rows(
    engine: AsyncEngine, name: str, number: int, *, tenant_id: uuid.UUID = TENANT, **values: Any
) -> list[uuid.UUID]:
    """New rows of one kind that are not queued."""
    entity = ENTITIES[name]
    ids = sorted(uuid.uuid4() for _ in range(number))
    domain = uuid.uuid4()
    rows = [
        {"id": row_id, "tenant_id": tenant_id, **_values(name, row_id, domain), **values} for row_id in ids
    ]
    async with engine.begin() as connection:
        if "domain_id" in entity.table.c:
            host = f"shop-{domain.hex[:12]}.example"
            site = {"id": domain, "tenant_id": tenant_id, "domain": host, "status": "completed"}
            await connection.execute(insert(tables.domains).values(site))
        await connection.execute(insert(entity.table), rows)
    return ids


def _values(name: str, row_id: uuid.UUID, domain: uuid.UUID) -> dict[str, Any]:
    if name in NAMES:
        return {"place_id": row_id.hex, NAMES[name]: f"Shop {row_id.hex[:6]}"}
    if name == "domain":
        return {"domain": f"shop-{row_id.hex[:12]}.example", "status": None}
    if name == "contact":
        return {
            "domain_id": domain,
            "email": f"{row_id.hex[:12]}@shop.example",
            "source_url": "https://shop.example/",
        }
    url = {"domain_id": domain, "url": f"https://shop.example/{row_id}"}
    return url | ({"sitemap_import_status": None} if name == "sitemap" else {})


async def scatter(engine: AsyncEngine, entity: Entity, ids: list[uuid.UUID], chance: random.Random) -> None:
    """Give the rows every kind of state, as if they had a past; the triggers do not interfere."""
    async with engine.begin() as connection:
        await connection.execute(text("SET LOCAL session_replication_role = replica"))
        for row_id in ids:
            state = random_state(entity, chance)
            await connection.execute(update(entity.table).where(entity.table.c.id == row_id).values(state))


def random_state(entity: Entity, chance: random.Random) -> dict[str, Any]:
    past = datetime.now(UTC) - timedelta(
        seconds=chance.randrange(1, 10**6), microseconds=chance.randrange(10**6)
    )
    state: dict[str, Any] = {"updated_at": past, entity.curation_column: chance.choice(statuses.CURATION)}
    for stage in entity.stages:
        status = chance.choice([None, *stage.statuses.all])
        in_work = status == stage.statuses.processing
        state |= {
            stage.status: status,
            stage.error: "no answer"
            if status == stage.statuses.failed
            else chance.choice([None, "a warning"]),
            stage.column("due_at"): past + timedelta(seconds=chance.randrange(10**6)),
            stage.column("retries"): chance.randrange(4),
            stage.column("rescues"): chance.randrange(3),
            stage.column("crashes"): chance.randrange(3),
            stage.column("correlation_id"): chance.choice([None, "earlier-request"]),
            stage.column("lease_seq"): chance.randrange(9),
            stage.column("worker"): chance.choice([7, 8]) if in_work else chance.choice([None, 9]),
            stage.column("lease_until"): datetime.now(UTC) + timedelta(hours=1) if in_work else None,
        }
    return state


async def snapshot(engine: AsyncEngine, entity: Entity) -> dict[uuid.UUID, dict[str, Any]]:
    """Every column of every row."""
    async with engine.connect() as connection:
        rows = (await connection.execute(select(entity.table))).mappings()
        return {row["id"]: dict(row) for row in rows}


async def operation_row(engine: AsyncEngine, operation_id: uuid.UUID) -> Any:
    async with engine.connect() as connection:
        query = select(tables.operations).where(tables.operations.c.id == operation_id)
        return (await connection.execute(query)).one()
