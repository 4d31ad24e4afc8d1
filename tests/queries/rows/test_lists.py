"""Lists, totals and facets say what plain SQL says, for any rows and any filters."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from product import TENANT, add_domain
from scrapersky.declarations.facets import FACETS
from scrapersky.errors import InvalidInput
from scrapersky.queries.rows import lists as lists_module
from scrapersky.queries.rows.entities import ENTITIES, SEARCH, Entity
from scrapersky.queries.rows.filters import Filters, conditions, parameters, parse_filters
from scrapersky.queries.rows.lists import ListQuery
from scrapersky.queries.rows.sorts import parse_sort, sorts
from scrapersky.tables.constraints import list_indexes
from scrapersky.tables.tenant_isolation import APP_ROLE

CHOICES = {
    "source": ("google_places", "csv"),
    "sitemap_type": ("standard", "index"),
    "discovery_method": ("manual", "robots"),
    "page_type": ("unknown", "about", "contact_root"),
    "email_type": ("role", "person", None),
}
ROUNDS = 15


def random_row(entity: Entity, domains: list[uuid.UUID], chance: random.Random) -> dict[str, Any]:
    """A row with any facets; statuses that need a lease or an error are left out."""
    stages = {stage.status: stage for stage in entity.stages}
    row: dict[str, Any] = {"tenant_id": TENANT}
    for name in entity.facets:
        parameter = parameters(entity)[name]
        choices: tuple[Any, ...] = CHOICES.get(name, parameter.choices)
        if name in stages:
            words = stages[name].statuses
            choices = tuple(choice for choice in choices if choice not in (words.processing, words.failed))
        value = chance.choice(choices)
        row[name] = None if value == "none" else int(value) if name == "priority_level" else value
    needed: dict[str, dict[str, Any]] = {
        "place": {"place_id": uuid.uuid4().hex, "name": chance.choice("abc")},
        "business": {"place_id": uuid.uuid4().hex, "business_name": chance.choice("abc")},
        "domain": {"domain": f"{uuid.uuid4().hex}.{chance.choice(('com', 'org'))}", "host": "x.com"},
        "search": {"business_type": chance.choice("abc"), "location": "Graz"},
    }
    below = {"domain_id": chance.choice(domains), "host": "x.com"}
    row |= needed.get(entity.name, below)
    if entity.name in ("sitemap", "page"):
        row["url"] = f"https://x.{chance.choice(('com', 'org'))}/{uuid.uuid4().hex}"
    if entity.name == "contact":
        row |= {"email": f"{uuid.uuid4().hex}@x.com", "source_url": "https://x.com"}
        del row["host"]
    return row


def random_filters(entity: Entity, chance: random.Random) -> Filters:
    params: dict[str, Any] = {}
    for name in chance.sample(entity.facets, chance.randrange(len(entity.facets) + 1)):
        choices = [choice or "none" for choice in CHOICES.get(name, parameters(entity)[name].choices)]
        params[name] = chance.sample(choices, chance.randint(1, min(3, len(choices))))
    if chance.random() < 0.4:
        params["q"] = chance.choice(["com", "org", "a", "nothing", "%"])
    if chance.random() < 0.2 and "domain" in parameters(entity):
        params["domain"] = chance.choice(["shop", "org", "-0"])
    return Filters(**params)


@pytest.mark.parametrize("name", [*ENTITIES, "search"])
async def test_lists_totals_and_facets_equal_plain_sql(db: AsyncEngine, name: str) -> None:
    entity, chance = (ENTITIES | {"search": SEARCH})[name], random.Random(name)
    domains = [await add_domain(db, f"shop-{number}.com", status=None) for number in range(3)]
    async with db.begin() as connection:
        for _ in range(80):
            await connection.execute(insert(entity.table).values(random_row(entity, domains, chance)))
    lists = ListQuery(db, TENANT)
    for _ in range(ROUNDS):
        filters, sort = random_filters(entity, chance), parse_sort(entity, random_sort(entity, chance))
        async with db.connect() as connection:
            where = conditions(entity, TENANT, filters)
            query = select(entity.table.c.id).where(*where).order_by(*sort.order_by(entity.table.c))
            ids = list((await connection.scalars(query)).all())
            facets = {
                facet: await group_by(connection, entity, filters, facet)
                for facet in FACETS[entity.table.name]
            }
        page = await lists.page(entity, filters, sort=sort, limit=7)
        rows = await lists.list_rows(entity, filters, sort=sort, limit=1_000)
        assert [row["id"] for row in rows] == ids, filters
        assert [row["id"] for row in page.rows] == ids[:7]
        assert (page.total.number, page.total.is_exact) == (len(ids), True), filters
        assert await lists.count(entity, filters) == len(ids)
        assert (await lists.facets(entity, filters)).facets == facets, filters


@pytest.mark.parametrize("name", ["page", "sitemap", "contact"])
@pytest.mark.parametrize("rows_expected", [1, 10_000])
async def test_more_rows_than_are_counted_come_in_the_same_order_either_way(
    db: AsyncEngine, monkeypatch: pytest.MonkeyPatch, name: str, rows_expected: int
) -> None:
    """Sorted, where few rows are expected to match, or found in every combination of facets."""

    async def expect(*_: Any) -> float:
        return rows_expected

    monkeypatch.setattr(lists_module, "MAX_COUNTED", 9)
    monkeypatch.setattr(lists_module, "estimate_rows", expect)
    entity, chance = ENTITIES[name], random.Random(name)
    domains = [await add_domain(db, f"shop-{number}.com", status=None) for number in range(3)]
    async with db.begin() as connection:
        for _ in range(80):
            await connection.execute(insert(entity.table).values(random_row(entity, domains, chance)))
    lists, inexact = ListQuery(db, TENANT), 0
    for _ in range(ROUNDS):
        filters, sort = random_filters(entity, chance), parse_sort(entity, random_sort(entity, chance))
        filters = Filters(**{**filters.params, "domain": ["shop"]})
        where = conditions(entity, TENANT, filters)
        query = select(entity.table.c.id).where(*where).order_by(*sort.order_by(entity.table.c))
        async with db.connect() as connection:
            ids = list((await connection.scalars(query)).all())
        rows = await lists.list_rows(entity, filters, sort=sort, limit=1_000)
        assert [row["id"] for row in rows] == ids, filters
        inexact += len(ids) > 9
    assert inexact


def random_sort(entity: Entity, chance: random.Random) -> str:
    return chance.choice(["", "-"]) + chance.choice(list(sorts(entity)))


async def group_by(connection: Any, entity: Entity, filters: Filters, facet: str) -> dict[Any, int]:
    column = entity.table.c[facet]
    where = conditions(entity, TENANT, filters.without(facet))
    rows = await connection.execute(select(column, text("count(*)")).where(*where).group_by(column))
    return {value: number for value, number in rows}  # noqa: C416 - rows are not pairs to a type checker.


def test_filters_are_stored_as_json_and_come_back() -> None:
    page = ENTITIES["page"]
    filters = parse_filters(page, {"curation_status": "not a fit", "priority": 1, "contains": ["a", "B"]})
    stored = filters.to_json()
    assert stored == {"page_curation_status": ["Rejected"], "priority_level": ["1"], "q": ["a", "B"]}
    assert parse_filters(page, stored) == Filters.from_json(stored) == filters
    with pytest.raises(InvalidInput, match="are the same"):
        parse_filters(page, {"curation_status": "new", "page_curation_status": "new"})
    with pytest.raises(InvalidInput, match="all of one column"):
        parse_filters(ENTITIES["place"], {"status": ["New", "Queued"]})


async def test_a_list_is_read_as_the_role_of_the_application(db: AsyncEngine) -> None:
    """Nothing that a list reads could be another tenant's, whatever its conditions say."""
    async with ListQuery(db, TENANT).snapshot() as connection:
        assert await connection.scalar(text("SELECT current_user::text")) == APP_ROLE
        assert await connection.scalar(text("SHOW transaction_isolation")) == "repeatable read"


def test_every_curated_table_has_the_indexes_of_its_list() -> None:
    for entity in ENTITIES.values():
        names = {index.name for index in entity.table.indexes}
        assert {index.name for index in list_indexes(entity.table.name)} <= names, entity.name
