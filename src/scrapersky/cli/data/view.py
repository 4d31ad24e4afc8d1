"""Saved views of lists: list, add, share, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_json, echo_rows
from scrapersky.cli.preset_options import list_argument, params_option, parse_params

if TYPE_CHECKING:
    from scrapersky.actions.presets import saved_views as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.decisions import presets as queries
else:
    actions = lazy_module("scrapersky.actions.presets.saved_views")
    queries = lazy_module("scrapersky.queries.decisions.presets")

view = click.Group("view", help=__doc__)
id_argument = click.argument("view_id", metavar="ID", type=click.UUID)
LISTED = ("id", "name", "entity", "query", "is_shared", "updated_at")


@database_command(view, "list")
async def list_views(app: App, as_json: bool) -> None:
    """List your views and those that others share."""
    rows = await queries.ViewQuery(app.engine, app.tenant_id, app.actor.user_id).list_views()
    echo_rows([{name: row[name] for name in LISTED} for row in rows], as_json=as_json)


@database_command(view)
@click.argument("name")
@list_argument
@params_option(
    "param", "A parameter of the list, such as page_type=login or sort=-created_at; may be repeated."
)
@click.option("--shared", is_flag=True, help="Let everybody of the tenant see it.")
async def add(app: App, name: str, entity: str, params: tuple[str, ...], shared: bool, as_json: bool) -> None:
    """Save the parameters of a list of ENTITY under a name."""
    chosen = parse_params(params)
    view_id = await actions.create_view(
        app.engine, app.actor, name=name, entity=entity, params=chosen, is_shared=shared
    )
    if as_json:
        echo_json({"id": view_id})
    else:
        click.echo(f"Added view {view_id}")


@database_command(view)
@id_argument
@click.option("--off", is_flag=True, help="Keep it to yourself again.")
async def share(app: App, view_id: UUID, off: bool, as_json: bool) -> None:
    """Let everybody of the tenant see one of your views."""
    await actions.update_view(app.engine, app.actor, view_id, {"is_shared": not off})
    if as_json:
        echo_json({"id": view_id, "is_shared": not off})
    else:
        click.echo(f"View {view_id} is {'yours alone' if off else 'shared'}")


@database_command(view)
@id_argument
async def delete(app: App, view_id: UUID, as_json: bool) -> None:
    """Delete one of your views."""
    await actions.delete_view(app.engine, app.actor, view_id)
    if as_json:
        echo_json({"deleted": view_id})
    else:
        click.echo(f"Deleted view {view_id}")
