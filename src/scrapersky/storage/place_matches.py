"""Finds places of other sources that may be the same business, and stores how alike they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.extract.businesses import Listing, compare_listings, nearby_cells, read_listing

BATCH = 500
# From here on two listings are linked automatically; from there on people are asked.
SAME, UNSURE = 2.0, -0.5
# A key that one source lists for more places than this finds too many candidates; the others remain.
MAX_SHARED = 20
MAX_CANDIDATES = 300

DUE_PLACES = text("""
SELECT id FROM places_staging WHERE is_match_due ORDER BY tenant_id, id LIMIT :batch
FOR NO KEY UPDATE SKIP LOCKED""")
PLACES = text("""
SELECT id, tenant_id, source, name, business_type, formatted_address, latitude, longitude, phone, website_url,
  raw_data ->> 'country' AS country
FROM places_staging WHERE id = ANY (CAST(:ids AS uuid[]))""")
SAVE_KEYS = text("""
INSERT INTO place_identities (place_row_id, tenant_id, source, cell, domain, phone)
SELECT * FROM unnest(CAST(:ids AS uuid[]), CAST(:tenants AS uuid[]), CAST(:sources AS text[]),
  CAST(:cells AS bigint[]), CAST(:domains AS text[]), CAST(:phones AS text[]))
ON CONFLICT (place_row_id, tenant_id) DO UPDATE SET cell = excluded.cell, domain = excluded.domain,
  phone = excluded.phone""")
# How many places of one source have a key, at most.
SHARED_KEYS = text("""
SELECT 'domain' AS kind, domain AS value, max(number) AS number FROM (
  SELECT domain, count(*) AS number FROM place_identities
  WHERE tenant_id = :tenant AND domain = ANY (CAST(:domains AS text[])) GROUP BY domain, source) d
GROUP BY domain
UNION ALL
SELECT 'phone', phone, max(number) FROM (
  SELECT phone, count(*) AS number FROM place_identities
  WHERE tenant_id = :tenant AND phone = ANY (CAST(:phones AS text[])) GROUP BY phone, source) p
GROUP BY phone""")
CANDIDATES = text("""
SELECT place_row_id FROM place_identities
WHERE tenant_id = :tenant AND source <> :source AND place_row_id <> :id AND (
  cell = ANY (CAST(:cells AS bigint[])) OR domain = :domain OR phone = :phone)
LIMIT :limit""")
# A key that has just become shared counts less for the pairs that were compared before.
COMPARE_AGAIN = text("""
UPDATE places_staging SET is_match_due = true
WHERE NOT is_match_due AND id <> ALL (CAST(:ids AS uuid[])) AND id IN (
  SELECT i.place_row_id FROM place_identities i
  JOIN place_matches m ON m.tenant_id = i.tenant_id AND m.place_a = i.place_row_id
  WHERE i.tenant_id = :tenant AND (
    (i.domain = ANY (CAST(:domains AS text[])) AND m.evidence -> 'domain' ->> 'why' = 'the same')
    OR (i.phone = ANY (CAST(:phones AS text[])) AND m.evidence -> 'phone' ->> 'why' = 'the same')))""")
DONE = text("UPDATE places_staging SET is_match_due = false WHERE id = ANY (CAST(:ids AS uuid[]))")
# What a person has decided stays; a pair that is no longer alike is forgotten.
SAVE_PAIRS = text("""
INSERT INTO place_matches (tenant_id, place_a, place_b, log_odds, evidence, verdict)
SELECT :tenant, a, b, log_odds, CAST(evidence AS jsonb), 'unsure'
FROM unnest(CAST(:firsts AS uuid[]), CAST(:seconds AS uuid[]), CAST(:log_odds AS double precision[]),
  CAST(:evidence AS text[])) AS p (a, b, log_odds, evidence)
ON CONFLICT (tenant_id, place_a, place_b)
DO UPDATE SET log_odds = excluded.log_odds, evidence = excluded.evidence""")
FORGET_PAIRS = text("""
DELETE FROM place_matches WHERE tenant_id = :tenant AND decided_at IS NULL
  AND (place_a = ANY (CAST(:ids AS uuid[])) OR place_b = ANY (CAST(:ids AS uuid[])))
RETURNING place_a, place_b""")


async def compare_due_places(connection: AsyncConnection) -> tuple[int, dict[UUID, set[UUID]]]:
    """Compare places that are new or have changed with those of other sources, up to a batch.

    Returns how many, and by tenant the places whose groups may have changed.
    """
    ids = list(await connection.scalars(DUE_PLACES, {"batch": BATCH}))
    if not ids:
        return 0, {}
    rows = (await connection.execute(PLACES, {"ids": ids})).all()
    listings = {row.id: _listing(row) for row in rows}
    tenants = {row.id: row.tenant_id for row in rows}
    await _save_keys(connection, tenants, listings)
    touched: dict[UUID, set[UUID]] = {}
    for tenant in sorted(set(tenants.values())):
        mine = {row_id: listings[row_id] for row_id in listings if tenants[row_id] == tenant}
        touched[tenant] = await _compare(connection, tenant, mine)
    await connection.execute(DONE, {"ids": ids})
    return len(ids), touched


def _listing(row: Any) -> Listing:
    return read_listing(
        source=row.source,
        name=row.name,
        category=row.business_type,
        address=row.formatted_address,
        country=row.country,
        latitude=row.latitude,
        longitude=row.longitude,
        phone=row.phone,
        website=row.website_url,
    )


async def _save_keys(
    connection: AsyncConnection, tenants: dict[UUID, UUID], listings: dict[UUID, Listing]
) -> None:
    keys = list(listings)
    values = {
        "ids": keys,
        "tenants": [tenants[key] for key in keys],
        "sources": [listings[key].source for key in keys],
        "cells": [listings[key].cell for key in keys],
        "domains": [listings[key].domain or None for key in keys],
        "phones": [listings[key].phone or None for key in keys],
    }
    await connection.execute(SAVE_KEYS, values)


async def _compare(connection: AsyncConnection, tenant: UUID, mine: dict[UUID, Listing]) -> set[UUID]:
    """Store the pairs of these places that may be the same; returns all places of old and new pairs."""
    shared = await _shared_keys(connection, tenant, mine)
    candidates = {
        row_id: await _candidates(connection, tenant, row_id, listing, shared)
        for row_id, listing in mine.items()
    }
    known = dict(mine)
    others = {row_id for ids in candidates.values() for row_id in ids} - set(mine)
    if others:
        rows = await connection.execute(PLACES, {"ids": list(others)})
        known |= {row.id: _listing(row) for row in rows}
    pairs = {}
    for row_id, other_ids in candidates.items():
        for other in other_ids:
            pair = (min(row_id, other), max(row_id, other))
            if pair in pairs or other not in known:
                continue
            listing = known[row_id]
            pairs[pair] = compare_listings(
                listing,
                known[other],
                is_phone_shared=("phone", listing.phone) in shared,
                is_domain_shared=("domain", listing.domain) in shared,
            )
    gone = await connection.execute(FORGET_PAIRS, {"tenant": tenant, "ids": list(mine)})
    touched = {place for row in gone for place in row} | set(mine)
    alike = {pair: made for pair, made in pairs.items() if made.log_odds >= UNSURE}
    if alike:
        await _save_pairs(connection, tenant, alike)
    return touched | {place for pair in alike for place in pair}


async def _save_pairs(connection: AsyncConnection, tenant: UUID, pairs: dict[tuple[UUID, UUID], Any]) -> None:
    ordered = sorted(pairs)
    values = {
        "tenant": tenant,
        "firsts": [first for first, _ in ordered],
        "seconds": [second for _, second in ordered],
        "log_odds": [pairs[pair].log_odds for pair in ordered],
        "evidence": [orjson.dumps(pairs[pair].evidence).decode() for pair in ordered],
    }
    await connection.execute(SAVE_PAIRS, values)


async def _shared_keys(
    connection: AsyncConnection, tenant: UUID, mine: dict[UUID, Listing]
) -> dict[tuple[str, str], int]:
    """Keys that one source lists for several places; older pairs with such a key are compared again."""
    domains, phones = _keys(mine.values(), "domain"), _keys(mine.values(), "phone")
    params: dict[str, Any] = {"tenant": tenant, "domains": domains, "phones": phones}
    rows = await connection.execute(SHARED_KEYS, params)
    shared = {(row.kind, row.value): row.number for row in rows if row.number > 1}
    if shared:
        again = {"tenant": tenant, "ids": list(mine)}
        again |= {
            f"{kind}s": [value for name, value in shared if name == kind] for kind in ("domain", "phone")
        }
        await connection.execute(COMPARE_AGAIN, again)
    return shared


def _keys(listings: Iterable[Listing], name: str) -> list[str]:
    return sorted({getattr(listing, name) for listing in listings} - {""})


def _cells_around(listing: Listing) -> list[int]:
    if listing.latitude is None or listing.longitude is None:
        return []
    return nearby_cells(listing.latitude, listing.longitude)


async def _candidates(
    connection: AsyncConnection,
    tenant: UUID,
    row_id: UUID,
    listing: Listing,
    shared: dict[tuple[str, str], int],
) -> Sequence[UUID]:
    def usable(kind: str, value: str) -> str | None:
        return value if value and shared.get((kind, value), 0) <= MAX_SHARED else None

    params = {
        "tenant": tenant,
        "source": listing.source,
        "id": row_id,
        "cells": _cells_around(listing),
        "domain": usable("domain", listing.domain),
        "phone": usable("phone", listing.phone),
        "limit": MAX_CANDIDATES,
    }
    return list(await connection.scalars(CANDIDATES, params))
