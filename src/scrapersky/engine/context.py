"""What all runners of one process share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Table

from scrapersky.engine.database import Database
from scrapersky.engine.isolation import Isolation
from scrapersky.engine.network import NetworkMonitor
from scrapersky.engine.stage import EngineOptions, Item, Save, Stage
from scrapersky.engine.stats import DatabaseClock


@dataclass(frozen=True, slots=True)
class RunnerContext:
    """What all runners of a process share. `report` takes one dictionary for each line of the log."""

    database: Database
    hosts: Table
    me: int
    options: EngineOptions
    stage_context: Any
    save: Save
    gate: Isolation
    clock: DatabaseClock
    network: NetworkMonitor
    report: Callable[[list[dict[str, Any]]], None]
    report_error: Callable[[str, Exception], Awaitable[None]]
    isolate: Callable[[Stage, Item], Awaitable[None]]
    wake_in: Callable[[timedelta, list[str]], None]
