"""Runs the demo world as a process of its own: `python -m scrapersky_demo --seed 1 --port 8800`."""

import asyncio
import json
import signal
from pathlib import Path

import click

from scrapersky_demo.server.server import serve_world
from scrapersky_demo.world import World


@click.command()
@click.option("--seed", default=1, show_default=True, help="The same seed makes the same world.")
@click.option("--size", default=200, show_default=True, help="How many businesses.")
@click.option("--port", default=0, help="The loopback port; 0 takes a free one.")
@click.option("--huge-urls", default=3_000, show_default=True, help="URLs of a huge sitemap.")
@click.option("--log", type=click.Path(path_type=Path), help="Write the request log here when stopped.")
@click.option("--ready", is_flag=True, help="Make every answer before the first request.")
@click.option("--truth", type=click.Path(path_type=Path), help="Write the truth here as JSON.")
def main(
    seed: int, size: int, port: int, huge_urls: int, log: Path | None, ready: bool, truth: Path | None
) -> None:
    """Serves an invented little internet on one loopback port until it is stopped."""
    world = World(seed, size, huge_urls=huge_urls)
    if truth:
        truth.write_text(json.dumps(world.truth().as_dict(), ensure_ascii=False), encoding="utf-8")
    asyncio.run(_run(world, port, log, ready=ready))


async def _run(world: World, port: int, log: Path | None, *, ready: bool) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with serve_world(world, port=port) as server:
        if ready:
            server.response_cache.fill()
        click.echo(json.dumps({"host": server.host, "port": server.port, "domains": len(world.domains())}))
        await stopped.wait()
    if log:
        server.log.save(log)


if __name__ == "__main__":
    main()
