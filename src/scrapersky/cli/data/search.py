"""Searches for places: add, list, show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from scrapersky.cli.command import command, database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import encoding_option, limit_option
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_rows
from scrapersky.cli.program import with_program_name
from scrapersky.cli.submissions import print_notes
from scrapersky.declarations import SEARCH_PLACES

if TYPE_CHECKING:
    from scrapersky import database
    from scrapersky.actions import searches
    from scrapersky.cli import runtime
    from scrapersky.cli.runtime import App
    from scrapersky.extract import geography
    from scrapersky.queries import rows
    from scrapersky.settings import Settings
    from scrapersky.sources import csv_file
else:
    runtime = lazy_module("scrapersky.cli.runtime")
    searches = lazy_module("scrapersky.actions.searches")
    database = lazy_module("scrapersky.database")
    geography = lazy_module("scrapersky.extract.geography")
    rows = lazy_module("scrapersky.queries.rows")
    csv_file = lazy_module("scrapersky.sources.csv_file")

PROBLEMS_SHOWN = 10
PREVIEW_ROWS = 1_000

search = click.Group("search", help=__doc__)


def check_country(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if not text:
        return ""
    if (code := geography.country_code(text)) is None:
        raise click.BadParameter(f"Invalid country {text!r}; expected a code such as DE")
    return code


@command(search)
@click.argument("kind", default="")
@click.option("--in", "location", default="", help='Where, such as "Portland, OR".')
@click.option("--source", default="csv", show_default=True, help="Name of the source.")
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="The file of the source csv.",
)
@encoding_option
@click.option(
    "--country",
    default="",
    callback=check_country,
    help="Country of rows in the file that name none, such as DE.",
)
@limit_option(None, None, "Maximum places.")
async def add(
    settings: Settings,
    kind: str,
    location: str,
    source: str,
    file: str | None,
    encoding: str,
    country: str,
    limit: int | None,
    as_json: bool,
) -> None:
    """Queue a search for a KIND of business in a place."""
    options = {"limit": limit, "encoding": encoding, "country": country}
    params: dict[str, Any] = {name: value for name, value in options.items() if value}
    if source == "csv":
        if file is None:
            raise click.UsageError("The source csv needs --file.")
        _print_mapping(file, encoding, country)
        params["file"] = file
    async with database.open_database(settings) as engine:
        search_id = await searches.submit_search(
            engine, runtime.system_actor(settings), kind, location, source, params
        )
    if as_json:
        echo_json({"id": search_id, "status": SEARCH_PLACES.statuses.queued})
    else:
        run = with_program_name("scrapersky stage run search_places")
        click.echo(f"Queued search {search_id}. Run it with: {run}")


def _print_mapping(file: str, encoding: str, country: str) -> None:
    """How the columns of the file are understood, before anything is queued."""
    listing = csv_file.CSVSource().read(file, limit=PREVIEW_ROWS, encoding=encoding, country=country)
    echo(f"{listing.assumed}, separated by {listing.delimiter!r}", err=True)
    for field, heading in listing.mapping.items():
        echo(f"{field:<10} from {heading}", err=True)
    if listing.ignored:
        echo(f"not used: {', '.join(listing.ignored)}", err=True)
    for number, problem in listing.problems[:PROBLEMS_SHOWN]:
        echo(f"line {number}: {problem}", err=True)
    print_notes(listing.notes)


@database_command(search, "list")
@limit_option()
async def list_searches(app: App, limit: int, as_json: bool) -> None:
    """List the newest searches."""
    echo_rows(await rows.RowQuery(app.engine).searches(app.tenant_id, limit=limit), as_json=as_json)


@database_command(search)
@click.argument("search_id", metavar="ID", type=click.UUID)
async def show(app: App, search_id: UUID, as_json: bool) -> None:
    """Show one search."""
    row = await rows.RowQuery(app.engine).search(app.tenant_id, search_id)
    if as_json:
        echo_json(row)
    else:
        echo_fields(row, width=16)
