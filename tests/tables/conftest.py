"""Makes valid rows of any table, every column filled, parents included."""

from __future__ import annotations

import random
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Date,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Numeric,
    SmallInteger,
    Table,
    Text,
    Uuid,
    insert,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import COLUMN_OWNERS, statuses
from scrapersky.settings import Settings
from scrapersky.tables import metadata

sys.path.insert(0, str(Path(__file__).parents[1]))

TENANT: UUID = Settings.model_fields["default_tenant_id"].default
USER: UUID = Settings.model_fields["scheduler_system_user_id"].default
TEXTS = (
    "plain",
    "Ünïcödé €",
    "日本語",
    "tab\tand\nline",
    "'; DROP TABLE pages; --",
    '{"not": "json"}',
    "100 %s :x",
)

Make = Callable[..., Awaitable[dict[str, Any]]]

# Columns whose rule is narrower than their type.
CHOSEN: dict[str, Callable[[random.Random], Any]] = {
    "tenant_id": lambda _: TENANT,
    "email": lambda chance: f"person{chance.getrandbits(60)}@example.org",
    "domain": lambda chance: f"shop{chance.getrandbits(60)}.example",
    "url": lambda chance: f"https://shop.example/{chance.getrandbits(60)}/ä?q=%20",
    "priority_level": lambda chance: chance.choice((1, 2, 3)),
    "email_validation_score": lambda chance: chance.randint(0, 100),
    "lead_score": lambda chance: chance.randint(0, 100),
    "lead_score_parts.part": lambda chance: chance.choice(("category", "evidence")),
    "lead_score_parts.weight": lambda chance: chance.randint(0, 100),
    "place_matches.verdict": lambda chance: chance.choice(statuses.MATCH_VERDICT),
    "progress_percent": lambda chance: chance.randint(0, 100),
    "progress": lambda chance: chance.random(),
    "sightings.place": lambda chance: chance.choice(statuses.EVIDENCE_PLACE),
    "role": lambda chance: chance.choice(statuses.ROLE),
    "search_cells.state": lambda chance: chance.choice(statuses.CELL_STATE),
    "severity": lambda chance: chance.choice(statuses.SEVERITY),
    "robots_status": lambda chance: chance.choice(statuses.ROBOTS),
    "contact_scrape_status": lambda chance: chance.choice(statuses.CONTACT_SCRAPE),
    "email_validation_result": lambda chance: chance.choice(statuses.EMAIL_RESULT),
    "email_validation_method": lambda chance: chance.choice(statuses.EMAIL_METHOD),
    "sitemap_curation_status": lambda chance: chance.choice(statuses.CURATION),
    "page_curation_status": lambda chance: chance.choice(statuses.CURATION),
    "contact_curation_status": lambda chance: chance.choice(statuses.CURATION),
    "places_staging.status": lambda chance: chance.choice(statuses.CURATION),
    "local_businesses.status": lambda chance: chance.choice(statuses.CURATION),
    "operations.status": lambda chance: chance.choice(statuses.OPERATION),
    "operations.action": lambda chance: chance.choice(statuses.OPERATION_ACTION),
    "operations.ids": lambda _: [uuid4()],
    "import_notes.outcome": lambda chance: chance.choice(statuses.IMPORT_OUTCOME),
    "investigations.state": lambda chance: chance.choice(statuses.INVESTIGATION),
    # A setting has a plain value or an encrypted one.
    "setting_overrides.encrypted_value": lambda _: None,
    # A rule decides or it delivers.
    "rules.decision": lambda chance: chance.choice(statuses.CURATION),
    "rules.destination_id": lambda _: None,
    # Only a send has a destination.
    "schedules.kind": lambda _: "crawl",
    "schedules.destination_id": lambda _: None,
    "schedules.every_days": lambda chance: chance.randint(1, 366),
    "schedules.time_of_day": lambda _: "06:00",
    "schedules.last_outcome": lambda chance: chance.choice(statuses.RUN_OUTCOME),
    # A deletion has no contact.
    "deliveries.action": lambda _: statuses.UPSERT,
    "suppressions.kind": lambda chance: chance.choice(statuses.SUPPRESSION_KIND),
    "destinations.kind": lambda chance: chance.choice(statuses.DESTINATION_KIND),
    "tenants.id": lambda _: uuid4(),
    "country": lambda _: "DE",
    "latitude": lambda chance: Decimal(chance.randint(-90_0000000, 90_0000000)).scaleb(-7),
    "longitude": lambda chance: Decimal(chance.randint(-180_0000000, 180_0000000)).scaleb(-7),
    "rating": lambda chance: Decimal(chance.randint(0, 500)).scaleb(-2),
    "places_staging.latitude": lambda chance: chance.uniform(-90, 90),
    "osm_elements.latitude": lambda chance: chance.uniform(-90, 90),
    "osm_elements.longitude": lambda chance: chance.uniform(-180, 180),
    "places_staging.longitude": lambda chance: chance.uniform(-180, 180),
    "places_staging.rating": lambda chance: chance.uniform(0, 5),
}


def value_for(table: Table, column: Any, chance: random.Random) -> Any:
    chosen = CHOSEN.get(f"{table.name}.{column.name}") or CHOSEN.get(column.name)
    if chosen:
        return chosen(chance)
    kind = column.type
    if isinstance(kind, ARRAY):
        return (
            [chance.randint(0, 9) for _ in range(3)] if isinstance(kind.item_type, Integer) else list(TEXTS)
        )
    makers: list[tuple[type[Any], Callable[[], Any]]] = [
        (Text, lambda: f"{chance.choice(TEXTS)[:8]}{chance.getrandbits(32):x}"),
        (Boolean, lambda: chance.random() < 0.5),
        (DateTime, lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.getrandbits(40))),
        (JSONB, lambda: {"text": chance.choice(TEXTS), "list": [1, None, {"a": 1.5}], "flag": True}),
        (Date, lambda: date(2026, 1, 1) + timedelta(days=chance.randrange(365))),
        (LargeBinary, lambda: chance.randbytes(32)),
        (Uuid, lambda: uuid4()),
        (SmallInteger, lambda: chance.randint(0, 300)),
        (BigInteger, lambda: chance.randint(0, 2**40)),
        (Float, lambda: chance.random()),
        (Numeric, lambda: Decimal(chance.randint(0, 500)).scaleb(-2)),
    ]
    for type_, make in makers:
        if isinstance(kind, type_):
            return make()
    return chance.randint(0, 2**31 - 1)


def work_values(table: Table, *, words_wanted: dict[str, str | None]) -> dict[str, Any]:
    """What the rules about a status ask of its neighbours: a lease while processing, a reason when failed."""
    values: dict[str, Any] = {}
    for queue in COLUMN_OWNERS:
        if queue.table == table.name:
            word = words_wanted.get(queue.status, queue.statuses.done)
            values[queue.status] = word
            values[queue.error] = "it did not work" if word == queue.statuses.failed else None
            leased = word == queue.statuses.processing
            values[queue.column("lease_until")] = datetime(2026, 1, 1, tzinfo=UTC) if leased else None
    return values


def parents_of(table: Table) -> dict[str, Any]:
    """The columns that point to columns of other tables, but for tenants and users, which are there."""
    found = {}
    for constraint in table.foreign_key_constraints:
        column = next(
            name for name in constraint.column_keys if name != "tenant_id" or len(constraint.columns) == 1
        )
        if constraint.referred_table.name not in ("tenants", "users", table.name):
            found[column] = next(iter(table.c[column].foreign_keys)).column
    return found


@pytest.fixture
def make(db: AsyncEngine) -> Make:
    """Insert a row with every column filled and give back what was asked to be stored."""
    chance = random.Random(20261115)

    async def make_row(table_name: str, **given: Any) -> dict[str, Any]:
        table = metadata.tables[table_name]
        row: dict[str, Any] = {}
        for column in table.c:
            always = column.identity is not None and column.identity.always
            # Without a value of its own, a server default is what a trigger sets.
            by_trigger = column.server_default is not None and not hasattr(column.server_default, "arg")
            if not (always or by_trigger) and column.computed is None and column.name != "updated_at":
                row[column.name] = value_for(table, column, chance)
        row |= work_values(table, words_wanted=given)
        for name, parent in parents_of(table).items():
            if name not in given and row[name] is not None:
                row[name] = (await make_row(parent.table.name))[parent.name]
        people = ("created_by", "updated_by", "user_id", "acknowledged_by")
        row |= {name: USER for name in people if name in table.c}
        row |= {name: None for name in ("parent_id",) if name in table.c}
        row |= given
        async with db.begin() as connection:
            stored = (
                (await connection.execute(insert(table).values(row).returning(*table.c))).mappings().one()
            )
        return {**dict(stored), **row}

    return make_row
