"""The country of a domain's business, where a source told it: its numbers are written that country's way."""

from __future__ import annotations

from collections import OrderedDict
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select

from scrapersky.engine.database import Database, Prepared
from scrapersky.tables import Domain, table_of

REMEMBERED = 10_000
_DOMAINS = table_of(Domain).c
_LOOK = Prepared(select(_DOMAINS.country).where(_DOMAINS.id == bindparam("domain", type_=Uuid())))


class Countries:
    """Without a database it knows none, which is what tests of stages want."""

    def __init__(self, database: Database | None = None) -> None:
        self._database = database
        self._known: OrderedDict[UUID, str | None] = OrderedDict()

    async def of(self, domain_id: UUID) -> str | None:
        if self._database is None:
            return None
        if domain_id not in self._known:
            rows = await self._database.fetch(_LOOK, {"domain": domain_id})
            self._known[domain_id] = _code(rows[0].country if rows else None)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[domain_id]


def _code(text: str | None) -> str | None:
    """Only a code is sure; what a list called a country may be anything."""
    return text.upper() if text and len(text) == 2 and text.isascii() and text.isalpha() else None
