"""Runs operations that nobody runs: large ones, and those whose process has died."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from scrapersky.actions.operations.leases import OperationLost, claim_operation
from scrapersky.actions.operations.operation import Operation
from scrapersky.actions.operations.runner import run_operation
from scrapersky.database import tenant_engine
from scrapersky.engine.outcome import reason_of
from scrapersky.log import Report

WATCH_INTERVAL = timedelta(seconds=5)


async def run_open_operations(engine: AsyncEngine, report: Report) -> int:
    """Run one operation after the other until none is free; returns how many. The engine is the owner's."""
    number = 0
    while operation := await claim_operation(engine):
        report([await _run(engine, operation)])
        number += 1
    return number


async def watch_operations(engine: AsyncEngine, report: Report) -> None:
    """Look for operations of processes that have died, for as long as this process lives."""
    while True:
        try:
            await run_open_operations(engine, report)
        except Exception as error:  # noqa: BLE001 - the database may be away; it is asked again.
            report([{"event": "operations_not_read", "level": "warning", "error": reason_of(error)}])
        await asyncio.sleep(WATCH_INTERVAL.total_seconds())


async def _run(engine: AsyncEngine, operation: Operation) -> dict[str, Any]:
    """Run it as its tenant; returns a line for the log."""
    line = {"event": "operation_finished", "operation": str(operation.id), "action": operation.action}
    try:
        request = operation.correlation_id
        mine = tenant_engine(engine, operation.tenant_id, correlation_id=request)
        done = await run_operation(mine, operation)
    except OperationLost:
        return {**line, "event": "operation_lost", "level": "warning"}
    except Exception as error:  # noqa: BLE001 - the operation holds the reason; others must still run.
        return {**line, "event": "operation_failed", "level": "error", "error": reason_of(error)}
    return {**line, "rows": done.changed, "queued": done.queued}
