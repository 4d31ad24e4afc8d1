"""Start only workers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import long_command
from scrapersky.cli.lazy import lazy_module

if TYPE_CHECKING:
    from scrapersky.processes import worker as process
    from scrapersky.settings import Settings
else:
    process = lazy_module("scrapersky.processes.worker")


@long_command(overrides=("worker_processes",))
@click.option(
    "--processes",
    "worker_processes",
    type=click.IntRange(1, 64),
    help="Worker processes [default: WORKER_PROCESSES].",
)
@click.option("--stage", "stages", multiple=True, help="Run only this stage; repeatable.")
@click.option(
    "--heartbeat-fd", type=int, hidden=True, help="Pipe to the supervisor that started this process."
)
async def worker(
    settings: Settings,
    stop: asyncio.Event,
    force: asyncio.Event,
    stages: tuple[str, ...],
    heartbeat_fd: int | None,
) -> None:
    """Run the stages until stopped; several processes are supervised and restarted when they fail."""
    process.check_stage_names(stages)
    if settings.worker_processes == 1:
        await process.work(settings, stop, force, only=stages, heartbeat_fd=heartbeat_fd)
    else:
        await process.supervise_workers(settings, settings.worker_processes, stop, force, only=stages)
