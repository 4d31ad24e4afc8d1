"""Whether a stage may work with an address, and what it may keep of what a site says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from scrapersky.engine.batch_loader import BatchLoader
from scrapersky.engine.database import Database
from scrapersky.extract.privacy.identifiers import Identifier, covering_domains, email_identifiers
from scrapersky.queries.read_model import Query
from scrapersky.storage.suppression_filter import all_identifiers, redact_value
from scrapersky.storage.suppressions import HAS_SUPPRESSIONS, find_suppressed


class SuppressionCheck:
    """Without a database nobody is suppressed."""

    def __init__(self, database: Database | None = None) -> None:
        self._database = database
        self._concerned = None if database is None else BatchLoader(partial(_concerned, database))

    async def covers(self, tenant_id: UUID, email: str) -> bool:
        """Whether the address, or its domain, is suppressed."""
        return bool(await self._find(tenant_id, email_identifiers(email)))

    async def redact(
        self, tenant_id: UUID, fields: Mapping[str, Any], *, site: str, country: str | None
    ) -> dict[str, Any]:
        """The fields without suppressed addresses and numbers; `site` is the domain they describe."""
        identifiers = [*all_identifiers(fields, country), *covering_domains(site)]
        suppressed = await self._find(tenant_id, identifiers)
        return {
            name: redact_value(value, suppressed, country) if suppressed else value
            for name, value in fields.items()
        }

    async def _find(self, tenant_id: UUID, identifiers: list[Identifier]) -> dict[Identifier, list[UUID]]:
        if self._database is None or self._concerned is None or not await self._concerned.load(tenant_id):
            return {}
        return await Query(self._database.engine).read(
            lambda connection: find_suppressed(connection, tenant_id, identifiers)
        )


async def _concerned(database: Database, tenants: list[UUID]) -> Mapping[UUID, bool]:
    """The tenants for whom anybody is suppressed; sites that are read at the same time ask once."""
    rows = await database.fetch(HAS_SUPPRESSIONS, {"tenants": sorted(tenants)})
    return {row.id: True for row in rows}
