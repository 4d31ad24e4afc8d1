"""Cursors: where a page of a list ended, signed, for the same tenant, list, filters and sort only."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from scrapersky.errors import InvalidInput
from scrapersky.queries.rows.entities import Entity
from scrapersky.queries.rows.filters import Filters
from scrapersky.queries.rows.sorts import Sort
from scrapersky.secret_key import SecretKey

LIFETIME_SECONDS = 24 * 60 * 60
SIGNATURE_BYTES = 32


def seal(key: SecretKey, scope: Sequence[Any], values: Sequence[int | str]) -> str:
    """A cursor with these values, which can only be read with the same scope."""
    body = json.dumps([int(time.time()), *values], separators=(",", ":")).encode()
    return urlsafe_b64encode(key.sign(json.dumps(scope).encode() + body) + body).decode().rstrip("=")


def unseal(key: SecretKey, scope: Sequence[Any], cursor: str) -> list[Any]:
    """The values of a cursor; one that was changed, is of another scope or too old is refused."""
    try:
        signed = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        signed = b""
    signature, body = signed[:SIGNATURE_BYTES], signed[SIGNATURE_BYTES:]
    if not key.verify(json.dumps(scope).encode() + body, signature):
        raise InvalidInput("Invalid cursor; one is valid for the list, filters and sort that returned it")
    issued_at: int
    values: list[Any]
    issued_at, *values = json.loads(body)
    if issued_at + LIFETIME_SECONDS < time.time():
        raise InvalidInput("The cursor has expired; begin with the first page")
    return values


class Cursors:
    """The cursors of one list as one tenant reads it."""

    def __init__(self, key: SecretKey, tenant_id: UUID, entity: Entity, filters: Filters, sort: Sort) -> None:
        self._key, self._entity, self._sort = key, entity, sort
        self._scope = [str(tenant_id), entity.name, sort.text, sorted(filters.to_json().items())]

    def encode(self, keys: tuple[Any, ...]) -> str:
        return seal(self._key, self._scope, [_as_json(key) for key in keys])

    def decode(self, cursor: str) -> tuple[Any, ...]:
        """The keys of the row after which the page begins."""
        keys = unseal(self._key, self._scope, cursor)
        return tuple(map(self._value, keys, [name for name, _ in self._sort.keys]))

    def _value(self, value: Any, name: str) -> Any:
        kind = self._entity.table.c[name].type.python_type
        return datetime.fromisoformat(value) if kind is datetime else kind(value)


def _as_json(key: Any) -> int | str:
    if isinstance(key, datetime):
        return key.isoformat()
    return key if isinstance(key, int) else str(key)
