"""Sitemaps: add, list, show, curate, reset, run, scan, continue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.output import echo_json
from scrapersky.cli.program import with_program_name
from scrapersky.cli.rows import row_group
from scrapersky.cli.submissions import add_verb
from scrapersky.declarations import RUN_JOB
from scrapersky.log import Log

if TYPE_CHECKING:
    from scrapersky.actions import searches
    from scrapersky.cli.runtime import App
    from scrapersky.queries.rows import details as rows
    from scrapersky.queries.rows import entities
else:
    searches = lazy_module("scrapersky.actions.searches")
    entities = lazy_module("scrapersky.queries.rows.entities")
    rows = lazy_module("scrapersky.queries.rows.details")

sitemap = row_group("sitemap", __doc__)
add_verb(sitemap, "sitemap")


@database_command(sitemap)
@click.argument("site")
@click.option(
    "--max-pages",
    type=click.IntRange(1, 1_000_000),
    default=1_000,
    show_default=True,
    help="Maximum pages to store.",
)
async def scan(app: App, site: str, max_pages: int, as_json: bool) -> None:
    """Submit a job that finds the sitemaps of SITE."""
    log = Log(level=app.settings.log_level, style=app.settings.log_format)
    number, job_id = await searches.submit_scan(app.engine, app.actor, site, max_pages, report=log.report)
    if as_json:
        echo_json({"id": number, "job_id": job_id, "status": RUN_JOB.statuses.queued})
    else:
        follow = with_program_name(f"scrapersky job show {number}")
        click.echo(f"Submitted job {number}. Follow it with: {follow}")


@database_command(sitemap, "continue")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--more",
    type=click.IntRange(1, 1_000_000),
    default=50_000,
    show_default=True,
    help="Maximum URLs to add per sitemap.",
)
async def continue_import(app: App, ids: tuple[str, ...], more: int, as_json: bool) -> None:
    """Import more URLs of sitemaps that were imported in part."""
    sitemap_ids = await rows.RowQuery(app.engine).ids(entities.get_entity("sitemap"), app.tenant_id, ids)
    queued = await searches.continue_import(app.engine, app.actor, sitemap_ids, more)
    if as_json:
        echo_json({"queued": queued})
    else:
        click.echo(f"{queued} queued")
