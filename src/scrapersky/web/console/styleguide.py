"""Every part of the console on one page, in both themes; the page that visual tests photograph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request, Response

from scrapersky.api.caller import Viewer
from scrapersky.declarations import DECLARATIONS, statuses
from scrapersky.web.console import charts
from scrapersky.web.console.console import ConsoleContext

router = APIRouter()
THEMES = ("light", "dark")
COLOURS = (
    *("bg", "surface", "sunk", "line", "line-strong", "ink", "ink-2", "accent", "accent-wash"),
    *("good", "good-wash", "warn", "warn-wash", "bad", "bad-wash", "info", "info-wash"),
    *("s1", "s2", "s3", "s4", "s5", "s6"),
)
STATES = (
    *("healthy", "degraded", "unhealthy", "starting", "paused", "open", "investigating", "resolved"),
    *("cancelled", "undone", "something else"),
)


@router.get("/styleguide")
async def styleguide(request: Request, caller: Viewer, console: ConsoleContext) -> Response:
    return await console.page(
        request,
        caller,
        "styleguide.html",
        themes=THEMES,
        colours=COLOURS,
        pills={
            "Curation": statuses.CURATION,
            "Processing": _processing_statuses(),
            "E-mail addresses": statuses.EMAIL_RESULT,
            "States": STATES,
        },
        moments=[
            datetime.now(UTC) - age for age in (timedelta(seconds=12), timedelta(hours=3), timedelta(20))
        ],
        examples=_examples(),
    )


def _processing_statuses() -> list[str]:
    """The words of every stage, each spelling once."""
    return list(dict.fromkeys(status for stage in DECLARATIONS for status in stage.statuses.all))


def _examples() -> dict[str, Any]:
    """Charts with invented numbers."""
    reasons = [("Timeout", 412), ("HTTP 403", 188), ("Certificate expired", 31)]
    minutes = [(f"12:{minute:02}", 40 + minute * 7 % 23, minute % 5) for minute in range(30)]
    return {
        "line": charts.sparkline([3, 5, 4, 8, 7, 9, 12], "Pages by day"),
        "stack": charts.stack([("new", "info", 62), ("selected", "accent", 25), ("rejected", "mute", 13)]),
        "bars": charts.bars(reasons, "Errors of the last hour", headers=("Error", "Rows")),
        "ranges": charts.ranges([("Page reading", 240, 1_900)], "Time for each row by stage"),
        "columns": charts.columns(minutes, "Rows by minute", headers=("Minute", "Done", "Failed")),
        "flow": charts.flow(
            [
                charts.Step("Places", 100, "/places", losses=(charts.Loss("rejected", 20, "/places"),)),
                charts.Step("Businesses", 80, "/businesses"),
                charts.Step("Contacts", 50, "/contacts"),
            ]
        ),
    }
