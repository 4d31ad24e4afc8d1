"""Sends each alert once when it is raised and once when it is over, over every channel there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky import tables
from scrapersky.alert_channels.channel import AlertMessage, Channel, ChannelFailed

Report = Callable[[list[dict[str, Any]]], None]
EVERY = timedelta(seconds=15)
AT_ONCE = 20
# Who sets up a channel is not told of what is long past.
NEWS = timedelta(days=1)
ALERTS = tables.alerts


async def tell(engine: AsyncEngine, channels: Sequence[Channel], patience: timedelta, report: Report) -> int:
    """Tell what nobody was told yet; a channel that fails or hangs is logged and holds up no other."""
    async with engine.begin() as connection:
        rows = (await connection.execute(_take())).all()
    for row in rows:
        news = _news(row)
        outcomes = await asyncio.gather(*(_send(channel, news, patience, report) for channel in channels))
        told = {news.state: dict(zip((channel.name for channel in channels), outcomes, strict=True))}
        note = update(ALERTS).where(ALERTS.c.id == row.id)
        async with engine.begin() as connection:
            await connection.execute(note.values(told_channels=ALERTS.c.told_channels.op("||")(told)))
    return len(rows)


def _take() -> Any:
    """Marked before it is sent: of many workers one sends it, and a crash loses it rather than repeats it."""
    columns = ALERTS.c
    untold = or_(columns.told_at.is_(None), columns.told_at < columns.over_at)
    fresh = func.greatest(columns.created_at, columns.over_at) > func.now() - NEWS
    picked = select(columns.id).where(untold, fresh).order_by(columns.created_at).limit(AT_ONCE)
    batch = picked.with_for_update(skip_locked=True).cte("batch")
    taken = update(ALERTS).where(columns.id == batch.c.id).values(told_at=func.clock_timestamp())
    return taken.returning(*columns)


def _news(row: Any) -> AlertMessage:
    return AlertMessage(
        state="open" if row.over_at is None else "over",
        kind=row.kind,
        subject=row.subject,
        severity=row.severity,
        message=row.message,
        times=row.times,
        since=row.created_at,
        over_at=row.over_at,
    )


async def _send(channel: Channel, news: AlertMessage, patience: timedelta, report: Report) -> str:
    try:
        async with asyncio.timeout(patience.total_seconds()):
            await channel.send(news)
    except Exception as error:  # noqa: BLE001 - whatever a channel does, the check and the worker go on.
        # Only our own errors are safe to show: others may hold the address, which is a secret of its own.
        reason = str(error) if isinstance(error, ChannelFailed) else type(error).__name__
        report([{"event": "alert_failed", "level": "error", "channel": channel.name, "error": reason,
                 "alert": f"{news.kind} {news.subject}"}])  # fmt: skip
        return reason
    return "sent"
