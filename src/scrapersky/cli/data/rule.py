"""Rules that decide about new rows: list, add, preview, enable, disable, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import CURATION_STATUSES
from scrapersky.cli.output import echo_json, echo_rows
from scrapersky.cli.preset_options import entity_argument, params_option, parse_params

if TYPE_CHECKING:
    from scrapersky.actions.presets import rules as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.decisions import presets as queries
    from scrapersky.queries.delivery import destinations
    from scrapersky.queries.rows import entities, filters
else:
    actions = lazy_module("scrapersky.actions.presets.rules")
    destinations = lazy_module("scrapersky.queries.delivery.destinations")
    entities = lazy_module("scrapersky.queries.rows.entities")
    filters = lazy_module("scrapersky.queries.rows.filters")
    queries = lazy_module("scrapersky.queries.decisions.presets")

rule = click.Group("rule", help=__doc__)
id_argument = click.argument("rule_id", metavar="ID", type=click.UUID)
filter_option = params_option("filter", "A filter of the list, such as page_type=login; may be repeated.")
LISTED = (
    "id",
    "name",
    "entity",
    "filters",
    "decision",
    "destination_id",
    "is_enabled",
    "changed_rows",
    "checked_at",
)


@database_command(rule, "list")
async def list_rules(app: App, as_json: bool) -> None:
    """List the rules."""
    rows = await queries.RuleQuery(app.engine, app.tenant_id).list_rules()
    echo_rows([{name: row[name] for name in LISTED} for row in rows], as_json=as_json)


@database_command(rule)
@click.argument("name")
@entity_argument
@click.argument("decision", metavar="[STATUS]", type=CURATION_STATUSES, required=False)
@filter_option
@click.option("--destination", help="Send contacts to this destination instead of giving them a status.")
@click.option("--disabled", is_flag=True, help="Do not apply it yet.")
async def add(
    app: App,
    name: str,
    entity: str,
    decision: str | None,
    params: tuple[str, ...],
    destination: str | None,
    disabled: bool,
    as_json: bool,
) -> None:
    """Add a rule: new rows of ENTITY that match get STATUS, unless a person has decided.

    With --destination, contacts that match are sent there once their address is known to be valid.
    """
    chosen = None
    if destination is not None:
        chosen = (await destinations.DestinationQuery(app.engine, app.tenant_id).find(destination))["id"]
    rule_id = await actions.create_rule(
        app.engine,
        app.actor,
        name=name,
        entity=entity,
        filters=parse_params(params),
        decision=decision,
        destination_id=chosen,
        is_enabled=not disabled,
    )
    if as_json:
        echo_json({"id": rule_id})
    else:
        click.echo(f"Added rule {rule_id}")


@database_command(rule)
@entity_argument
@filter_option
async def preview(app: App, entity: str, params: tuple[str, ...], as_json: bool) -> None:
    """Count the rows of the last 30 days that a rule would have matched."""
    chosen = entities.get_entity(entity)
    checked = filters.Filters.from_json(actions.check_filters(chosen, parse_params(params)))
    counts = await queries.RuleQuery(app.engine, app.tenant_id).preview(chosen, checked)
    if as_json:
        echo_json(counts)
    else:
        click.echo(f"{counts['matching']} rows match, {counts['new']} of them are new")


@database_command(rule)
@id_argument
async def enable(app: App, rule_id: UUID, as_json: bool) -> None:
    """Apply a rule to rows that come from now on."""
    await _switch(app, rule_id, is_enabled=True, as_json=as_json)


@database_command(rule)
@id_argument
async def disable(app: App, rule_id: UUID, as_json: bool) -> None:
    """Stop applying a rule."""
    await _switch(app, rule_id, is_enabled=False, as_json=as_json)


@database_command(rule)
@id_argument
async def delete(app: App, rule_id: UUID, as_json: bool) -> None:
    """Delete a rule; what it has decided stays."""
    await actions.delete_rule(app.engine, app.actor, rule_id)
    if as_json:
        echo_json({"deleted": rule_id})
    else:
        click.echo(f"Deleted rule {rule_id}")


async def _switch(app: App, rule_id: UUID, *, is_enabled: bool, as_json: bool) -> None:
    await actions.update_rule(app.engine, app.actor, rule_id, {"is_enabled": is_enabled})
    if as_json:
        echo_json({"id": rule_id, "is_enabled": is_enabled})
    else:
        click.echo(f"{'Enabled' if is_enabled else 'Disabled'} rule {rule_id}")
