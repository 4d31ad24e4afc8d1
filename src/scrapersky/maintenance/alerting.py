"""Sends each alert to every channel, once when it is raised and once when it is resolved."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.alert_channels.channel import AlertMessage, Channel, ChannelFailed
from scrapersky.log import Report

SEND_INTERVAL = timedelta(seconds=15)

# Marked before sending: exactly one worker sends each, and a crash loses one rather than repeating it.
# A channel that has just been set up gets no alerts older than a day.
CLAIM = text("""
WITH batch AS (
  SELECT id FROM alerts
  WHERE (notified_at IS NULL OR notified_at < resolved_at)
    AND greatest(created_at, resolved_at) > now() - interval '1 day'
  ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED
)
UPDATE alerts SET notified_at = clock_timestamp() FROM batch WHERE alerts.id = batch.id
RETURNING alerts.id, kind, subject, severity, message, occurrences, created_at, resolved_at
""")
RECORD = text("""
UPDATE alerts SET notifications = notifications || CAST(:results AS jsonb) WHERE id = :id
""")


async def send_alerts(
    engine: AsyncEngine, channels: Sequence[Channel], limit: timedelta, report: Report
) -> int:
    """Send what has not been sent; a channel that fails or hangs is logged and does not delay others."""
    async with engine.begin() as connection:
        rows = (await connection.execute(CLAIM)).all()
    for row in rows:
        message = AlertMessage(
            state="open" if row.resolved_at is None else "resolved",
            kind=row.kind,
            subject=row.subject,
            severity=row.severity,
            message=row.message,
            occurrences=row.occurrences,
            since=row.created_at,
            resolved_at=row.resolved_at,
        )
        results = await asyncio.gather(*(_send(channel, message, limit, report) for channel in channels))
        by_channel = dict(zip((channel.name for channel in channels), results, strict=True))
        record = {"id": row.id, "results": orjson.dumps({message.state: by_channel}).decode()}
        async with engine.begin() as connection:
            await connection.execute(RECORD, record)
    return len(rows)


async def _send(channel: Channel, message: AlertMessage, limit: timedelta, report: Report) -> str:
    try:
        async with asyncio.timeout(limit.total_seconds()):
            await channel.send(message)
    except Exception as error:  # noqa: BLE001 - a broken channel must not break the check or the worker.
        # Only our own errors are safe to show: others may contain the channel's address, which is a secret.
        reason = str(error) if isinstance(error, ChannelFailed) else type(error).__name__
        report([{"event": "alert_failed", "level": "error", "channel": channel.name, "error": reason,
                 "alert": f"{message.kind} {message.subject}"}])  # fmt: skip
        return reason
    return "sent"
