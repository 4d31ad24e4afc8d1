"""`scrapersky serve`: the web application alone."""

from __future__ import annotations

import asyncio

import click

from scrapersky.cli.running import explained, settings_or_exit
from scrapersky.cli.worker import new_loop


@click.command()
@click.option("--host", help="Address to listen on [default: HOST].")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on [default: PORT].")
def serve(host: str | None, port: int | None) -> None:
    """Serve the web application until told to stop."""
    from scrapersky.processes.programs import serve_web
    from scrapersky.processes.shutdown import run_until_stopped

    settings = settings_or_exit(host=host or None, port=port)

    async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
        await serve_web(settings, stop, force)

    explained(lambda: run_until_stopped(main, loop_factory=new_loop()))
