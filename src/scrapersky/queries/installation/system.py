"""The installation in figures: its database, its workers, when each stage last ran, and what was repaired."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import text

from scrapersky.queries.read_model import Query

DATABASE = text("""
SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
       current_setting('max_connections')::int AS max_connections, count(*) AS connections,
       coalesce(extract(epoch FROM clock_timestamp() - min(xact_start) FILTER (
         WHERE pid <> pg_backend_pid())), 0)::float AS oldest_transaction_seconds, clock_timestamp() AS now
FROM pg_stat_activity WHERE datname = current_database()
""")
WORKERS = text("""
SELECT id, machine, pid, cardinality(stages) AS stages, started_at, heartbeat_at,
       heartbeat_at > now() - interval '1 minute' AS is_alive
FROM workers WHERE heartbeat_at > now() - interval '1 day' ORDER BY heartbeat_at DESC LIMIT 50
""")
LAST_RUNS = text("""
SELECT stage, max(minute) AS last_run_at FROM stage_stats
WHERE runs > 0 AND minute > now() - interval '1 day' GROUP BY stage
""")
REPAIRS = text("""
SELECT stage, sum(repaired)::bigint AS number, max(minute) AS last_at FROM stage_stats
WHERE repaired > 0 AND minute > now() - interval '1 day' GROUP BY stage ORDER BY stage
""")
PAUSES = text("""
SELECT stage, reason, stage_controls.updated_at, users.email FROM stage_controls
LEFT JOIN users ON users.id = stage_controls.updated_by WHERE paused
""")


class SystemQuery(Query):
    async def database(self) -> dict[str, Any]:
        """The version, the size, the connections and the oldest open transaction."""
        [figures] = await self.dicts(DATABASE)
        return figures

    async def workers(self) -> list[dict[str, Any]]:
        """The workers of the last day, those with the newest heartbeat first."""
        return await self.dicts(WORKERS)

    async def last_runs(self) -> dict[str, datetime]:
        """The minute of the last run of each stage, within a day."""
        return {row.stage: row.last_run_at for row in await self.rows(LAST_RUNS)}

    async def repairs(self) -> list[dict[str, Any]]:
        """What the safety net has queued in the last day."""
        return await self.dicts(REPAIRS)

    async def pauses(self) -> dict[str, dict[str, Any]]:
        """Paused stages with who paused them, when and why."""
        return {row["stage"]: row for row in await self.dicts(PAUSES)}
