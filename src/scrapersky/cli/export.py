"""`scrapersky export`: contacts with their evidence as CSV, JSON Lines or XLSX."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.output import csv_options, style_of
from scrapersky.cli.running import run
from scrapersky.wording import counted

if TYPE_CHECKING:
    from scrapersky.destinations.contact_format import FileFormat
    from scrapersky.settings import Settings


@click.command()
@click.option(
    "--to",
    "form",
    type=click.Choice(["csv", "jsonl", "xlsx"]),
    help="The format [default: by the name of the file, else csv].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .csv, .jsonl or .xlsx file [default: standard output].",
)
@click.option("--domain", help="Of this website only.")
@click.option(
    "--decision",
    help="Filter by curation status; rejected and archived contacts are exported only when named here.",
)
@click.option("--limit", type=click.IntRange(1))
@click.option(
    "--formula-safe/--raw", default=True, show_default=True, help="Mark cells that a spreadsheet would run."
)
@csv_options
def export(
    form: FileFormat | None,
    output: Path | None,
    domain: str | None,
    decision: str | None,
    limit: int | None,
    formula_safe: bool,
    excel: bool,
    separator: str,
) -> None:
    """Write contacts with their page, the words on it, and what is known about the address."""
    style = style_of(output, chosen=form, excel=excel, separator=separator, formula_safe=formula_safe)
    if style.format == "xlsx" and output is None and sys.stdout.isatty():
        raise click.UsageError("XLSX is not for terminals: name a file with -o.")

    async def main(settings: Settings) -> int:
        from scrapersky.database import open_database
        from scrapersky.destinations.contact_file import open_contact_file
        from scrapersky.queries.contacts import ContactQuery

        number = 0
        async with open_database(settings) as engine:
            found = ContactQuery(engine).stream(
                settings.default_tenant_id, domain=domain, decision=decision, limit=limit
            )
            with open_contact_file(output, style) as add:
                async for contact in found:
                    add(contact)
                    number += 1
        return number

    click.echo(f"{counted(run(main), 'contact')} written", err=True)
