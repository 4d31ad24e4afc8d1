"""What the log says about one item."""

from __future__ import annotations

from typing import Any

from scrapersky.engine.writer import Held

# What will be tried again is a warning; a row that failed for good is an error. The rest went as it should.
LEVELS = {"failed": "error", "retried": "warning", "lease_lost": "warning"}


def item_line(stage: str, held: Held, kind: str) -> dict[str, Any]:
    item, outcome = held.item, held.outcome
    line = {"event": "item_processed", "stage": stage, "id": item.id, "state": kind, "attempt": item.attempt}
    line["ms"] = round(held.ms, 2)
    if item.host:
        line["domain"] = item.host
    if kind in LEVELS:
        line["level"] = LEVELS[kind]
    if outcome and outcome.reason:
        line |= {"error": outcome.reason, "class": outcome.error_class}
    if kind == "failed" and outcome and outcome.traceback:
        line["trace"] = outcome.traceback
    return line
