"""Destinations of contacts: add, list, show, edit, delete, test, send."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.exit_codes import UNAVAILABLE
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import dry_run_option
from scrapersky.cli.output import echo, echo_fields, echo_json, echo_message, echo_rows
from scrapersky.cli.preset_options import params_option, parse_params
from scrapersky.declarations import statuses

if TYPE_CHECKING:
    from scrapersky import secret_key, wiring
    from scrapersky.actions.delivery import checks, destinations, sends
    from scrapersky.cli.runtime import App
    from scrapersky.queries.delivery import destinations as queries
    from scrapersky.queries.rows import entities, filters
else:
    checks = lazy_module("scrapersky.actions.delivery.checks")
    destinations = lazy_module("scrapersky.actions.delivery.destinations")
    entities = lazy_module("scrapersky.queries.rows.entities")
    filters = lazy_module("scrapersky.queries.rows.filters")
    queries = lazy_module("scrapersky.queries.delivery.destinations")
    secret_key = lazy_module("scrapersky.secret_key")
    sends = lazy_module("scrapersky.actions.delivery.sends")
    wiring = lazy_module("scrapersky.wiring")

destination = click.Group("destination", help=__doc__)
name_argument = click.argument("name", metavar="NAME")
option_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Such as url=… or list_id=…; may be repeated.",
)
map_option = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="COLUMN=PROPERTY",
    help="A column of a contact and the property that it becomes; may be repeated. Replaces the mapping.",
)
secret_option = click.option(
    "--secret",
    "has_secret",
    is_flag=True,
    help="Read a token or key from standard input; it is stored encrypted.",
)
automatic_option = click.option(
    "--automatic/--manual", "is_automatic", default=None, help="Whether AUTO_DELIVERY delivers to it."
)
LISTED = (
    "id",
    "name",
    "kind",
    "is_active",
    "is_automatic",
    "delivered",
    "waiting",
    "failed",
    "last_delivered_at",
)


@database_command(destination, "list")
async def list_destinations(app: App, as_json: bool) -> None:
    """List the destinations with the numbers of their deliveries."""
    rows = await _query(app).list_destinations()
    echo_rows(rows if as_json else [{key: row[key] for key in LISTED} for row in rows], as_json=as_json)


@database_command(destination)
@name_argument
async def show(app: App, name: str, as_json: bool) -> None:
    """Show a destination, by its name or id, with its mapping; never its secret."""
    row = await _query(app).find(name)
    if as_json:
        echo_json(row)
        return
    echo_fields({key: value for key, value in row.items() if key != "mapping"})
    for field, column in row["mapping"].items():
        echo(f"{'mapping':<28} {column} → {field}")


@database_command(destination)
@name_argument
@click.argument("kind", type=click.Choice(statuses.DESTINATION_KIND))
@option_option
@map_option
@secret_option
@automatic_option
async def add(
    app: App,
    name: str,
    kind: str,
    options: tuple[str, ...],
    mapping: tuple[str, ...],
    has_secret: bool,
    is_automatic: bool | None,
    as_json: bool,
) -> None:
    """Add a destination. A webhook or n8n without --secret gets a generated secret, printed once."""
    destination_id, generated = await _editor(app).add(
        name=name,
        kind=kind,
        options=_options(options, mapping),
        secret=_read_secret() if has_secret else "",
        is_automatic=bool(is_automatic),
    )
    if as_json:
        echo_json({"id": destination_id, "generated_secret": generated})
        return
    if generated:
        echo(generated)
        echo_message("This secret signs the messages. It is not shown again; give it to the receiver.")
    echo_message(
        f"Added destination {destination_id}. Test it with: scrapersky destination test {destination_id}"
    )


@database_command(destination)
@name_argument
@click.option("--rename", help="A new name.")
@option_option
@map_option
@secret_option
@automatic_option
@click.option("--enable/--disable", "is_active", default=None, help="Whether contacts are delivered to it.")
@click.option(
    "--rotate-secret", is_flag=True, help="Generate a new secret; the previous one signs too for now."
)
@click.option("--forget-previous-secret", is_flag=True, help="Sign with the newest secret alone.")
async def edit(
    app: App,
    name: str,
    rename: str | None,
    options: tuple[str, ...],
    mapping: tuple[str, ...],
    has_secret: bool,
    is_automatic: bool | None,
    is_active: bool | None,
    rotate_secret: bool,
    forget_previous_secret: bool,
    as_json: bool,
) -> None:
    """Change a destination; options that are not named stay as they are."""
    row = await _query(app).find(name)
    changes: dict[str, Any] = {"name": rename, "is_automatic": is_automatic, "is_active": is_active}
    changes = {key: value for key, value in changes.items() if value is not None}
    if options or mapping:
        changes["options"] = {**row["options"], **_options(options, mapping)}
    editor = _editor(app)
    secret = _read_secret() if has_secret else ""
    if changes or secret:
        await editor.edit(row["id"], changes, secret=secret)
    if forget_previous_secret:
        await editor.forget_previous_secret(row["id"])
    generated = await editor.rotate_secret(row["id"]) if rotate_secret else ""
    if as_json:
        echo_json({**await _query(app).show(row["id"]), "generated_secret": generated})
        return
    if generated:
        echo(generated)
    echo_message(f"Changed destination {row['id']}")


@database_command(destination)
@name_argument
async def delete(app: App, name: str, as_json: bool) -> None:
    """Delete a destination with its deliveries; what arrived there stays there."""
    row = await _query(app).find(name)
    await _editor(app).delete(row["id"])
    if as_json:
        echo_json({"deleted": row["id"]})
    else:
        echo_message(f"Deleted destination {row['id']}")


@database_command(destination, "test")
@name_argument
async def test_destination(app: App, name: str, as_json: bool) -> int | None:
    """Call a destination once with an invented contact."""
    row = await _query(app).find(name)
    key = secret_key.load_secret_key(app.settings)
    async with wiring.open_destinations(app.settings) as known:
        result = await checks.check_destination(app.engine, app.actor, key, known, row["id"])
    if as_json:
        fields = checks.preview_fields(row, app.tenant_id)
        echo_json({"status": result.status, "message": result.message, "sample": fields})
    else:
        echo(f"{row['name']}: {result.status}" + (f" ({result.message})" if result.message else ""))
    return None if result.status == "ok" else UNAVAILABLE


@database_command(destination)
@name_argument
@params_option(
    "filter", "A filter of the list of contacts, such as curation_status=Selected; may be repeated."
)
@click.option("--id", "ids", multiple=True, type=click.UUID, help="A contact; may be repeated.")
@click.option("--expected", type=click.IntRange(0), help="Refuse if another number of contacts matches.")
@click.option(
    "--include",
    multiple=True,
    type=click.Choice(["hidden", "webmail", "unverified"]),
    help="Send these too; may be repeated.",
)
@dry_run_option
async def send(
    app: App,
    name: str,
    params: tuple[str, ...],
    ids: tuple[Any, ...],
    expected: int | None,
    include: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Send contacts to a destination: those with --id, or all that match the filters.

    Addresses that a site hides, of mail providers, and not known to be valid are left out and counted.
    """
    if not (ids or params):
        raise click.UsageError("Name contacts by --id or --filter.")
    row = await _query(app).find(name)
    chosen = filters.parse_filters(entities.get_entity("contact"), parse_params(params))
    sending = sends.Send(
        destination_id=row["id"],
        ids=list(ids) or None,
        filters=None if ids else chosen,
        include=include,
        expected=expected,
    )
    if dry_run:
        counts = await sends.preview_send(app.engine, app.actor, sending)
        matched = sum(counts.values())
        queued, left_out = counts.pop("sent", 0), counts
    else:
        result = await sends.send_contacts(app.engine, app.actor, sending)
        queued, left_out = result.queued, result.skipped
    if as_json:
        echo_json({"queued": queued, "left_out": left_out, "dry_run": dry_run})
        return
    reasons = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
    verb = f"of {matched} contacts would be sent" if dry_run else "contacts are on their way"
    echo(f"{queued} {verb}" + (f"; left out: {reasons}" if reasons else ""))


def _query(app: App) -> Any:
    return queries.DestinationQuery(app.engine, app.tenant_id)


def _editor(app: App) -> Any:
    return destinations.DestinationEditor(app.engine, app.actor, secret_key.load_secret_key(app.settings))


def _options(options: tuple[str, ...], mapping: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = dict(_pair(text) for text in options)
    if "formula_safe" in values:
        values["formula_safe"] = values["formula_safe"] == "true"
    if mapping:
        pairs = [_pair(text) for text in mapping]
        values["mapping"] = {field: column for column, field in pairs}
    return values


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise click.UsageError(f"{text!r} is not of the form NAME=VALUE.")
    return name, value


def _read_secret() -> str:
    text = sys.stdin.readline().strip()
    if not text:
        raise click.UsageError("--secret reads the secret from standard input, which is empty.")
    return text
