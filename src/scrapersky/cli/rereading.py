"""`page reread`: stored pages through today's extractors, without asking their sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.changing import who_of
from scrapersky.cli.program import named
from scrapersky.cli.running import echo_json, json_option, run

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.command()
@click.option("--domain", help="Only the pages of this domain.")
@json_option
def reread(domain: str | None, as_json: bool) -> None:
    """Submit a job that reads stored pages again with the current extractors; nothing is fetched."""

    async def main(settings: Settings) -> dict[str, Any]:
        from scrapersky.actions.reextraction import reread as submit
        from scrapersky.database import open_database

        async with open_database(settings) as engine:
            return await submit(engine, who_of(settings), domain=domain)

    job = run(main)
    if as_json:
        echo_json(job)
    else:
        click.echo(named(f"Submitted job {job['id']}. Follow it with: scrapersky job show {job['id']}"))
