"""`scrapersky status`: what waits, runs, was done and failed, stage by stage."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.running import echo_rows, json_option, run

if TYPE_CHECKING:
    from scrapersky.settings import Settings

COLUMNS = (
    "stage", "waiting", "running", "failed", "done_hour", "failed_hour", "mean_ms", "oldest", "workers",
    "paused",
)  # fmt: skip


@click.command()
@json_option
@click.option(
    "--watch",
    type=click.FloatRange(0.5, 86_400),
    is_flag=False,
    flag_value=2.0,
    help="Repeat every so many seconds.",
)
def status(as_json: bool, watch: float | None) -> None:
    """One line per stage."""

    async def main(settings: Settings) -> None:
        from scrapersky.database import open_database
        from scrapersky.queries import StageQuery

        async with open_database(settings) as engine:
            while True:
                lines: list[dict[str, Any]] = [line.as_dict() for line in await StageQuery(engine).lines()]
                if watch and not as_json:
                    click.clear()
                echo_rows(lines, as_json=as_json, columns=COLUMNS)
                if not watch:
                    return
                await asyncio.sleep(watch)

    run(main)
