"""Removes what a source lets us keep for a limited time: the fields of places whose time is over.

The identifier of a place stays, and so does what the firm's own site confirms of a business.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.declarations import READ_METADATA

EXPIRE_PLACES = text("""
WITH expired AS (
  SELECT id FROM places_staging WHERE expires_at < now() LIMIT :size FOR UPDATE SKIP LOCKED)
UPDATE places_staging AS p
SET name = p.place_id, business_type = p.search_query, formatted_address = NULL, vicinity = NULL,
  latitude = NULL, longitude = NULL, phone = NULL, website_url = NULL, rating = NULL,
  user_ratings_total = NULL, price_level = NULL, raw_data = '{}', expires_at = NULL, updated_at = now()
FROM expired WHERE p.id = expired.id
""")
# A site confirms a name that is in its title, a number that it shows, and an address that it states.
EXPIRE_BUSINESSES = text("""
WITH expired AS (
  SELECT id, tenant_id FROM local_businesses WHERE expires_at < now() LIMIT :size FOR UPDATE SKIP LOCKED),
sites AS (
  SELECT DISTINCT ON (d.local_business_id) d.local_business_id, d.id, d.domain, d.title, d.phone_numbers,
    d.physical_addresses
  FROM domains AS d JOIN expired AS e ON e.id = d.local_business_id AND e.tenant_id = d.tenant_id
  WHERE d.status = :read ORDER BY d.local_business_id, d.id)
UPDATE local_businesses AS b
SET business_name = CASE
    WHEN strpos(lower(s.title), lower(b.business_name)) > 0 THEN b.business_name
    ELSE coalesce(s.domain, b.place_id) END,
  phone = CASE WHEN b.phone = ANY (s.phone_numbers) OR EXISTS (
    SELECT FROM contacts AS c
    WHERE c.domain_id = s.id AND c.tenant_id = b.tenant_id AND c.phone_number = b.phone)
    THEN b.phone END,
  website_url = 'https://' || s.domain || '/',
  full_address = s.physical_addresses[1],
  street_address = NULL, city = NULL, state = NULL, zip = NULL, latitude = NULL, longitude = NULL,
  main_category = NULL, extra_categories = '{}', rating = NULL, reviews_count = NULL, price_text = NULL,
  business_status = NULL, is_verified = NULL, opening_hours = '{}', timezone = NULL, image_url = NULL,
  additional_json = b.additional_json - 'listing', expires_at = NULL, updated_at = now()
FROM expired AS e LEFT JOIN sites AS s ON s.local_business_id = e.id
WHERE b.id = e.id
""")
# Pages of a search that never ended; the cell must be listed again.
EXPIRE_CELLS = text("""
UPDATE search_cells SET places = '[]', page_token = '', state = 'counted', expires_at = NULL
WHERE id IN (
  SELECT id FROM search_cells WHERE expires_at < now() AND places <> '[]' LIMIT :size FOR UPDATE SKIP LOCKED)
""")


async def expire_places(engine: AsyncEngine, size: int) -> dict[str, int]:
    """One transaction per batch; returns the number of rows by table."""
    return {
        "places_staging": await _repeat(engine, EXPIRE_PLACES, {"size": size}),
        "local_businesses": await _repeat(
            engine, EXPIRE_BUSINESSES, {"size": size, "read": READ_METADATA.statuses.done}
        ),
        "search_cells": await _repeat(engine, EXPIRE_CELLS, {"size": size}),
    }


async def _repeat(engine: AsyncEngine, statement: object, params: dict[str, object]) -> int:
    total = 0
    while True:
        async with engine.begin() as connection:
            changed = int((await connection.execute(statement, params)).rowcount)  # type: ignore[call-overload]
        total += changed
        if changed < int(str(params["size"])):
            return total
