"""Computes lead scores in the database: the sum of weighted parts, and why each part has its points."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.declarations.lead_score import SCORE_PARTS

BATCH = 1_000

# Locked in one order; rows that somebody else changes at this moment stay due.
DUE_CONTACTS = text("""
SELECT id FROM contacts WHERE is_score_due ORDER BY id LIMIT :batch FOR NO KEY UPDATE SKIP LOCKED""")
NEXT_CONTACTS = text("""
SELECT id FROM contacts WHERE tenant_id = :tenant_id AND id > :after ORDER BY id LIMIT :batch
FOR NO KEY UPDATE""")

# The facts about each contact; the value of each part from 0 to 1, or NULL where the tenant has not said what
# it wants; the points of each part, which sum up to 100 at most.
SCORE = text("""WITH chosen AS (
  SELECT * FROM contacts WHERE id = ANY (CAST(:ids AS uuid[]))
), defaults AS (
  SELECT part, weight, '{}'::text[] AS words
  FROM unnest(CAST(:parts AS text[]), CAST(:weights AS int[])) AS d (part, weight)
), profiles AS (
  SELECT t.tenant_id, d.part, coalesce(p.weight, d.weight)::numeric AS weight,
    coalesce(p.words, d.words) AS words
  FROM (SELECT DISTINCT tenant_id FROM chosen) t CROSS JOIN defaults d
  LEFT JOIN lead_score_parts p ON p.tenant_id = t.tenant_id AND p.part = d.part
), facts AS (
  SELECT c.id, c.tenant_id, c.email, c.email_relation, c.email_validation_result, c.phone_number, c.name,
    c.last_seen_at,
    ' ' || scrapersky_words(concat_ws(' ', b.main_category, array_to_string(b.extra_categories, ' '),
      p.business_type)) || ' ' AS categories,
    ' ' || scrapersky_words(concat_ws(' ', b.city, b.state, b.zip, b.full_address, c.address)) || ' ' AS area,
    ARRAY[lower(c.country), lower(b.country), lower(d.country), lower(b.state)] AS codes,
    ARRAY(SELECT lower(jsonb_object_keys(d.tech_stack))) AS technologies,
    (SELECT count(DISTINCT s.page_id) FROM sightings s
     WHERE s.contact_id = c.id AND s.tenant_id = c.tenant_id) AS pages
  FROM chosen c
  JOIN domains d ON d.tenant_id = c.tenant_id AND d.id = c.domain_id
  LEFT JOIN local_businesses b ON b.tenant_id = d.tenant_id AND b.id = d.local_business_id
  LEFT JOIN places_staging p ON p.tenant_id = b.tenant_id AND p.id = b.place_row_id
), valued AS (
  SELECT f.id, w.part, w.weight, v.value, v.why FROM facts f
  JOIN profiles w ON w.tenant_id = f.tenant_id
  CROSS JOIN LATERAL (
    SELECT min(word) AS word FROM unnest(w.words) AS word WHERE CASE w.part
      WHEN 'category' THEN strpos(f.categories, ' ' || scrapersky_words(word) || ' ') > 0
      WHEN 'area' THEN lower(word) = ANY (f.codes)
        OR (length(word) > 2 AND strpos(f.area, ' ' || scrapersky_words(word) || ' ') > 0)
      WHEN 'technology' THEN lower(word) = ANY (f.technologies) END
  ) AS match
  CROSS JOIN LATERAL (SELECT
    CASE
      WHEN w.part IN ('category', 'area', 'technology') THEN
        CASE WHEN cardinality(w.words) > 0 THEN (match.word IS NOT NULL)::int END
      WHEN w.part = 'reachability' THEN
        CASE WHEN f.email IS NULL THEN 0 WHEN f.email_relation = 'own' THEN 0.6 ELSE 0.4 END
        + CASE WHEN f.phone_number IS NULL THEN 0 ELSE 0.25 END
        + CASE WHEN f.name IS NULL THEN 0 ELSE 0.15 END
      WHEN w.part = 'email_verdict' THEN CASE
        WHEN f.email IS NULL THEN 0
        WHEN f.email_validation_result = 'valid' THEN 1
        WHEN f.email_validation_result = 'catch-all' THEN 0.6
        WHEN f.email_validation_result = 'unknown' THEN 0.4
        WHEN f.email_validation_result IS NULL THEN 0.3 ELSE 0 END
      WHEN w.part = 'evidence' THEN
        CASE WHEN f.pages >= 3 THEN 1 WHEN f.pages = 2 THEN 0.75 WHEN f.pages = 1 THEN 0.5 ELSE 0 END
      WHEN w.part = 'freshness' THEN CASE
        WHEN f.last_seen_at > now() - interval '30 days' THEN 1
        WHEN f.last_seen_at > now() - interval '90 days' THEN 0.75
        WHEN f.last_seen_at > now() - interval '180 days' THEN 0.5
        WHEN f.last_seen_at > now() - interval '365 days' THEN 0.25 ELSE 0 END
    END::numeric AS value,
    CASE
      WHEN w.part IN ('category', 'area', 'technology') THEN coalesce(match.word, 'none of the wanted ones')
      WHEN w.part = 'reachability' THEN concat_ws(', ',
        CASE WHEN f.email IS NULL THEN 'no e-mail'
          WHEN f.email_relation = 'own' THEN 'e-mail at the own domain' ELSE 'e-mail elsewhere' END,
        CASE WHEN f.phone_number IS NOT NULL THEN 'phone' ELSE 'no phone' END,
        CASE WHEN f.name IS NOT NULL THEN 'named person' ELSE 'no name' END)
      WHEN w.part = 'email_verdict' THEN CASE WHEN f.email IS NULL THEN 'no e-mail'
        ELSE coalesce(f.email_validation_result, 'not validated') END
      WHEN w.part = 'evidence' THEN CASE WHEN f.pages >= 3 THEN '3 pages or more'
        WHEN f.pages = 2 THEN '2 pages' WHEN f.pages = 1 THEN '1 page' ELSE 'no page' END
      WHEN w.part = 'freshness' THEN CASE
        WHEN f.last_seen_at > now() - interval '30 days' THEN 'seen within 30 days'
        WHEN f.last_seen_at > now() - interval '90 days' THEN 'seen within 90 days'
        WHEN f.last_seen_at > now() - interval '180 days' THEN 'seen within 180 days'
        WHEN f.last_seen_at > now() - interval '365 days' THEN 'seen within a year'
        ELSE 'not seen for a year' END
    END AS why
  ) AS v
), scored AS (
  SELECT id, sum(weight * value) AS points, sum(weight) AS total FROM valued
  WHERE value IS NOT NULL GROUP BY id
), explained AS (
  SELECT v.id, coalesce(round(100 * s.points / nullif(s.total, 0)), 0)::smallint AS score,
    jsonb_object_agg(v.part, jsonb_build_object(
      'points', coalesce(round(100 * v.weight * v.value / nullif(s.total, 0), 1), 0),
      'max', coalesce(round(100 * v.weight / nullif(s.total, 0), 1), 0), 'why', v.why)) AS parts
  FROM valued v JOIN scored s ON s.id = v.id WHERE v.value IS NOT NULL GROUP BY v.id, s.points, s.total
)
UPDATE contacts SET lead_score = e.score, lead_score_parts = e.parts, is_score_due = false
FROM explained e
WHERE contacts.id = e.id
  AND (contacts.is_score_due OR contacts.lead_score <> e.score OR contacts.lead_score_parts <> e.parts)
""")
DEFAULTS: dict[str, Any] = {
    "parts": list(SCORE_PARTS),
    "weights": [part.weight for part in SCORE_PARTS.values()],
}


async def score_due_contacts(connection: AsyncConnection) -> int:
    """Score contacts that are new or have changed, up to a batch; returns how many were looked at."""
    ids = list(await connection.scalars(DUE_CONTACTS, {"batch": BATCH}))
    if ids:
        await connection.execute(SCORE, {**DEFAULTS, "ids": ids})
    return len(ids)


async def score_next_contacts(connection: AsyncConnection, tenant_id: UUID, after: UUID) -> UUID | None:
    """Score the contacts after an id again; returns the last id of the batch, or None at the end."""
    params = {"batch": BATCH, "tenant_id": tenant_id, "after": after}
    ids = list(await connection.scalars(NEXT_CONTACTS, params))
    if ids:
        await connection.execute(SCORE, {**DEFAULTS, "ids": ids})
    return ids[-1] if len(ids) == BATCH else None
