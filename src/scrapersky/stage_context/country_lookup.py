"""The country of a domain's business, where a source named it: phone numbers are read by its rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from cachetools import LRUCache
from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from scrapersky import tables
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement

MAX_DOMAINS = 10_000
_DOMAINS = tables.domains.c
_SELECT = Statement(
    select(_DOMAINS.id, _DOMAINS.country).where(
        _DOMAINS.id == any_(bindparam("domains", type_=ARRAY(Uuid())))
    )
)


class CountryLookup:
    """Without a database it has no countries; tests of stages need none."""

    def __init__(self, database: Database | None = None) -> None:
        self._loader = None if database is None else BatchLoader(partial(_load, database))
        self._cache: LRUCache[UUID, str | None] = LRUCache(MAX_DOMAINS)

    def remember(self, domain_id: UUID, text: str | None) -> str | None:
        """Note the country of a domain whose row is at hand; returns its code."""
        code = self._cache[domain_id] = _code(text)
        return code

    async def country_of(self, domain_id: UUID) -> str | None:
        if domain_id not in self._cache and self._loader:
            self.remember(domain_id, await self._loader.load(domain_id))
        return self._cache.get(domain_id)


async def _load(database: Database, domain_ids: list[UUID]) -> Mapping[UUID, str | None]:
    rows = await database.fetch(_SELECT, {"domains": domain_ids})
    return {row.id: row.country for row in rows}


def _code(text: str | None) -> str | None:
    """Only a two-letter code is reliable; a list may call anything a country."""
    return text.upper() if text and len(text) == 2 and text.isascii() and text.isalpha() else None
