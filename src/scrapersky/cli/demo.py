"""`scrapersky demo`: the whole pipeline on an invented internet that knows the truth about itself."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.output import style_of
from scrapersky.cli.program import tell
from scrapersky.cli.running import echo_json, explained, settings_or_exit
from scrapersky.cli.watching import Watcher, result_line
from scrapersky.cli.worker import new_loop
from scrapersky.wording import counted

if TYPE_CHECKING:
    from scrapersky.processes.find import DemoResult

SHOWN = 20


@click.command()
@click.option(
    "--size", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Invented businesses."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Another seed, another world."
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
    "--timeout", type=click.FloatRange(1), default=900.0, show_default=True, help="Seconds at most."
)
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object on the last line.")
@click.option("--quiet", is_flag=True, help="No progress.")
def demo(size: int, seed: int, output: Path, timeout: float, as_json: bool, quiet: bool) -> None:
    """From invented businesses to contacts: no key, no network, and a measured precision and recall.

    It has a private database of its own, which is kept; the last line says how to look at it. Exit code 0:
    contacts were found, 1: none, 5: the time limit was reached, 130: interrupted.
    """
    from scrapersky.processes.find import demo_folder, run_demo
    from scrapersky.processes.shutdown import run_until_stopped

    style_of(output)
    settings = settings_or_exit()
    watcher = Watcher(quiet=quiet)
    results: list[DemoResult] = []

    async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
        results.append(
            await run_demo(
                settings, seed, size, stop, force, watcher.show, output, most_seconds=timeout, say=watcher.say
            )
        )

    explained(lambda: run_until_stopped(main, loop_factory=new_loop()))
    watcher.end()
    _tell(results[0], output, as_json)
    if not as_json:
        folder = shlex.quote(str(demo_folder(settings)))
        tell(f"To look at it: DATA_FOLDER={folder} scrapersky contact list")
    raise SystemExit(_exit_code(results[0]))


def _exit_code(result: DemoResult) -> int:
    if result.interrupted:
        return 130
    if result.timed_out:
        return 5
    return 0 if result.contacts else 1


def _tell(result: Any, output: Path, as_json: bool) -> None:
    if as_json:
        echo_json(result.summary)
        return
    from scrapersky.cli.running import echo_rows

    columns = ("domain", "email", "phone_number", "name", "job_title", "source_url")
    echo_rows(result.contacts[:SHOWN], as_json=False, columns=columns)
    more = len(result.contacts) - SHOWN
    if more > 0:
        click.echo(f"... and {more} more in {output}", err=True)
    summary = result.summary
    told = f"precision {summary['precision']:.2%}, recall {summary['recall']:.2%}"
    told += f"; {counted(summary['domains'], 'domain')}, {result_line(summary, output)}"
    click.echo(told, err=True)
    if result.timed_out:
        click.echo("The time limit was reached. Run the same command to resume.", err=True)
