"""Lists of what people curate."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, text
from sqlalchemy.ext.asyncio import AsyncEngine

from contacts_lab import add_contact
from product import TENANT, add_domain
from scrapersky import tables
from scrapersky.queries.rows.entities import get_entity
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.lists import ListQuery


async def site_of_pages(db: AsyncEngine, *priorities: int) -> None:
    """Pages /0, /1 and so on, each of the given priority, the last the newest."""
    domain = await add_domain(db, "shop.com")
    async with db.begin() as connection:
        for number, priority in enumerate(priorities):
            values = {"tenant_id": TENANT, "domain_id": domain, "host": "shop.com"}
            page = {"url": f"https://shop.com/{number}", "priority_level": priority}
            await connection.execute(insert(tables.pages).values(**values, **page))


async def listed(db: AsyncEngine, limit: int = 50, **filters: int) -> list[str]:
    rows = await ListQuery(db, TENANT).list_rows(get_entity("page"), Filters(**filters), limit=limit)
    return [row["url"].removeprefix("https://shop.com/") for row in rows]


@pytest.mark.req("R073")
async def test_pages_come_by_priority_and_then_the_newest_first(db: AsyncEngine) -> None:
    await site_of_pages(db, 3, 1, 2, 3, 1, 2)

    assert await listed(db) == ["4", "1", "5", "2", "3", "0"]


@pytest.mark.req("R073")
async def test_a_short_list_holds_the_most_promising_pages(db: AsyncEngine) -> None:
    await site_of_pages(db, 3, 1, 2, 3, 1, 2)

    assert [await listed(db, limit) for limit in (1, 3, 5)] == [
        ["4"],
        ["4", "1", "5"],
        ["4", "1", "5", "2", "3"],
    ]


async def test_pages_of_one_priority_are_the_newest_first(db: AsyncEngine) -> None:
    await site_of_pages(db, 3, 1, 2, 3, 1, 2)

    assert [await listed(db, priority=priority) for priority in (1, 2, 3)] == [
        ["4", "1"],
        ["5", "2"],
        ["3", "0"],
    ]


SOUGHT = (
    [("place", "places_staging", column) for column in ("name", "formatted_address", "website_url")]
    + [
        ("business", "local_businesses", column)
        for column in ("business_name", "full_address", "website_url")
    ]
    + [("contact", "contacts", column) for column in ("name", "phone_number")]
)


@pytest.mark.parametrize(("name", "table", "column"), SOUGHT)
async def test_text_is_found_in_every_column_that_the_help_names(
    db: AsyncEngine, name: str, table: str, column: str
) -> None:
    contact = await add_contact(db, "shop.com", email="info@shop.com")
    async with db.begin() as connection:
        if name == "place":
            statement = "INSERT INTO places_staging (tenant_id, place_id, name) VALUES (:t, 'x', 'y')"
            await connection.execute(text(statement), {"t": TENANT})
        if name == "business":
            statement = (
                "INSERT INTO local_businesses (tenant_id, place_id, business_name) VALUES (:t, 'x', 'y')"
            )
            await connection.execute(text(statement), {"t": TENANT})
        await connection.execute(text(f"UPDATE {table} SET {column} = 'Nee%dle_1'"))
    lists, entity = ListQuery(db, TENANT), get_entity(name)
    assert contact
    for sought, number in (("nEE%D", 1), ("E_1", 1), ("ee_d", 0), ("1%", 0), ("\\", 0)):
        assert len(await lists.list_rows(entity, Filters(contains=sought))) == number, sought


@pytest.mark.parametrize("evil", ["x' OR true --", "\\", "%s", ":a", "x" * 60, "CONTACT'ROOT", ""])
async def test_a_page_type_of_any_letters_finds_nothing_and_breaks_nothing(
    db: AsyncEngine, evil: str
) -> None:
    await site_of_pages(db, 1, 3)
    assert await ListQuery(db, TENANT).list_rows(get_entity("page"), Filters(page_type=evil)) == []
    assert await ListQuery(db, TENANT).count(get_entity("page"), Filters(page_type=evil)) == 0
