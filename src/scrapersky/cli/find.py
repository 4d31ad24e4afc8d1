"""`scrapersky find`: from domains to contacts, here and now."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from scrapersky.cli.output import csv_options, style_of
from scrapersky.cli.program import named
from scrapersky.cli.running import echo, echo_json, explained, fail, settings_or_exit
from scrapersky.cli.watching import Watcher, result_line
from scrapersky.cli.worker import new_loop
from scrapersky.wording import counted

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from scrapersky.destinations.contact_format import ExportOptions
    from scrapersky.processes.find import Outcome
    from scrapersky.settings import Settings

INTERRUPTED, PARTLY, NOTHING = 130, 5, 1
REASONS_SHOWN = 20


@click.command()
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
    "--timeout", type=click.FloatRange(1), default=900.0, show_default=True, help="Seconds to wait at most."
)
@click.option("--quiet", is_flag=True, help="No progress.")
def find(
    domains: tuple[str, ...],
    file: Path | None,
    output: Path | None,
    excel: bool,
    separator: str,
    as_json: bool,
    timeout: float,
    quiet: bool,
) -> None:
    """Find the contacts of DOMAINS (or of those in --file, or on stdin with -).

    Example: scrapersky find example.com other.example -o contacts.csv

    Ctrl+C shuts down gracefully, a second Ctrl+C at once; run the same command to resume. Exit code 0:
    contacts of every domain, 5: some domains failed or gave none or the time limit was reached, 1: no contact
    at all, 130: interrupted.
    """
    from scrapersky.processes.find import find as run_find
    from scrapersky.processes.shutdown import run_until_stopped

    style = style_of(output, excel=excel, separator=separator)
    lines = _lines(domains, file)
    if not any(lines):
        raise click.UsageError("Name at least one domain, or give --file, or - for stdin.")
    settings = settings_or_exit()
    summary = Summary(settings, as_json, output, style)
    watcher = Watcher(quiet=quiet or as_json)

    async def main(stop: asyncio.Event, force: asyncio.Event) -> None:
        submit = summary.submitting(lines, settings)
        await run_find(
            settings,
            submit,
            stop,
            force,
            watcher.show,
            summary.report,
            most_seconds=timeout,
            say=watcher.say,
        )

    explained(lambda: run_until_stopped(main, loop_factory=new_loop()))
    watcher.end()
    raise SystemExit(summary.tell())


def _lines(domains: Sequence[str], file: Path | None) -> list[str]:
    lines = [one for one in domains if one != "-"]
    if file:
        lines += _lines_of(file)
    if "-" in domains:
        lines += sys.stdin.read().splitlines()
    # Empty lines and remarks stay as empty ones, so that the others keep their numbers.
    return ["" if line.lstrip().startswith("#") else line.strip() for line in lines]


def _lines_of(file: Path) -> list[str]:
    """The lines of a text file in any encoding."""
    from scrapersky.sources.csv.decoder import InvalidCSV, read_text_lines

    try:
        return read_text_lines(file.read_bytes())
    except InvalidCSV as error:
        raise click.BadParameter(f"{file.name}: {error}", param_hint="'--file'") from None


class Summary:
    """Collects what a run came to and tells it: bad lines and the table to people, JSON to machines."""

    def __init__(self, settings: Settings, as_json: bool, output: Path | None, style: ExportOptions) -> None:
        self.settings, self.as_json, self.output, self.style = settings, as_json, output, style
        self.contacts: list[dict[str, Any]] = []
        self.refused: list[dict[str, Any]] = []
        self.without: list[dict[str, Any]] = []
        self.asked = self.boilerplate = 0
        self.outcome: Outcome | None = None

    def submitting(self, lines: list[str], settings: Any) -> Any:
        async def submit(engine: AsyncEngine) -> Sequence[UUID]:
            from scrapersky.actions.resumption import resume_domains
            from scrapersky.actions.submissions import submit_domains
            from scrapersky.processes.find import system_of

            results = (await submit_domains(engine, system_of(settings), lines)).lines
            self.refused = [one.as_dict() for one in results if one.id is None and one.status != "known"]
            ids = list(dict.fromkeys(one.id for one in results if one.id is not None))
            self.asked = len(ids)
            for one in self.refused:
                echo(f"line {one['number']}: {one['value']}: {one['reason']}", err=True)
            if not ids:
                fail("None of the lines is a domain.", 2)
            await resume_domains(engine, system_of(settings), ids)
            return ids

        return submit

    async def report(self, engine: AsyncEngine, ids: Sequence[UUID], outcome: Outcome) -> None:
        from scrapersky.queries.contacts import ContactQuery, own_contacts
        from scrapersky.queries.explanations import ExplanationQuery, Gates

        self.outcome, chosen = outcome, self.settings
        gates = Gates(chosen.auto_sitemap_analysis, chosen.sitemap_auto_import, chosen.auto_page_reading)
        ended = "interrupted" if outcome.interrupted else "timed_out" if outcome.timed_out else ""
        self.without = await ExplanationQuery(engine).without_contacts(ids, ended=ended, gates=gates)
        found = ContactQuery(engine).stream(chosen.default_tenant_id, domain_ids=ids)
        self.contacts, self.boilerplate = own_contacts([one async for one in found])
        if self.output:
            from scrapersky.processes.find import write_contacts

            await asyncio.to_thread(write_contacts, self.output, self.contacts, self.style)

    def tell(self) -> int:
        outcome = self.outcome
        if outcome is None:
            return INTERRUPTED
        reached = {one["domain"] for one in self.contacts}
        counts = {"domains": self.asked, "with_contacts": len(reached), "contacts": len(self.contacts)}
        later = sum(one.get("later", 0) for one in outcome.counts.values())
        pages = outcome.counts.get("read_page", {}).get("done", 0)
        counts |= {"boilerplate": self.boilerplate, "pages": pages, "later": later}
        summary = {**counts, "seconds": round(outcome.seconds, 1)}
        if self.as_json:
            for one in self.contacts:
                echo_json(one)
            ended = {"interrupted": outcome.interrupted, "timed_out": outcome.timed_out}
            echo_json(summary | ended | {"without_contacts": self.without})
        else:
            self._table(summary, timed_out=outcome.timed_out)
        if outcome.interrupted:
            return INTERRUPTED
        if not self.contacts:
            return NOTHING
        whole = len(reached) == self.asked and not self.refused and not outcome.timed_out
        return 0 if whole else PARTLY

    def _table(self, summary: dict[str, Any], *, timed_out: bool) -> None:
        from scrapersky.cli.running import echo_rows

        columns = ("domain", "email", "phone_number", "name", "job_title", "source_url")
        if self.contacts:
            echo_rows(self.contacts, as_json=False, columns=columns)
        for one in self.without[:REASONS_SHOWN]:
            echo(named(f"{one['domain']}: {one['explanation']}"), err=True)
        if len(self.without) > REASONS_SHOWN:
            click.echo(f"... and {len(self.without) - REASONS_SHOWN} more without contacts", err=True)
        if timed_out:
            click.echo("The time limit was reached. Run the same command to resume.", err=True)
        told = f"{counted(summary['domains'], 'domain')}, {summary['with_contacts']} with contacts"
        echo(f"{told}; {result_line(summary, self.output)}", err=True)
