"""Fills the tenant `demo` as a process of its own: `python -m scrapersky_demo.tenant --size 40`.

The console starts it. It writes its progress as lines of JSON, and stops when its standard input ends, which
happens when the console does.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from scrapersky.database import data_folder, open_database
from scrapersky.errors import ScraperSkyError, StartupError
from scrapersky.settings import Settings
from scrapersky.tables.seed import DEMO_TENANT_ID
from scrapersky_demo.tenant_copy import fill_tenant


@click.command()
@click.option("--size", type=click.IntRange(1, 1_000), default=40, show_default=True, help="Businesses.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the world.")
def main(size: int, seed: int) -> None:
    """Build the demo world and copy it into the tenant `demo`."""
    try:
        contacts = asyncio.run(_run(Settings(), size, seed))
    except ScraperSkyError as error:
        _report({"step": "failed", "reason": str(error)})
        raise SystemExit(1) from None
    _report({"step": "done", "contacts": contacts})


async def _run(settings: Settings, size: int, seed: int) -> int:
    work = asyncio.create_task(_fill(settings, size, seed))
    parent = asyncio.create_task(_wait_for_end_of_input())
    await asyncio.wait({work, parent}, return_when=asyncio.FIRST_COMPLETED)
    if not work.done():
        work.cancel()
        await asyncio.wait({work})
        raise StartupError("It was stopped")
    return work.result()


async def _wait_for_end_of_input() -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()


async def _fill(settings: Settings, size: int, seed: int) -> int:
    folder = await asyncio.to_thread(_make_folder, data_folder(settings))
    try:
        async with open_database(settings) as target:
            return await fill_tenant(
                settings, target, DEMO_TENANT_ID, size=size, seed=seed, folder=str(folder), report=_report
            )
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _make_folder(parent: Path) -> Path:
    """A short name: the path of a socket has little room."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="demo-", dir=parent))
    # The private server may run as another user than root.
    folder.chmod(0o755)
    return folder


def _report(line: dict[str, Any]) -> None:
    click.echo(json.dumps(line))


if __name__ == "__main__":
    main()
