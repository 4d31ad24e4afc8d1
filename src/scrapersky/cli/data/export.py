"""Write a list to a file: contacts with their evidence, or any other rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import command
from scrapersky.cli.contact_file_options import check_file_style, csv_options
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import CURATION_STATUSES, STATUS_HELP, domain_option, limit_option
from scrapersky.cli.output import echo
from scrapersky.cli.rows import PLURALS
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky import database, wiring
    from scrapersky.actions.contacts import rechecks
    from scrapersky.cli import runtime
    from scrapersky.destinations import contact_file
    from scrapersky.destinations.contact_format import FileFormat
    from scrapersky.queries import exports
    from scrapersky.queries.rows import entities
    from scrapersky.queries.rows import filters as row_filters
    from scrapersky.settings import Settings
else:
    database = lazy_module("scrapersky.database")
    wiring = lazy_module("scrapersky.wiring")
    rechecks = lazy_module("scrapersky.actions.contacts.rechecks")
    runtime = lazy_module("scrapersky.cli.runtime")
    contact_file = lazy_module("scrapersky.destinations.contact_file")
    entities = lazy_module("scrapersky.queries.rows.entities")
    exports = lazy_module("scrapersky.queries.exports")
    row_filters = lazy_module("scrapersky.queries.rows.filters")

LISTS = {plural: name for name, plural in PLURALS.items()} | {
    "searches": "search",
    "jobs": "job",
    "deliveries": "delivery",
}


@command(json=False)
@click.argument("rows", type=click.Choice(list(LISTS)), default="contacts", metavar="[LIST]")
@click.option(
    "--to",
    "form",
    type=click.Choice(["csv", "jsonl", "xlsx", "parquet"]),
    help="The format [default: by the name of the file, else csv].",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A .csv, .jsonl, .xlsx or .parquet file [default: standard output].",
)
@domain_option
@click.option(
    "--curation",
    type=CURATION_STATUSES,
    help="Filter by curation status; rejected and archived contacts are exported only when named here.",
)
@click.option("--status", help=STATUS_HELP)
@click.option("-q", "--contains", help="Text in what the list is searched by, ignoring case.")
@click.option("--error", help="Text in the error message.")
@click.option("--tag", help="Only rows with this tag.")
@click.option("--priority", type=click.IntRange(1, 3), help="Of pages and sitemaps; 1 is read first.")
@click.option("--page-type", help="Of pages, such as CONTACT_ROOT.")
@limit_option(None, None, "Maximum rows.")
@click.option(
    "--formula-safe/--raw",
    default=True,
    show_default=True,
    help="Neutralise cells that a spreadsheet would run.",
)
@csv_options
async def export(
    settings: Settings,
    rows: str,
    form: FileFormat | None,
    output: Path | None,
    curation: str | None,
    limit: int | None,
    formula_safe: bool,
    excel: bool,
    separator: str,
    **filters: str | int | None,
) -> None:
    """Write a list to a file, the newest rows first.

    LIST is contacts (the default), domains, pages, sitemaps, places, businesses, searches, jobs or
    deliveries. Contacts have their page, the text around them, and what is known about the address.
    """
    style = check_file_style(output, chosen=form, excel=excel, separator=separator, formula_safe=formula_safe)
    if style.format in ("xlsx", "parquet") and output is None and sys.stdout.isatty():
        raise click.UsageError(f"{style.format.upper()} cannot be written to a terminal; use -o FILE.")
    entity = entities.LISTS[LISTS[rows]]
    chosen = row_filters.parse_filters(
        entity, row_filters.Filters(curation_status=curation, **filters).params
    )
    written = 0
    async with database.open_database(settings) as engine, wiring.open_rechecks(settings) as checks:
        actor = await runtime.current_actor(settings, engine)
        listed = exports.list_export(engine, entity, actor.tenant_id, chosen)
        with contact_file.open_contact_file(output, style, listed.columns) as add:
            async for chunk in rechecks.checked_chunks(engine, listed, checks, limit=limit):
                for row in chunk:
                    add(row)
                written += len(chunk)
    echo(f"{pluralize(written, entity.name, rows)} written", err=True)
