"""Searches for places: add, list, show, coverage."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from scrapersky.cli.command import command, database_command
from scrapersky.cli.data.columns import columns_of
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import encoding_option, limit_option
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_rows
from scrapersky.cli.program import with_program_name
from scrapersky.cli.submissions import print_notes
from scrapersky.declarations import SEARCH_PLACES

if TYPE_CHECKING:
    from scrapersky import database, wiring
    from scrapersky.actions import search_request, searches
    from scrapersky.cli import runtime
    from scrapersky.cli.runtime import App
    from scrapersky.extract import geography
    from scrapersky.queries.places import columns as columns_queries
    from scrapersky.queries.places import coverage as coverage_queries
    from scrapersky.queries.rows import details as rows
    from scrapersky.queries.rows import entities, lists
    from scrapersky.settings import Settings
    from scrapersky.sources import box, csv_file
    from scrapersky.sources.csv import headings
else:
    runtime = lazy_module("scrapersky.cli.runtime")
    searches = lazy_module("scrapersky.actions.searches")
    search_request = lazy_module("scrapersky.actions.search_request")
    database = lazy_module("scrapersky.database")
    columns_queries = lazy_module("scrapersky.queries.places.columns")
    coverage_queries = lazy_module("scrapersky.queries.places.coverage")
    wiring = lazy_module("scrapersky.wiring")
    box = lazy_module("scrapersky.sources.box")
    geography = lazy_module("scrapersky.extract.geography")
    entities = lazy_module("scrapersky.queries.rows.entities")
    lists = lazy_module("scrapersky.queries.rows.lists")
    rows = lazy_module("scrapersky.queries.rows.details")
    csv_file = lazy_module("scrapersky.sources.csv_file")
    headings = lazy_module("scrapersky.sources.csv.headings")

PROBLEMS_SHOWN = 10
PREVIEW_ROWS = 1_000
SOURCE_ENDINGS = {"parquet": "overture", "pbf": "openstreetmap", "json": "openstreetmap"}

search = click.Group("search", help=__doc__)


def check_country(_context: click.Context, _option: click.Parameter, text: str) -> str:
    if not text:
        return ""
    if (code := geography.country_code(text)) is None:
        raise click.BadParameter(f"Invalid country {text!r}; expected a code such as DE")
    return code


def source_of(source: str, file: str | None) -> str:
    """A search in a file needs no name of a source: the file's ending says it."""
    if source or file is None:
        return source
    return SOURCE_ENDINGS.get(file.lower().rpartition(".")[2], "csv")


@command(search)
@click.argument("kind", default="")
@click.option(
    "--in",
    "location",
    default="",
    help='A city, such as Berlin or "Portland, OR"; for a file, words of the address.',
)
@click.option("--box", "box_text", default="", metavar="S,W,N,E", help="Search in this box, in degrees.")
@click.option("--near", default="", metavar="LAT,LON", help="Search around this point, in degrees.")
@click.option("--radius", "radius_km", type=float, help="Kilometres around the point or the city.")
@click.option("--source", default="", help="Name of the source; otherwise the first that has data.")
@click.option(
    "--file",
    type=click.Path(exists=True, resolve_path=True),
    help="Search in this file: CSV, Parquet of Overture Places, or JSON or PBF of OpenStreetMap.",
)
@encoding_option
@click.option(
    "--column",
    "column_texts",
    multiple=True,
    metavar="FIELD=HEADING",
    help="Column of a CSV file, such as name=Kunde; may be repeated; remembered for the same headings.",
)
@click.option("--mapping", default="", help="Column mapping of a CSV file, by its name; see columns.")
@click.option(
    "--country",
    default="",
    callback=check_country,
    help="Country of the city, or of rows in a CSV file that name none, such as DE.",
)
@limit_option(None, None, "Maximum places.")
async def add(
    settings: Settings,
    kind: str,
    location: str,
    box_text: str,
    near: str,
    radius_km: float | None,
    source: str,
    file: str | None,
    encoding: str,
    column_texts: tuple[str, ...],
    mapping: str,
    country: str,
    limit: int | None,
    as_json: bool,
) -> None:
    """Queue a search for a KIND of business in a place, such as: search add bakery --in Berlin."""
    source = source_of(source, file)
    options: dict[str, Any] = {"limit": limit, "file": file}
    if source == "csv":
        if file is None:
            raise click.UsageError("The source csv needs --file.")
        options |= {"encoding": encoding, "country": country}
        options |= await _choose_columns(settings, file, encoding, columns_of(column_texts), mapping)
        _print_mapping(file, encoding, country, options.get("columns") or {})
    elif column_texts or mapping:
        raise click.UsageError("--column and --mapping are for CSV files.")
    request = search_request.SearchRequest(
        kind=kind,
        location=location,
        source=source,
        country=country,
        box=box.parse_box(box_text) if box_text else None,
        near=box.parse_point(near) if near else None,
        radius_km=radius_km,
        params={name: value for name, value in options.items() if value},
    )
    async with database.open_database(settings) as engine:
        actor = await runtime.current_actor(settings, engine)
        sources = wiring.known_sources(settings)
        submitted = await searches.submit_search(engine, actor, request, sources)
    if as_json:
        echo_json(
            {
                "id": submitted.id,
                "status": SEARCH_PLACES.statuses.queued,
                "source": submitted.source,
                "place": submitted.place,
                "box": submitted.params.get("box"),
            }
        )
        return
    if "box" in submitted.params:
        echo(f"{submitted.place} in {submitted.source}", err=True)
    run = with_program_name("scrapersky stage run search_places")
    click.echo(f"Queued search {submitted.id}. Run it with: {run}")


async def _choose_columns(
    settings: Settings, file: str, encoding: str, named: dict[str, str], mapping: str
) -> dict[str, Any]:
    """The parameters of a search that say what the columns are: as named now, by a mapping, else as for the
    last file with these headings; none if the headings are to be understood.
    """
    async with database.open_database(settings) as engine:
        actor = await runtime.current_actor(settings, engine)
        if mapping:
            kept = await columns_queries.ColumnMappingQuery(engine, actor.tenant_id).find(mapping)
            return {"columns": kept["columns"] | named}
        read = csv_file.read_columns(file, encoding=encoding, heading=headings.named_heading(named))
        last = await columns_queries.ColumnQuery(engine, actor.tenant_id).last_choice(read.headings)
    is_known = last is not None and last.has_headings
    if not named and not is_known:
        return {}
    known = headings.ColumnMapping(last.columns, read.headings) if last and is_known else read
    others = {field: head for field, head in known.described().items() if head not in named.values()}
    columns = others | named
    try:
        chosen = headings.choose_columns(read.headings, columns)
    except ValueError as error:
        raise click.UsageError(f"{file}: {error}") from None
    return {
        "columns": columns,
        columns_queries.CHOICE: columns_queries.ColumnChoice(chosen.columns).to_json(chosen.headings),
    }


def _print_mapping(file: str, encoding: str, country: str, columns: dict[str, str]) -> None:
    """How the columns of the file are understood, before anything is queued."""
    listing = csv_file.CSVSource().read(
        file, limit=PREVIEW_ROWS, encoding=encoding, country=country, columns=columns
    )
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
    query = lists.ListQuery(app.engine, app.tenant_id)
    echo_rows(await query.list_rows(entities.SEARCH, limit=limit), as_json=as_json)


@database_command(search)
@click.argument("search_id", metavar="ID", type=click.UUID)
async def show(app: App, search_id: UUID, as_json: bool) -> None:
    """Show one search."""
    row = await rows.RowQuery(app.engine).show(entities.SEARCH, app.tenant_id, str(search_id))
    if as_json:
        echo_json(row)
    else:
        echo_fields(row, width=16)


@database_command(search)
@click.argument("search_id", metavar="ID", type=click.UUID)
async def coverage(app: App, search_id: UUID, as_json: bool) -> None:
    """Estimate how many businesses a search has missed, from a second source in the same area."""
    query = coverage_queries.CoverageQuery(app.engine, app.tenant_id)
    made = await query.of_search(search_id)
    if as_json:
        echo_json(asdict(made) | {"share": made.whole.share})
        return
    whole = made.whole
    if whole.estimate is None:
        reason = (
            f"{made.other_source} has none of its businesses" if made.other_source else "no second source"
        )
        echo(f"{whole.listed} found; the number of all cannot be estimated: {reason}")
        return
    echo(
        f"{whole.listed} found of about {whole.estimate:.0f} ({whole.low:.0f} to {whole.high:.0f});"
        f" {made.source} {whole.first}, {made.other_source} {whole.second}, both {whole.both}"
    )
    cells = [{**asdict(cell), **asdict(cell.estimate)} for cell in made.cells]
    columns = ("south", "west", "first", "second", "both", "estimate", "low", "high")
    echo_rows(cells, as_json=False, columns=columns)
