"""The credit ledger in the database, shared by all workers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.engine.stage import RUNNING_ITEM
from scrapersky.fetch.paid.credits import CreditCaps, CreditUsage, check_caps

TOTAL = ""


class DatabaseCreditLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def book(self, domain: str, cost: int, *, caps: CreditCaps) -> CreditUsage:
        """Reserve credits or raise; the rows are locked, so two workers cannot both take the last ones."""

        async def operation(connection: AsyncConnection) -> CreditUsage:
            spent = await self._add(connection, domain, cost)
            # Raising here rolls the booking back.
            check_caps(caps, cost, CreditUsage(spent.domain - cost, spent.day - cost), now=datetime.now(UTC))
            return spent

        return await self._database.in_transaction(operation)

    async def correct(self, domain: str, difference: int) -> None:
        await self._database.in_transaction(lambda connection: self._add(connection, domain, difference))

    async def _add(self, connection: AsyncConnection, domain: str, cost: int) -> CreditUsage:
        await _add_use(connection, domain[:253], cost)
        day = await connection.scalar(self._statement(TOTAL, cost))
        return CreditUsage(
            int(await connection.scalar(self._statement(domain[:253], cost)) or 0), int(day or 0)
        )

    def _statement(self, host: str, cost: int) -> Any:
        credits = tables.credits
        statement = insert(credits).values(day=func.current_date(), host=host, spent=max(0, cost))
        added = func.greatest(0, credits.c.spent + cost)
        return statement.on_conflict_do_update(
            index_elements=["day", "host"], set_={"spent": added}
        ).returning(credits.c.spent)


async def _add_use(connection: AsyncConnection, domain: str, cost: int) -> None:
    """Charge the tenant, and the job if there is one, for which the running item spends the credits."""
    item = RUNNING_ITEM.get()
    if item is None:
        return
    uses = tables.credit_uses
    key = {
        "tenant_id": item.tenant_id,
        "domain": domain,
        "job_id": item.id if isinstance(item.id, int) else 0,
    }
    statement = insert(uses).values(**key, day=func.current_date(), spent=max(0, cost))
    added = func.greatest(0, uses.c.spent + cost)
    await connection.execute(
        statement.on_conflict_do_update(index_elements=["day", *key], set_={"spent": added})
    )
