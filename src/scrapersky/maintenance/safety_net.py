"""Queues what nothing else would: sitemaps without an import status (R003), and addresses to check again."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from scrapersky.declarations import IMPORT_SITEMAP, VALIDATE_EMAIL, statuses
from scrapersky.maintenance.anomalies import MAINTENANCE_WORKER

# A sitemap that has finished once and has no status was discarded by a person.
QUEUE_MISSED_SITEMAPS = text("""
UPDATE sitemap_files SET sitemap_import_status = :queued
WHERE sitemap_import_status IS NULL AND sitemap_import_finished_at IS NULL
""")
QUEUE_RECHECKS = text("""
UPDATE contacts SET email_validation_status = :queued, email_recheck_at = NULL
WHERE id IN (
  SELECT id FROM contacts WHERE email_recheck_at <= now() AND email_validation_status = :done
    AND email IS NOT NULL AND contact_curation_status <> ALL (:excluded)
  ORDER BY email_recheck_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
""")
COUNT_REPAIRED = text("""
INSERT INTO stage_stats (stage, minute, worker, repaired)
VALUES (:stage, date_trunc('minute', now()), :worker, :repaired)
ON CONFLICT (stage, minute, worker) DO UPDATE SET repaired = stage_stats.repaired + excluded.repaired
""")

COUNT_REPAIRED_TOTAL = text("""
INSERT INTO stage_totals (stage, worker, tallies)
VALUES (:stage, :worker, jsonb_build_object('repaired', CAST(:repaired AS bigint)))
ON CONFLICT (stage, worker) DO UPDATE SET tallies = stage_totals.tallies || jsonb_build_object('repaired',
  coalesce(CAST(stage_totals.tallies ->> 'repaired' AS bigint), 0) + CAST(:repaired AS bigint))
""")


async def queue_missed_sitemaps(connection: AsyncConnection) -> int:
    """Returns the number of repaired rows, which `/health`, `/metrics` and `status` also show."""
    result = await connection.execute(QUEUE_MISSED_SITEMAPS, {"queued": IMPORT_SITEMAP.statuses.queued})
    repaired = int(result.rowcount)
    if repaired:
        params = {"stage": IMPORT_SITEMAP.name, "worker": MAINTENANCE_WORKER, "repaired": repaired}
        await connection.execute(COUNT_REPAIRED, params)
        await connection.execute(COUNT_REPAIRED_TOTAL, params)
    return repaired


async def queue_rechecks(connection: AsyncConnection) -> int:
    """Returns the number of addresses that were queued for validation."""
    words = VALIDATE_EMAIL.statuses
    params = {"queued": words.queued, "done": words.done, "excluded": list(statuses.EXCLUDED)}
    return int((await connection.execute(QUEUE_RECHECKS, params)).rowcount)
