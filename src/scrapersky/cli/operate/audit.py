"""The audit log: list, verify."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.exit_codes import FAILED
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import limit_option
from scrapersky.cli.output import echo, echo_json, echo_rows
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky.cli.runtime import App
    from scrapersky.queries import audit as queries
else:
    queries = lazy_module("scrapersky.queries.audit")

audit = click.Group("audit", help=__doc__)
COLUMNS = ("number", "created_at", "actor", "action", "table_name", "row_id", "changed_fields")


@database_command(audit, "list")
@click.option("--action", help="Only entries of this action, such as contact.update.")
@click.option("--table", help="Only entries about rows of this table.")
@click.option("--row", help="Only entries about the row with this id.")
@click.option("--after", type=click.IntRange(1), help="Only entries older than the one with this number.")
@limit_option(maximum=200)
async def list_entries(
    app: App,
    action: str | None,
    table: str | None,
    row: str | None,
    after: int | None,
    limit: int,
    as_json: bool,
) -> None:
    """List who changed what, the newest first; with --json also the values before and after."""
    matching = queries.AuditFilter(action=action, table_name=table, row_id=row)
    page = await queries.AuditQuery(app.engine, app.tenant_id).find(matching, after=after, limit=limit)
    if as_json:
        for entry in page["items"]:
            entry |= {name: entry[name].hex() for name in ("previous_hash", "hash")}
        echo_json(page)
    else:
        echo_rows([{name: entry[name] for name in COLUMNS} for entry in page["items"]], as_json=False)


@database_command(audit)
async def verify(app: App, as_json: bool) -> int:
    """Compute every hash of the log again; exit code 1 if an entry was changed, removed or moved."""
    report = await queries.AuditQuery(app.engine, app.tenant_id).verify()
    if as_json:
        echo_json({"is_intact": report.is_intact, **asdict(report)})
    else:
        for fault in report.faults:
            echo(f"entry {fault.number}: {fault.problem}")
        state = "intact" if report.is_intact else "NOT intact"
        entries = pluralize(report.entries, "entry", "entries")
        echo(f"{entries}, {state}; the last is {report.last_number} {report.hash}".rstrip())
    return 0 if report.is_intact else FAILED
