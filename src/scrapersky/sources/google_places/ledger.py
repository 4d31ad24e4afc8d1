"""The ledger: every call to Google by kind and month, booked before it is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Protocol

from sqlalchemy import Date, cast, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.engine.database import Database
from scrapersky.sources.google_places.errors import BILLING_ZONE, CapReached
from scrapersky.sources.google_places.prices import SKU_TITLES, SKUS, Price

# A person may raise the cap meanwhile.
CAP_RETRY = timedelta(hours=1)
# Google's months begin at midnight in its own time zone.
THIS_MONTH = cast(func.date_trunc("month", func.timezone(BILLING_ZONE.key, func.now())), Date)

Claim = Callable[[AsyncConnection], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class MonthlyCalls:
    """Calls of one kind in one month; those `answered` are billed, the others `booked` may be."""

    month: date
    sku: str
    booked: int
    answered: int


async def claim_nothing(connection: AsyncConnection) -> None:
    return None


class Ledger(Protocol):
    """Counts calls: `book` before one is made, then `confirm` or `release`."""

    async def book(self, sku: str, price: Price, *, claim: Claim = claim_nothing) -> None: ...

    async def confirm(self, sku: str) -> None: ...

    async def release(self, sku: str) -> None: ...

    async def this_month(self) -> dict[str, MonthlyCalls]: ...


class UncountedCalls:
    """For a test of the key, which makes a free call and may run without a database."""

    async def book(self, sku: str, price: Price, *, claim: Claim = claim_nothing) -> None:
        return None

    async def confirm(self, sku: str) -> None:
        return None

    async def release(self, sku: str) -> None:
        return None

    async def this_month(self) -> dict[str, MonthlyCalls]:
        return {}


class CallLedger:
    """Counts calls and keeps the caps: the row of a kind is locked while a call is booked."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def book(self, sku: str, price: Price, *, claim: Claim = claim_nothing) -> None:
        """Reserve one call or raise; `claim` is done in the same transaction."""

        async def work(connection: AsyncConnection) -> None:
            calls = tables.service_calls
            statement = insert(calls).values(month=THIS_MONTH, sku=sku, booked=1)
            statement = statement.on_conflict_do_update(
                index_elements=["month", "sku"], set_={"booked": calls.c.booked + 1}
            )
            booked = await connection.scalar(statement.returning(calls.c.booked))
            # Raising here rolls the booking back.
            if price.cap is not None and int(booked or 0) > price.cap:
                raise CapReached(
                    f"The cap of {price.cap:,} calls a month ({SKU_TITLES[sku]}) is reached; the work"
                    " continues next month, or when the cap is raised",
                    wait=CAP_RETRY,
                )
            await claim(connection)

        await self._database.in_transaction(work)

    async def confirm(self, sku: str) -> None:
        """Google answered, so it bills the call."""
        await self._change(sku, answered=1)

    async def release(self, sku: str) -> None:
        """Google refused the call, so it does not bill it."""
        await self._change(sku, booked=-1)

    async def _change(self, sku: str, **more: int) -> None:
        calls = tables.service_calls
        # The call may have been booked just before the month ended.
        newest = select(func.max(calls.c.month)).where(calls.c.sku == sku).scalar_subquery()
        values: dict[str, Any] = {name: calls.c[name] + number for name, number in more.items()}
        await self._database.rows(
            update(calls).where(calls.c.sku == sku, calls.c.month == newest).values(values)
        )

    async def this_month(self) -> dict[str, MonthlyCalls]:
        """The calls of this month by kind, with zeros for kinds that were not called."""
        calls = tables.service_calls.c
        month = (await self._database.rows(select(THIS_MONTH)))[0][0]
        statement = select(calls.month, calls.sku, calls.booked, calls.answered).where(calls.month == month)
        calls_by_sku = {
            row.sku: MonthlyCalls(row.month, row.sku, row.booked, row.answered)
            for row in await self._database.rows(statement)
        }
        return {sku: calls_by_sku.get(sku, MonthlyCalls(month, sku, 0, 0)) for sku in SKUS}


def added_cost(calls: Mapping[str, MonthlyCalls], sku: str, price: Price, more: int) -> float:
    """What so many more calls would cost this month, in US dollars."""
    return price.added_cost(calls[sku].booked, more)
