"""`sitemap scan` and `sitemap continue`: look for the sitemaps of a site, and take the rest of a long one."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from scrapersky.cli.changing import who_of
from scrapersky.cli.program import named
from scrapersky.cli.running import echo_json, json_option, run
from scrapersky.declarations import RUN_JOB

if TYPE_CHECKING:
    from scrapersky.settings import Settings


@click.command()
@click.argument("site")
@click.option("--max-pages", type=click.IntRange(1, 1_000_000), default=1_000, show_default=True)
@json_option
def scan(site: str, max_pages: int, as_json: bool) -> None:
    """Queue a job that finds the sitemaps of a site."""

    async def main(settings: Settings) -> tuple[int, UUID]:
        from scrapersky.actions.searches import submit_scan
        from scrapersky.database import open_database
        from scrapersky.wiring import build_log

        async with open_database(settings) as engine:
            report = build_log(settings).report
            return await submit_scan(engine, who_of(settings), site, max_pages, report=report)

    number, job_id = run(main)
    if as_json:
        echo_json({"id": number, "job_id": job_id, "status": RUN_JOB.statuses.queued})
    else:
        click.echo(named(f"job {number}; see it with: scrapersky job show {number}"))


@click.command("continue")
@click.argument("which", nargs=-1, required=True)
@click.option("--more", type=click.IntRange(1, 1_000_000), default=50_000, show_default=True, help="URLs.")
@json_option
def continue_import(which: tuple[str, ...], more: int, as_json: bool) -> None:
    """Take more URLs of sitemaps that were imported in part."""

    async def main(settings: Settings) -> int:
        from scrapersky.actions import searches
        from scrapersky.database import open_database
        from scrapersky.queries.entities import get_entity
        from scrapersky.queries.rows import RowQuery

        async with open_database(settings) as engine:
            ids = await RowQuery(engine).ids(get_entity("sitemap"), settings.default_tenant_id, which)
            return await searches.continue_import(engine, who_of(settings), ids, more)

    queued = run(main)
    if as_json:
        echo_json({"queued": queued})
    else:
        click.echo(f"{queued} queued")
