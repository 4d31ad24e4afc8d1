"""Find the contacts of domains."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import long_command
from scrapersky.cli.contact_file_options import check_file_style, csv_options
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import quiet_option

if TYPE_CHECKING:
    from scrapersky.processes import find as process
    from scrapersky.settings import Settings
    from scrapersky.sources.csv import decoder
else:
    process = lazy_module("scrapersky.processes.find")
    decoder = lazy_module("scrapersky.sources.csv.decoder")


@long_command()
@click.argument("domains", nargs=-1)
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="One domain per line.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write contacts to this .csv, .jsonl or .xlsx.",
)
@csv_options
@click.option("--json", "as_json", is_flag=True, help="Contacts as JSON Lines, the summary as the last line.")
@click.option(
    "--timeout",
    "timeout_seconds",
    type=click.FloatRange(1),
    default=900.0,
    show_default=True,
    help="Maximum seconds.",
)
@quiet_option
async def find(
    settings: Settings,
    stop: asyncio.Event,
    force: asyncio.Event,
    domains: tuple[str, ...],
    file: Path | None,
    output: Path | None,
    excel: bool,
    separator: str,
    as_json: bool,
    timeout_seconds: float,
    quiet: bool,
) -> int:
    """Find the contacts of DOMAINS (or of those in --file, or on stdin with -).

    Example: scrapersky find example.com other.example -o contacts.csv

    Ctrl+C shuts down gracefully, a second Ctrl+C at once; run the same command to resume. Exit code 0:
    contacts of every domain, 5: some domains failed or gave none or the time limit was reached, 1: no contact
    at all, 130: interrupted.
    """
    style = check_file_style(output, excel=excel, separator=separator)
    lines = _read_lines(domains, file)
    options = process.FindOptions(
        timeout_seconds=timeout_seconds, output=output, style=style, as_json=as_json, quiet=quiet
    )
    return await process.find(settings, lines, options, stop, force)


def _read_lines(domains: Sequence[str], file: Path | None) -> list[str]:
    lines = [domain for domain in domains if domain != "-"]
    if file:
        lines += _lines_of_file(file)
    if "-" in domains:
        lines += sys.stdin.read().splitlines()
    # Comments become empty lines, so that the others keep their numbers.
    lines = ["" if line.lstrip().startswith("#") else line.strip() for line in lines]
    if not any(lines):
        raise click.UsageError("Pass at least one domain, --file FILE, or - for standard input.")
    return lines


def _lines_of_file(file: Path) -> list[str]:
    """The lines of a text file in any encoding."""
    try:
        return decoder.read_text_lines(file.read_bytes())
    except decoder.InvalidCSV as error:
        raise click.BadParameter(f"{file.name}: {error}", param_hint="'--file'") from None
