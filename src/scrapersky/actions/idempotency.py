"""Idempotency keys: a request that is sent twice takes effect once.

A request claims its key, does its work, and stores its answer. Every transaction of the work also marks the
key, so that effect and mark are committed together or not at all. After a crash the next request with the key
sees the truth: without a mark nothing happened, and it takes over; with a mark and without an answer it is
refused, because the effect is there and the answer is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, and_, delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.actions.actor import Actor
from scrapersky.errors import ActionError, Conflict

# Longer than any request takes; one that is slower than this can be overtaken, and then commits nothing.
CLAIM = timedelta(minutes=2)
_keys = tables.idempotency_keys


class KeyReused(ActionError):
    """The idempotency key belongs to another request."""

    status = 422
    title = "Idempotency key reused"


class RequestRunning(ActionError):
    """A request with this idempotency key is still running."""

    status = 409
    title = "Request still running"


class AnswerLost(ActionError):
    """The first request with this key took effect, but its answer was lost; read what it changed."""

    status = 409
    title = "Answer lost"


@dataclass(frozen=True, slots=True)
class KeyedRequest:
    """What makes two requests the same."""

    key: str
    request: str
    body_hash: bytes


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    status: int
    headers: Mapping[str, str]
    encrypted_body: bytes


@dataclass(slots=True)
class KeyClaim:
    """The right of one request to take effect under its key."""

    id: UUID
    attempt: int
    is_open: bool = True

    def mark(self, connection: Connection) -> None:
        """Mark the key in the transaction of a change; fail if another request has taken the key over."""
        if not self.is_open:
            return
        is_change = func.pg_current_xact_id_if_assigned().is_not(None)
        statement = update(_keys).where(self.condition()).values(has_effect=_keys.c.has_effect | is_change)
        if connection.execute(statement).rowcount != 1:
            raise Conflict("Another request has taken over this idempotency key.")

    def condition(self) -> Any:
        return and_(_keys.c.id == self.id, _keys.c.attempt == self.attempt)


async def claim_key(engine: AsyncEngine, actor: Actor, keyed: KeyedRequest) -> KeyClaim | StoredAnswer:
    """The right to run the request, or the answer that it got before."""
    async with engine.begin() as connection:
        claimed = (await connection.execute(_claim(actor, keyed))).first()
        if claimed is not None:
            return KeyClaim(claimed.id, claimed.attempt)
        is_running = (_keys.c.claimed_until > func.now()).label("is_running")
        earlier = select(_keys, is_running).where(
            _keys.c.tenant_id == actor.tenant_id, _keys.c.user_id == actor.user_id, _keys.c.key == keyed.key
        )
        return _earlier_answer((await connection.execute(earlier)).first(), keyed)


def _claim(actor: Actor, keyed: KeyedRequest) -> Any:
    """One statement: of many requests at the same moment one gets the row."""
    until = func.now() + literal(CLAIM)
    values = {"tenant_id": actor.tenant_id, "user_id": actor.user_id, "claimed_until": until}
    statement = insert(_keys).values(
        **values, key=keyed.key, request=keyed.request, body_hash=keyed.body_hash
    )
    is_abandoned = and_(
        _keys.c.status.is_(None),
        ~_keys.c.has_effect,
        _keys.c.claimed_until < func.now(),
        _keys.c.request == keyed.request,
        _keys.c.body_hash == keyed.body_hash,
    )
    return statement.on_conflict_do_update(
        index_elements=[_keys.c.tenant_id, _keys.c.user_id, _keys.c.key],
        set_={"attempt": _keys.c.attempt + 1, "claimed_until": until},
        where=is_abandoned,
    ).returning(_keys.c.id, _keys.c.attempt)


def _earlier_answer(row: Row[Any] | None, keyed: KeyedRequest) -> StoredAnswer:
    if row is None:
        raise RequestRunning  # It has been released at this very moment.
    if (row.request, row.body_hash) != (keyed.request, keyed.body_hash):
        raise KeyReused
    if row.status is not None and row.body is not None:
        return StoredAnswer(row.status, row.headers, row.body)
    raise RequestRunning if row.status is None and row.is_running else AnswerLost


async def store_answer(engine: AsyncEngine, claim: KeyClaim, answer: StoredAnswer | None) -> None:
    """Keep the answer for requests that repeat the key; None is an answer too large to keep."""
    claim.is_open = False
    values: dict[str, Any] = {"has_effect": True, "claimed_until": func.now()}
    if answer is not None:
        values |= {"status": answer.status, "headers": answer.headers, "body": answer.encrypted_body}
    async with engine.begin() as connection:
        await connection.execute(update(_keys).where(claim.condition()).values(values))


async def release_key(engine: AsyncEngine, claim: KeyClaim) -> bool:
    """Forget the key of a request that changed nothing; False if it did change something."""
    async with engine.begin() as connection:
        deleted = await connection.execute(delete(_keys).where(claim.condition(), ~_keys.c.has_effect))
        if deleted.rowcount:
            return True
        await connection.execute(update(_keys).where(claim.condition()).values(claimed_until=func.now()))
        return False
