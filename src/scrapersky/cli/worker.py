"""`scrapersky worker`: one process works; several are watched over and restarted."""

from __future__ import annotations

import asyncio

import click

from scrapersky.cli.running import explained, settings_or_exit


@click.command()
@click.option("--processes", type=click.IntRange(1, 64), help="Worker processes [default: WORKER_PROCESSES].")
@click.option("--stage", "stages", multiple=True, help="Work on this stage only; may be given several times.")
@click.option(
    "--heartbeat-fd", type=int, hidden=True, help="Pipe to the supervisor that started this process."
)
def worker(processes: int | None, stages: tuple[str, ...], heartbeat_fd: int | None) -> None:
    """Work on the queues until told to stop."""
    from scrapersky.processes.programs import check_stages, supervise_workers, worker_process
    from scrapersky.processes.shutdown import run_until_stopped

    settings = settings_or_exit()
    number = processes or settings.worker_processes

    async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
        check_stages(stages)
        if number == 1:
            await worker_process(settings, stop, force, only=stages, heartbeat=heartbeat_fd)
        else:
            await supervise_workers(settings, number, stop, force, only=stages)

    explained(lambda: run_until_stopped(main, loop_factory=new_loop()))


def new_loop() -> type[asyncio.AbstractEventLoop] | None:
    """uvloop where there is one."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.Loop
