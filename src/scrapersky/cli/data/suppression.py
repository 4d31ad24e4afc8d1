"""Suppressions, who must be neither kept nor contacted: add, import, list, delete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.exit_codes import PART_FAILED
from scrapersky.cli.input_files import INPUT_FILE, open_input
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import all_options, encoding_option, limit_option
from scrapersky.cli.output import echo, echo_json, echo_rows
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky.actions.privacy import suppressions as actions
    from scrapersky.cli.runtime import App
    from scrapersky.queries.privacy import suppressions as queries
else:
    actions = lazy_module("scrapersky.actions.privacy.suppressions")
    queries = lazy_module("scrapersky.queries.privacy.suppressions")

suppression = click.Group("suppression", help=__doc__)
CHUNK_BYTES = 1 << 16
KINDS = click.Choice(("email", "phone", "domain"))
new_options = all_options(
    click.option("--reason", required=True, help="Why, such as: objected by e-mail."),
    click.option("--country", help="Where numbers without a prefix are read, such as DE."),
    click.option("--all-tenants", is_flag=True, help="For every tenant of the installation."),
)


@database_command(suppression)
@click.argument("entries", nargs=-1, required=True, metavar="ADDRESS|NUMBER|DOMAIN...")
@new_options
async def add(
    app: App, entries: tuple[str, ...], reason: str, country: str | None, all_tenants: bool, as_json: bool
) -> int:
    """Suppress e-mail addresses, phone numbers and domains, and delete their contacts."""
    result = await actions.suppress(
        app.engine, app.actor, entries, reason, country=country, all_tenants=all_tenants
    )
    return _print(result, as_json=as_json)


@database_command(suppression, "import")
@click.argument("file", type=INPUT_FILE)
@new_options
@click.option("--kind", type=KINDS, help="What the file lists [default: read from each entry].")
@click.option("--column", default="", help="The column: its heading, or its number from 1.")
@encoding_option
async def import_file(
    app: App,
    file: Path,
    reason: str,
    country: str | None,
    all_tenants: bool,
    kind: str | None,
    column: str,
    encoding: str,
    as_json: bool,
) -> int:
    """Import an opt-out list, a CSV file or one entry per line; "-" is standard input."""
    with open_input(file) as stream:
        chunks: Iterator[bytes] = iter(lambda: stream.read(CHUNK_BYTES), b"")
        result = await actions.import_suppressions(
            app.engine,
            app.actor,
            chunks,
            reason,
            kind=kind or "",
            column=column,
            encoding=encoding,
            country=country,
            all_tenants=all_tenants,
        )
    return _print(result, as_json=as_json)


@database_command(suppression, "list")
@click.option("--kind", type=KINDS, help="Only this kind.")
@limit_option(maximum=1_000)
async def list_suppressions(app: App, kind: str | None, limit: int, as_json: bool) -> None:
    """List the suppressions, the newest first; what each is about cannot be read back."""
    query = queries.SuppressionQuery(app.engine)
    rows = await query.list_suppressions(app.tenant_id, kind=kind or "", limit=limit)
    echo_rows(rows, as_json=as_json)


@database_command(suppression)
@click.argument("suppression_id", metavar="ID", type=click.UUID)
async def delete(app: App, suppression_id: UUID, as_json: bool) -> None:
    """Withdraw a suppression; a later crawl may bring the contact again."""
    await actions.delete_suppression(app.engine, app.actor, suppression_id)
    if as_json:
        echo_json({"deleted": suppression_id})
    else:
        click.echo(f"Withdrew suppression {suppression_id}")


def _print(result: actions.SuppressionResult, *, as_json: bool) -> int:
    """The counts, and the lines that were refused; part failed if there are any."""
    counts = result.counts
    if as_json:
        echo_json(
            {
                **counts,
                "deleted_contacts": result.deleted_contacts,
                "changed_contacts": result.changed_contacts,
                "lines": result.lines,
            }
        )
    else:
        for line in result.lines:
            if line.status == "invalid":
                echo(f"line {line.number}: {line.reason}", err=True)
        click.echo(
            f"{counts['new']} new, {counts['known']} known, {counts['invalid']} invalid; "
            f"{pluralize(result.deleted_contacts, 'contact')} deleted"
        )
    return PART_FAILED if counts["invalid"] else 0
