"""Write contacts with their evidence to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.contact_file_options import check_file_style, csv_options
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import CURATION_STATUSES, domain_option, limit_option
from scrapersky.cli.output import echo
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky import database
    from scrapersky.destinations import contact_file
    from scrapersky.destinations.contact_format import FileFormat
    from scrapersky.queries import contacts as queries
    from scrapersky.settings import Settings
else:
    database = lazy_module("scrapersky.database")
    contact_file = lazy_module("scrapersky.destinations.contact_file")
    queries = lazy_module("scrapersky.queries.contacts")


@command(json=False)
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
@domain_option
@click.option(
    "--curation",
    type=CURATION_STATUSES,
    help="Filter by curation status; rejected and archived contacts are exported only when named here.",
)
@limit_option(None, None, "Maximum contacts.")
@click.option(
    "--formula-safe/--raw",
    default=True,
    show_default=True,
    help="Neutralise cells that a spreadsheet would run.",
)
@csv_options
async def export(
    settings: Settings,
    form: FileFormat | None,
    output: Path | None,
    domain: str | None,
    curation: str | None,
    limit: int | None,
    formula_safe: bool,
    excel: bool,
    separator: str,
) -> None:
    """Write contacts with their page, the text around them, and what is known about the address."""
    style = check_file_style(output, chosen=form, excel=excel, separator=separator, formula_safe=formula_safe)
    if style.format == "xlsx" and output is None and sys.stdout.isatty():
        raise click.UsageError("XLSX cannot be written to a terminal; use -o FILE.")
    written = 0
    async with database.open_database(settings) as engine:
        contacts = queries.ContactQuery(engine).stream(
            settings.default_tenant_id, domain=domain, curation_status=curation, limit=limit
        )
        with contact_file.open_contact_file(output, style) as add:
            async for contact in contacts:
                add(contact)
                written += 1
    echo(f"{pluralize(written, 'contact')} written", err=True)
