"""Compares addresses, numbers and domains with the suppressions, by keyed hash alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.engine.database import Statement
from scrapersky.extract.privacy.identifiers import Identifier
from scrapersky.suppression_key import suppression_key

# Whoever stores people's data holds the lock shared until its transaction ends; whoever adds a suppression
# holds it alone. So a contact is either there to be deleted with the new suppression, or stopped by it.
LOCK_NUMBER = 7_304_119
SHARE_LOCK = Statement(f"SELECT pg_advisory_xact_lock_shared({LOCK_NUMBER})")
TAKE_LOCK = Statement(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")

HAS_SUPPRESSIONS = Statement("""
SELECT t.id FROM unnest(:tenants::uuid[]) AS t (id)
WHERE EXISTS (SELECT FROM suppressions WHERE tenant_id IS NULL)
  OR EXISTS (SELECT FROM suppressions AS s WHERE s.tenant_id = t.id)""")

# Two lookups, each by its own index.
FIND = Statement("""
WITH wanted AS (
  SELECT * FROM unnest(:numbers::int[], :kinds::text[], :hashes::bytea[]) AS w (number, kind, hash))
SELECT w.number, s.id FROM wanted AS w JOIN suppressions AS s
  ON s.kind = w.kind AND s.keyed_hash = w.hash AND s.tenant_id = :tenant
UNION
SELECT w.number, s.id FROM wanted AS w JOIN suppressions AS s
  ON s.kind = w.kind AND s.keyed_hash = w.hash AND s.tenant_id IS NULL""")

# In the order of ids, so that two transactions cannot lock each other.
COUNT_ATTEMPTS = Statement("""
UPDATE suppressions AS s SET attempts = s.attempts + v.number, last_attempt_at = now()
FROM (
  SELECT s.id, w.number FROM suppressions AS s
  JOIN unnest(:ids::uuid[], :numbers::bigint[]) AS w (id, number) ON w.id = s.id ORDER BY s.id FOR UPDATE OF s
) AS v WHERE s.id = v.id""")


async def tenants_with_suppressions(connection: AsyncConnection, tenants: Iterable[UUID]) -> set[UUID]:
    """Those of the tenants for whom anybody is suppressed."""
    return {row.id for row in await HAS_SUPPRESSIONS.run(connection, {"tenants": sorted(tenants)})}


async def find_suppressed(
    connection: AsyncConnection, tenant_id: UUID, identifiers: Iterable[Identifier]
) -> dict[Identifier, list[UUID]]:
    """Those of the identifiers that are suppressed, with the ids of their suppressions."""
    unique = sorted(set(identifiers))
    if not unique or not await tenants_with_suppressions(connection, [tenant_id]):
        return {}
    key = suppression_key(connection)
    rows = [
        (number, identifier.kind, digest)
        for number, identifier in enumerate(unique)
        for digest in key.hashes(identifier)
    ]
    numbers, kinds, hashes = (list(column) for column in zip(*rows, strict=True))
    values = {"numbers": numbers, "kinds": kinds, "hashes": hashes, "tenant": tenant_id}
    suppressed: dict[Identifier, list[UUID]] = {}
    for row in await FIND.run(connection, values):
        suppressed.setdefault(unique[row.number], []).append(row.id)
    return suppressed


async def count_attempts(connection: AsyncConnection, attempts: Mapping[UUID, int]) -> None:
    """Count how often suppressed people were brought again. What brought them is not kept."""
    if attempts:
        values = {"ids": list(attempts), "numbers": list(attempts.values())}
        await COUNT_ATTEMPTS.run(connection, values)


def attempts_of(suppressed: Mapping[Identifier, list[UUID]], brought: Iterable[Identifier]) -> Counter[UUID]:
    """How often each suppression was met by what was brought."""
    return Counter(
        suppression_id for identifier in brought for suppression_id in suppressed.get(identifier, ())
    )
