"""`page reread`: kept pages through today's extractors, without asking their sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrapersky.cli.changing import who_of
from scrapersky.cli.running import echo_json, json_option, run

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.command()
@click.option("--domain", help="Only the pages of this domain.")
@json_option
def reread(domain: str | None, as_json: bool) -> None:
    """Queue kept pages to be read again; nothing is fetched."""

    async def main(settings: Settings) -> int:
        from scrapersky.actions.rereading import reread as queue
        from scrapersky.opening import opened

        async with opened(settings) as engine:
            return await queue(engine, who_of(settings), domain=domain)

    number = run(main)
    if as_json:
        echo_json({"queued": number})
    else:
        click.echo(f"{number} pages will be read again")
