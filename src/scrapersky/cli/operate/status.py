"""One line per stage: waiting, running, done, failed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_rows

if TYPE_CHECKING:
    from scrapersky import queries
    from scrapersky.cli.runtime import App
else:
    queries = lazy_module("scrapersky.queries")

COLUMNS = (
    "stage", "waiting", "running", "failed", "done_hour", "failed_hour", "mean_ms", "oldest", "workers",
    "paused",
)  # fmt: skip


@database_command()
@click.option(
    "--watch",
    type=click.FloatRange(0.5, 86_400),
    is_flag=False,
    flag_value=2.0,
    help="Repeat at this interval in seconds [default: 2].",
)
async def status(app: App, watch: float | None, as_json: bool) -> None:
    """One line per stage: waiting, running, done, failed."""
    while True:
        stages = [line.as_dict() for line in await queries.StageQuery(app.engine).statuses()]
        if watch and not as_json:
            click.clear()
        echo_rows(stages, as_json=as_json, columns=COLUMNS)
        if not watch:
            return
        await asyncio.sleep(watch)
