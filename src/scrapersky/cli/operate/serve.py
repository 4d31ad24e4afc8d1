"""Start only the web application."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import long_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_message

if TYPE_CHECKING:
    from scrapersky.processes import serve as process
    from scrapersky.settings import Settings
else:
    process = lazy_module("scrapersky.processes.serve")


@long_command(overrides=("host", "port"))
@click.option("--host", help="Address to listen on [default: HOST].")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port to listen on [default: PORT].")
async def serve(settings: Settings, stop: asyncio.Event, force: asyncio.Event) -> None:
    """Serve the web application until stopped."""
    await process.serve(settings, stop, echo_message)
