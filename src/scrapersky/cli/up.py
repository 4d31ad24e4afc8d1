"""`scrapersky up`: everything on one machine with one command."""

from __future__ import annotations

import asyncio

import click

from scrapersky.cli.running import explained, settings_or_exit
from scrapersky.cli.worker import new_loop


@click.command()
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on [default: PORT].")
@click.option("--processes", type=click.IntRange(1, 64), help="Worker processes [default: WORKER_PROCESSES].")
def up(port: int | None, processes: int | None) -> None:
    """Start the private database (unless DATABASE_URL is set), migrate, serve, work; Ctrl+C stops it all."""
    from scrapersky.processes.programs import run_everything
    from scrapersky.processes.shutdown import run_until_stopped

    settings = settings_or_exit(port=port, worker_processes=processes)

    def say(address: str) -> None:
        click.echo(f"ScraperSky is at {address}  (Ctrl+C stops it)", err=True)

    async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
        await run_everything(settings, stop, force, say)

    explained(lambda: run_until_stopped(main, loop_factory=new_loop()))
