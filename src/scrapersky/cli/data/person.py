"""One person: export what is known about them, erase them everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import all_options, yes_option
from scrapersky.cli.output import echo_json

if TYPE_CHECKING:
    from scrapersky import wiring
    from scrapersky.actions.privacy import erasure
    from scrapersky.cli.runtime import App
    from scrapersky.queries.privacy import subject_export
else:
    erasure = lazy_module("scrapersky.actions.privacy.erasure")
    subject_export = lazy_module("scrapersky.queries.privacy.subject_export")
    wiring = lazy_module("scrapersky.wiring")

person = click.Group("person", help=__doc__)
person_options = all_options(
    click.argument("entries", nargs=-1, required=True, metavar="ADDRESS|NUMBER..."),
    click.option("--country", help="Where numbers without a prefix are read, such as DE."),
)


@database_command(person, json=False)
@person_options
async def export(app: App, entries: tuple[str, ...], country: str | None) -> None:
    """Print everything that is known about a person, with its sources, as JSON."""
    identifiers = erasure.read_person(entries, country=country)
    echo_json(await subject_export.SubjectQuery(app.engine).export(app.tenant_id, identifiers))


@database_command(person)
@person_options
@click.option("--reason", required=True, help="Why, such as: request of 3 May.")
@yes_option
async def erase(
    app: App, entries: tuple[str, ...], country: str | None, reason: str, yes: bool, as_json: bool
) -> None:
    """Suppress a person, then erase them from every table and export file of the tenant."""
    identifiers = erasure.read_person(entries, country=country)
    if not yes:
        click.confirm("Erase this person everywhere? It cannot be undone", abort=True, err=True)
    report = await wiring.build_eraser(app.settings, app.engine).erase(app.actor, identifiers, reason)
    if as_json:
        echo_json(report)
    else:
        _print(report)


def _print(report: dict[str, Any]) -> None:
    for what in ("deleted", "redacted"):
        for table, number in report[what].items():
            if number:
                click.echo(f"{table:<24} {number} {what}")
    for name, outcome in report["files"].items():
        click.echo(f"{name:<24} {outcome}")
    click.echo(f"{'contacts':<24} {report['contacts']} deleted")
