"""Addresses and numbers that a person deleted or replaced on a domain: no page or list brings them back.

Only a hash of each is kept, salted with the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.database import Statement

# After the insert, not before it: whoever deleted the same contact meanwhile has committed by now.
DROP_DELETED = Statement("""
DELETE FROM contacts AS c USING contact_tombstones AS t
WHERE c.id = ANY (:ids::uuid[]) AND t.tenant_id = c.tenant_id AND t.domain_id = c.domain_id
  AND t.key_hash = sha256(convert_to(c.domain_id::text || ' ' || coalesce(c.email, c.phone_number), 'UTF8'))
RETURNING c.id""")
ADD = Statement("""
INSERT INTO contact_tombstones (tenant_id, domain_id, key_hash, created_by)
SELECT tenant_id, domain_id,
  sha256(convert_to(domain_id::text || ' ' || coalesce(email, phone_number), 'UTF8')), :created_by::uuid
FROM contacts WHERE id = ANY (:ids::uuid[]) ON CONFLICT DO NOTHING""")
REMOVE = Statement("""
DELETE FROM contact_tombstones WHERE tenant_id = :tenant_id AND domain_id = :domain_id
  AND key_hash = sha256(convert_to(:domain_id::text || ' ' || :key::text, 'UTF8'))""")
# Their salt stands beside them, so whoever knows an address could find out whether it was here.
FORGET = Statement("""
DELETE FROM contact_tombstones AS t USING unnest(:keys::text[]) AS k (key)
WHERE t.tenant_id = :tenant_id
  AND t.key_hash = sha256(convert_to(t.domain_id::text || ' ' || k.key, 'UTF8'))
RETURNING t.domain_id""")


async def drop_deleted_contacts(connection: AsyncConnection, new_ids: Sequence[UUID]) -> set[UUID]:
    """Delete new contacts that a person has deleted before; returns their ids."""
    if not new_ids:
        return set()
    return {row.id for row in await DROP_DELETED.run(connection, {"ids": list(new_ids)})}


async def add_tombstones(connection: AsyncConnection, contact_ids: Sequence[UUID], created_by: UUID) -> None:
    """Remember the addresses or numbers of these contacts, which are about to be deleted or replaced."""
    await ADD.run(connection, {"ids": list(contact_ids), "created_by": created_by})


async def remove_tombstone(connection: AsyncConnection, tenant_id: UUID, domain_id: UUID, key: str) -> None:
    """Allow an address or number again, because a person has entered it."""
    await REMOVE.run(connection, {"tenant_id": tenant_id, "domain_id": domain_id, "key": key})


async def forget_tombstones(connection: AsyncConnection, tenant_id: UUID, keys: Sequence[str]) -> int:
    """Delete the tombstones of these addresses and numbers on every domain; returns how many."""
    return len(await FORGET.run(connection, {"tenant_id": tenant_id, "keys": list(keys)}))
