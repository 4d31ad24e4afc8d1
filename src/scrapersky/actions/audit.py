"""Adds entries to the audit log, in the transaction of the change that they are about."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Insert, LargeBinary, func, insert, literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky import tables
from scrapersky.actions.actor import Actor

Values = Mapping[str, Any]
KEY_BYTES = 32
# That these changed is said; what they were is nobody's business.
SECRET_FIELDS = frozenset({"password", "password_hash", "secret_hash", "encrypted_secret"})
HIDDEN = "(hidden)"
_JSON = JSONB(none_as_null=True)


async def record(
    connection: AsyncConnection,
    actor: Actor,
    action: str,
    *,
    table: str | None = None,
    row_id: object = None,
    before: Values | None = None,
    after: Values | None = None,
    operation_id: UUID | None = None,
) -> None:
    """Add one entry: `action` such as "contact.update", and the fields whose values differ.

    Call it last: it locks the end of the tenant's chain until the transaction ends.
    """
    names = _changed_names(before, after)
    entry: dict[str, Any] = {
        "tenant_id": actor.tenant_id,
        "user_id": actor.user_id,
        "actor": (actor.name or str(actor.user_id))[:254],
        "action": action,
        "table_name": table,
        "row_id": None if row_id is None else str(row_id),
        "changed_fields": names,
        "correlation_id": actor.correlation_id,
        "operation_id": operation_id,
    }
    await connection.execute(_statement(entry, _select(before, names), _select(after, names)))


def _changed_names(before: Values | None, after: Values | None) -> list[str]:
    if before is None or after is None:
        return sorted({*(before or {}), *(after or {})})
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def _select(values: Values | None, names: list[str]) -> dict[str, Any] | None:
    """The named values as JSON can hold them, without secrets."""
    if values is None:
        return None
    public = {name: HIDDEN if name in SECRET_FIELDS else values[name] for name in names if name in values}
    selected: dict[str, Any] = json.loads(json.dumps(public, default=str))
    return selected


def _statement(entry: Values, before: Values | None, after: Values | None) -> Insert:
    log, values = tables.audit_log, tables.audit_values
    if before is None and after is None:
        return insert(log).values(entry)
    parts = literal(os.urandom(KEY_BYTES), LargeBinary), literal(before, _JSON), literal(after, _JSON)
    values_hash = func.audit_values_hash(*parts)
    added = insert(log).values(**entry, values_hash=values_hash).returning(log.c.number).cte("added")
    row = select(literal(entry["tenant_id"]), added.c.number, *parts)
    return insert(values).from_select(
        ["tenant_id", "number", "key", "before", "after"], row, include_defaults=False
    )
