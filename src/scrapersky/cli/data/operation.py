"""Decisions over many rows: list, show, undo, cancel."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import limit_option
from scrapersky.cli.output import echo_fields, echo_json, echo_rows
from scrapersky.declarations import statuses

if TYPE_CHECKING:
    from scrapersky.actions import curation
    from scrapersky.actions import operations as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.decisions import operations as queries
else:
    actions = lazy_module("scrapersky.actions.operations")
    curation = lazy_module("scrapersky.actions.curation")
    queries = lazy_module("scrapersky.queries.decisions.operations")

operation = click.Group("operation", help=__doc__)
id_argument = click.argument("operation_id", metavar="ID", type=click.UUID)
LISTED = ("id", "created_at", "actor", "action", "entity", "value", "status", "matched", "changed", "queued")


@database_command(operation, "list")
@click.option("--status", type=click.Choice(statuses.OPERATION), help="Filter by status.")
@limit_option(200)
async def list_operations(app: App, status: str | None, limit: int, as_json: bool) -> None:
    """List operations, the newest first."""
    query = queries.OperationQuery(app.engine, app.tenant_id)
    rows = await query.list_operations(status=status, limit=limit)
    echo_rows(rows if as_json else [{name: row[name] for name in LISTED} for row in rows], as_json=as_json)


@database_command(operation)
@id_argument
async def show(app: App, operation_id: UUID, as_json: bool) -> None:
    """Show one operation with its progress."""
    row = await queries.OperationQuery(app.engine, app.tenant_id).show(operation_id)
    if as_json:
        echo_json(row)
    else:
        echo_fields(row)


@database_command(operation)
@id_argument
async def undo(app: App, operation_id: UUID, as_json: bool) -> None:
    """Put rows back that are still as the operation left them."""
    result = await curation.undo(app.engine, app.actor, operation_id)
    if as_json:
        echo_json({"restored": result.updated, "matched": result.matched, "skipped": result.skipped})
    else:
        click.echo(curation.describe_undo(result))


@database_command(operation)
@id_argument
async def cancel(app: App, operation_id: UUID, as_json: bool) -> None:
    """Stop an operation after its current chunk."""
    await actions.cancel_operation(app.engine, app.actor, operation_id)
    row = await queries.OperationQuery(app.engine, app.tenant_id).show(operation_id)
    if as_json:
        echo_json(row)
    else:
        click.echo(f"{row['changed']} of {row['matched']} rows were changed before the operation stopped")
