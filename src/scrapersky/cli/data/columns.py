"""What the columns of CSV files mean, under a name: list, add, edit, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_json, echo_message, echo_rows

if TYPE_CHECKING:
    from scrapersky.actions.place_files import column_mappings as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.places import columns as queries
else:
    actions = lazy_module("scrapersky.actions.place_files.column_mappings")
    queries = lazy_module("scrapersky.queries.places.columns")

columns = click.Group("columns", help=__doc__)
name_argument = click.argument("name")


@database_command(columns, "list")
async def list_mappings(app: App, as_json: bool) -> None:
    """List the column mappings."""
    rows = await _query(app).list_mappings()
    if not as_json:
        rows = [{**row, "columns": described(row["columns"])} for row in rows]
    echo_rows(rows, as_json=as_json)


@database_command(columns)
@name_argument
@click.argument("fields", nargs=-1, required=True, metavar="FIELD=HEADING...")
async def add(app: App, name: str, fields: tuple[str, ...], as_json: bool) -> None:
    """Name a mapping, such as: columns add "Trade fair" name=Kunde website=Netz phone="column 5"."""
    mapping_id = await actions.create_mapping(app.engine, app.actor, name=name, columns=columns_of(fields))
    if as_json:
        echo_json({"id": mapping_id})
    else:
        click.echo(f"Added column mapping {mapping_id}")


@database_command(columns)
@name_argument
@click.argument("fields", nargs=-1, metavar="[FIELD=HEADING]...")
@click.option("--name", "new_name", help="A new name.")
async def edit(app: App, name: str, fields: tuple[str, ...], new_name: str | None, as_json: bool) -> None:
    """Change columns of the mapping NAME; FIELD= takes a field out."""
    row = await _query(app).find(name)
    changed = {**row["columns"], **columns_of(fields)}
    changes: dict[str, Any] = {"columns": {field: text for field, text in changed.items() if text}}
    if new_name is not None:
        changes["name"] = new_name
    await actions.update_mapping(app.engine, app.actor, row["id"], changes)
    if as_json:
        echo_json({"id": row["id"], **changes})
    else:
        echo_message(f"{new_name or row['name']}: {described(changes['columns'])}")


@database_command(columns)
@name_argument
async def delete(app: App, name: str, as_json: bool) -> None:
    """Delete a column mapping; searches that were made with it keep their columns."""
    row = await _query(app).find(name)
    await actions.delete_mapping(app.engine, app.actor, row["id"])
    if as_json:
        echo_json({"deleted": row["id"]})
    else:
        echo_message(f"Deleted column mapping {row['id']}")


def columns_of(texts: tuple[str, ...]) -> dict[str, str]:
    """The heading of each field, as FIELD=HEADING names them."""
    pairs = [text.partition("=") for text in texts]
    if wrong := [text for text, (_, sign, _) in zip(texts, pairs, strict=True) if not sign]:
        raise click.UsageError(f"Invalid column {wrong[0]!r}; expected FIELD=HEADING, such as name=Kunde")
    return {field: heading for field, _, heading in pairs}


def described(chosen: dict[str, str]) -> str:
    return ", ".join(f"{field} from {heading}" for field, heading in chosen.items())


def _query(app: App) -> Any:
    return queries.ColumnMappingQuery(app.engine, app.tenant_id)
