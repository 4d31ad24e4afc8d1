"""Limits on wrong passwords, counted in the database: by account, by address and over all."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import exists, func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.engine.database import single_statements
from scrapersky.errors import TooManyRequests
from scrapersky.queries.read_model import Query

FAILURE, SESSION = tables.login_failures.c, tables.sessions.c
WINDOW = timedelta(minutes=5)
MAX_PER_ACCOUNT, MAX_PER_ADDRESS, MAX_OVERALL = 10, 10, 1_000
# One address alone must not lock the owner of an account out, so it counts only half against the account.
MAX_COUNTED_PER_ADDRESS = 5
# An address that the owner has logged in from before is not held back by what others do to the account.
KNOWN_ADDRESS = timedelta(days=30)
CONCURRENT_LOGINS, MAX_WAITING_LOGINS = 2, 100


class LoginSlots:
    """Lets two logins run at once, so that parallel guesses see the failures of one another."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(CONCURRENT_LOGINS)
        self._waiting = 0

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        if self._waiting >= MAX_WAITING_LOGINS:
            raise TooManyRequests("Too many people are logging in; try again in a moment", retry_after=1)
        self._waiting += 1
        try:
            async with self._slots:
                yield
        finally:
            self._waiting -= 1


def hash_account(email: str) -> bytes:
    return hashlib.sha256(email.encode()).digest()


def address_group(address: str) -> str:
    """The address to count by: of IPv6 the network, because one machine has all of its addresses."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
    return str(parsed)


async def check_login_limits(engine: AsyncEngine, email: str, user_id: UUID | None, address: str) -> None:
    """Raise if one of the limits is reached."""
    left = func.extract("epoch", FAILURE.created_at + WINDOW - func.now()).label("seconds")
    recent = (
        select(FAILURE.account_hash, FAILURE.address, left)
        .where(FAILURE.created_at > func.now() - WINDOW)
        .order_by(FAILURE.created_at.desc())
        .limit(MAX_OVERALL)
    )
    failures = await Query(engine).rows(recent)
    is_known = await _is_known_address(engine, user_id, address)
    own_address = [failure for failure in failures if failure.address == address]
    own_account = [] if is_known else _count_capped(failures, hash_account(email))
    for counted, limit in (
        (own_address, MAX_PER_ADDRESS),
        (own_account, MAX_PER_ACCOUNT),
        (failures, MAX_OVERALL),
    ):
        if len(counted) >= limit:
            # Newest first: once this one is out of the window, one more attempt is allowed.
            seconds = max(1, math.ceil(counted[limit - 1].seconds))
            raise TooManyRequests(f"Too many failed logins; try again in {seconds} s", retry_after=seconds)


def _count_capped(failures: list[Any], account_hash: bytes) -> list[Any]:
    """The failures of an account, of each address only so many."""
    by_address: Counter[str] = Counter()
    counted = []
    for failure in failures:
        if failure.account_hash == account_hash and by_address[failure.address] < MAX_COUNTED_PER_ADDRESS:
            by_address[failure.address] += 1
            counted.append(failure)
    return counted


async def _is_known_address(engine: AsyncEngine, user_id: UUID | None, address: str) -> bool:
    logged_in = exists().where(
        SESSION.user_id == user_id,
        SESSION.address == address,
        SESSION.created_at > func.now() - KNOWN_ADDRESS,
    )
    return bool(await Query(engine).scalar(select(logged_in)))


async def record_failure(engine: AsyncEngine, email: str, address: str) -> None:
    row = {"account_hash": hash_account(email), "address": address}
    async with single_statements(engine).connect() as connection:
        await connection.execute(insert(tables.login_failures).values(row))
