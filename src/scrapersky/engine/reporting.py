"""What the log says about one item."""

from __future__ import annotations

from typing import Any

from scrapersky.engine.settler import Held


def item_line(stage: str, held: Held, kind: str) -> dict[str, Any]:
    item, outcome = held.item, held.outcome
    attempt = item.retries + item.rescues + 1
    line = {"event": "item", "stage": stage, "id": item.id, "state": kind, "attempt": attempt}
    line["ms"] = round(held.ms, 2)
    if item.host:
        line["host"] = item.host
    if outcome and outcome.reason:
        line |= {"error": outcome.reason, "class": outcome.error_class}
    return line
