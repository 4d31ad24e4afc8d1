"""The whole pipeline on an invented internet: no key, no network."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import long_command
from scrapersky.cli.contact_file_options import check_file_style
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import quiet_option

if TYPE_CHECKING:
    from scrapersky.settings import Settings
    from scrapersky_demo import program
else:
    program = lazy_module("scrapersky_demo.program")


@long_command()
@click.option(
    "--size", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Invented businesses."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the invented world."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo-contacts.csv"),
    show_default=True,
    help="Contacts as .csv, .jsonl or .xlsx.",
)
@click.option(
    "--timeout",
    "timeout_seconds",
    type=click.FloatRange(1),
    default=900.0,
    show_default=True,
    help="Maximum seconds.",
)
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object on the last line.")
@quiet_option
async def demo(
    settings: Settings,
    stop: asyncio.Event,
    force: asyncio.Event,
    size: int,
    seed: int,
    output: Path,
    timeout_seconds: float,
    as_json: bool,
    quiet: bool,
) -> int:
    """From invented businesses to contacts: no key, no network, and a measured precision and recall.

    It uses its own private database; the last line names the command that opens it. Exit code 0:
    contacts were found, 1: none, 5: the time limit was reached, 130: interrupted.
    """
    check_file_style(output)
    options = program.DemoOptions(
        size=size, seed=seed, output=output, timeout_seconds=timeout_seconds, as_json=as_json, quiet=quiet
    )
    return await program.run_demo(settings, options, stop, force)
