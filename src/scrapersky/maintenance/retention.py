"""Deletes rows whose retention time is over, in bounded batches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Table, and_, func, literal, select
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.declarations import ENDED_JOBS, statuses
from scrapersky.maintenance.options import MaintenanceOptions
from scrapersky.tables.batches import delete_in_batches

# A machine that was suspended resumes under its old number, so its row must outlive a weekend.
KEEP_WORKERS = timedelta(days=7)
# Clients that retry for longer than a day have lost their network, not an answer.
KEEP_IDEMPOTENCY_KEYS = timedelta(hours=24)
# A message whose timestamp is older than 5 minutes is refused anyway.
KEEP_WEBHOOK_MESSAGES = timedelta(hours=24)
# An ended session says for a month where its user logs in from.
KEEP_SESSIONS = timedelta(days=30)
KEEP_LOGIN_FAILURES = timedelta(days=1)

# Tells the guard of the audit log, for this transaction, who deletes.
IS_RETENTION = func.set_config("scrapersky.retention", "on", True) == "on"


async def delete_expired_rows(engine: AsyncEngine, options: MaintenanceOptions) -> dict[str, int]:
    """One transaction per batch; returns the number of deleted rows by table (R021)."""
    return {
        table.name: await delete_in_batches(engine, table, condition, options.cleanup_batch)
        for table, condition in _expired(options)
    }


def _expired(options: MaintenanceOptions) -> list[tuple[Table, Any]]:
    jobs, alerts, stats = tables.jobs.c, tables.alerts.c, tables.stage_stats.c
    finished_at = tables.operations.c.finished_at
    return [
        (tables.jobs, and_(jobs.status.in_(ENDED_JOBS), _older(jobs.created_at, options.keep_jobs))),
        (tables.page_bodies, tables.page_bodies.c.expires_at < func.now()),
        (
            tables.contacts,
            and_(
                _older(tables.contacts.c.last_seen_at, options.keep_contacts),
                _older(tables.contacts.c.updated_at, options.keep_contacts),
            ),
        ),
        (tables.zombies, _older(tables.zombies.c.created_at, options.keep_dead_letters)),
        (tables.failures, _older(tables.failures.c.created_at, options.keep_dead_letters)),
        (
            tables.investigations,
            and_(
                tables.investigations.c.state == statuses.INVESTIGATION[-1],
                _older(tables.investigations.c.updated_at, options.keep_dead_letters),
            ),
        ),
        (tables.stage_stats, _older(stats.minute, options.keep_statistics)),
        (
            tables.alerts,
            and_(alerts.resolved_at.is_not(None), _older(alerts.created_at, options.keep_alerts)),
        ),
        (tables.audit_values, _older(tables.audit_values.c.created_at, options.keep_audit_values)),
        (
            tables.audit_log,
            and_(_older(tables.audit_log.c.created_at, options.keep_audit_entries), IS_RETENTION),
        ),
        (tables.operation_rows, tables.operation_rows.c.operation_id.in_(_final_operations(options))),
        (tables.operations, _older(finished_at, options.keep_operations)),
        (tables.idempotency_keys, _older(tables.idempotency_keys.c.created_at, KEEP_IDEMPOTENCY_KEYS)),
        (tables.webhook_messages, _older(tables.webhook_messages.c.created_at, KEEP_WEBHOOK_MESSAGES)),
        (tables.sessions, _older(tables.sessions.c.expires_at, KEEP_SESSIONS)),
        (tables.login_failures, _older(tables.login_failures.c.created_at, KEEP_LOGIN_FAILURES)),
        (tables.setup_links, tables.setup_links.c.expires_at < func.now()),
        (tables.workers, _older(tables.workers.c.heartbeat_at, KEEP_WORKERS)),
    ]


def _final_operations(options: MaintenanceOptions) -> Any:
    """Operations that can no longer be undone; an undo may still be reading the journal of a later one."""
    columns = tables.operations.c
    last_use = func.greatest(columns.finished_at, columns.undone_at)
    return select(columns.id).where(_older(last_use, options.keep_journals))


def _older(moment: Any, keep: timedelta | None) -> Any:
    return literal(False) if keep is None else moment < func.now() - keep
