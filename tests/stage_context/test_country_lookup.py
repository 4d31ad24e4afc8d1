"""The countries of domains: many in one statement, each loaded once."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncEngine

from product import CountingDatabase, add_domain
from scrapersky.stage_context.country_lookup import CountryLookup


async def test_the_countries_of_many_domains_are_one_statement_and_cached(db: AsyncEngine) -> None:
    named = [await add_domain(db, country=country) for country in ("gb", "Deutschland", None)]
    asked = [*named, named[0], uuid4()]
    database = CountingDatabase(db)
    countries = CountryLookup(database)

    for _ in range(2):
        told = await asyncio.gather(*(countries.country_of(one) for one in asked))
        assert told == ["GB", None, None, "GB", None]
    assert database.statements == 1


async def test_without_a_database_no_country_is_known() -> None:
    assert await CountryLookup().country_of(uuid4()) is None
