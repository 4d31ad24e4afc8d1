"""Start everything: private database, web and workers; Ctrl+C stops it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import long_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_message

if TYPE_CHECKING:
    from scrapersky.processes import up as process
    from scrapersky.settings import Settings
else:
    process = lazy_module("scrapersky.processes.up")


@long_command(overrides=("port", "worker_processes"))
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on [default: PORT].")
@click.option(
    "--processes",
    "worker_processes",
    type=click.IntRange(1, 64),
    help="Worker processes [default: WORKER_PROCESSES].",
)
async def up(settings: Settings, stop: asyncio.Event, force: asyncio.Event) -> None:
    """Start the private database (unless DATABASE_URL is set), migrate it, serve the web, run the workers.

    Ctrl+C shuts down gracefully, a second Ctrl+C at once.
    """
    await process.up(settings, stop, force, echo_message)
