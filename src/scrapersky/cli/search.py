"""`scrapersky search`: ask for places, and see what searches found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from scrapersky.cli.adding import encoding_option, tell_notes
from scrapersky.cli.changing import who_of
from scrapersky.cli.program import named
from scrapersky.cli.running import echo, echo_fields, echo_json, echo_rows, json_option, run
from scrapersky.declarations import SEARCH_PLACES

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.group()
def search() -> None:
    """Ask for places, and see what searches found."""


@search.command()
@click.argument("kind", default="")
@click.option("--in", "location", default="", help='Where, such as "Portland, OR".')
@click.option("--source", default="csv", show_default=True)
@click.option("--file", type=click.Path(exists=True, dir_okay=False), help="The file of the source csv.")
@encoding_option
@click.option("--country", default="", help="Country of rows in the file that name none, such as DE.")
@click.option("--limit", type=click.IntRange(1), help="Places to take.")
@json_option
def add(
    kind: str,
    location: str,
    source: str,
    file: str | None,
    encoding: str,
    country: str,
    limit: int | None,
    as_json: bool,
) -> None:
    """Queue a search for a kind of business in a place."""
    given = {"limit": limit, "encoding": encoding, "country": _checked_country(country)}
    params: dict[str, Any] = {name: value for name, value in given.items() if value}
    if source == "csv":
        params["file"] = _checked_file(file, params)

    async def main(settings: Settings) -> UUID:
        from scrapersky.actions.searches import submit_search
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            return await submit_search(engine, who_of(settings), kind, location, source, params)

    search_id = run(main)
    if as_json:
        echo_json({"id": search_id, "status": SEARCH_PLACES.statuses.queued})
    else:
        click.echo(named(f"search {search_id}; run it with: scrapersky stage run search_places"))


def _checked_country(text: str) -> str:
    from scrapersky.extract.geography import country_code

    if not text:
        return ""
    if (code := country_code(text)) is None:
        raise click.BadParameter(
            f"Unknown country {text!r}; expected a code such as DE", param_hint="--country"
        )
    return code


def _checked_file(file: str | None, params: dict[str, Any]) -> str:
    """The file's full path; how its columns are understood is shown before anything is queued."""
    if file is None:
        raise click.UsageError("The source csv needs --file.")
    from scrapersky.cli.running import explained
    from scrapersky.sources.csv_file import CSVSource

    encoding, country = params.get("encoding", ""), params.get("country", "")
    listing = explained(lambda: CSVSource().read(file, limit=1_000, encoding=encoding, country=country))
    echo(f"{listing.assumed}, divided by {listing.delimiter!r}", err=True)
    for field, heading in listing.mapping.items():
        echo(f"{field:<10} from {heading}", err=True)
    if listing.ignored:
        echo(f"not used: {', '.join(listing.ignored)}", err=True)
    for number, problem in listing.problems[:10]:
        echo(f"line {number}: {problem}", err=True)
    tell_notes(listing.notes)
    return str(Path(file).resolve())


@search.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
def list_searches(limit: int, as_json: bool) -> None:
    """The newest searches."""

    async def main(settings: Settings) -> list[dict[str, Any]]:
        from scrapersky.database import open_database
        from scrapersky.queries.rows import RowQuery

        async with open_database(settings) as engine:
            return await RowQuery(engine).searches(settings.default_tenant_id, limit=limit)

    echo_rows(run(main), as_json=as_json)


@search.command()
@click.argument("which", type=click.UUID)
@json_option
def show(which: UUID, as_json: bool) -> None:
    """One search."""

    async def main(settings: Settings) -> dict[str, Any]:
        from scrapersky.database import open_database
        from scrapersky.queries.rows import RowQuery

        async with open_database(settings) as engine:
            return await RowQuery(engine).search(settings.default_tenant_id, which)

    row = run(main)
    if as_json:
        echo_json(row)
        return
    echo_fields(row, width=16)
