"""`scrapersky export`: contacts with their evidence as CSV or JSON Lines."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import click

from scrapersky.cli.running import run

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.command()
@click.option("--to", "form", type=click.Choice(["csv", "jsonl"]), default="csv", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="A file [default: standard output].")
@click.option("--domain", help="Of this website only.")
@click.option(
    "--decision",
    help="Filter by curation status; rejected and archived contacts are exported only when named here.",
)
@click.option("--limit", type=click.IntRange(1))
@click.option(
    "--formula-safe/--raw", default=True, show_default=True, help="Mark cells that a spreadsheet would run."
)
def export(
    form: Literal["csv", "jsonl"],
    output: str | None,
    domain: str | None,
    decision: str | None,
    limit: int | None,
    formula_safe: bool,
) -> None:
    """Write contacts with their page, the words on it, and what is known about the address."""

    async def main(settings: Settings) -> int:
        from scrapersky.destinations.writing import heading, line_of
        from scrapersky.opening import opened
        from scrapersky.queries.contacts import Contacts

        number = 0
        async with opened(settings) as engine:
            found = Contacts(engine).stream(
                settings.default_tenant_id, domain=domain, decision=decision, limit=limit
            )
            with _opened_output(output) as file:
                file.write(heading(form))
                async for contact in found:
                    file.write(line_of(contact, form, formula_safe=formula_safe))
                    number += 1
        return number

    click.echo(f"{run(main)} contacts written", err=True)


def _opened_output(path: str | None) -> IO[str]:
    if path is None:
        return click.open_file("-", "w", encoding="utf-8")
    try:
        return Path(path).open("w", encoding="utf-8", newline="", errors="replace")
    except OSError as error:
        raise click.FileError(path, error.strerror) from None
