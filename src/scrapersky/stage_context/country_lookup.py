"""The country of a domain's business, where a source told it: its numbers are written that country's way."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from scrapersky import tables
from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database, Statement

REMEMBERED = 10_000
_DOMAINS = tables.domains.c
_WANTED = any_(bindparam("domains", type_=ARRAY(Uuid())))
_LOOK = Statement(select(_DOMAINS.id, _DOMAINS.country).where(_DOMAINS.id == _WANTED))


class CountryLookup:
    """Without a database it knows none, which is what tests of stages want."""

    def __init__(self, database: Database | None = None) -> None:
        self._loader = None if database is None else BatchLoader(partial(_look, database))
        self._known: OrderedDict[UUID, str | None] = OrderedDict()

    async def of(self, domain_id: UUID) -> str | None:
        if self._loader is None:
            return None
        if domain_id in self._known:
            return self._known[domain_id]
        country = _code(await self._loader.load(domain_id))
        self._known[domain_id] = country
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return country


async def _look(database: Database, domain_ids: list[UUID]) -> Mapping[UUID, str | None]:
    rows = await database.fetch(_LOOK, {"domains": domain_ids})
    return {row.id: row.country for row in rows}


def _code(text: str | None) -> str | None:
    """Only a code is sure; what a list called a country may be anything."""
    return text.upper() if text and len(text) == 2 and text.isascii() and text.isalpha() else None
