"""Pages: add, list, show, curate, reset, run, read-all, reread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import domain_option, yes_option
from scrapersky.cli.output import echo_json
from scrapersky.cli.program import with_program_name
from scrapersky.cli.rows import confirm, row_group
from scrapersky.cli.submissions import add_verb

if TYPE_CHECKING:
    from scrapersky.actions import curation, operations, reextraction
    from scrapersky.cli.runtime import App
else:
    curation = lazy_module("scrapersky.actions.curation")
    operations = lazy_module("scrapersky.actions.operations")
    reextraction = lazy_module("scrapersky.actions.reextraction")

page = row_group("page", __doc__)
add_verb(page, "page")


@database_command(page, "read-all")
@yes_option
async def read_all(app: App, yes: bool, as_json: bool) -> None:
    """Queue every page that is not read automatically."""
    decision = curation.unread_pages()
    number = await operations.count_rows(app.engine, app.actor, decision)
    if number and not yes:
        confirm(number, "page")
    result = await curation.decide(app.engine, app.actor, decision)
    if as_json:
        echo_json({**result.as_dict(), "operation_id": result.operation_id})
    else:
        click.echo(f"{result.queued} queued")


@database_command(page)
@domain_option
async def reread(app: App, domain: str | None, as_json: bool) -> None:
    """Submit a job that extracts stored pages again.

    It uses the current extractors on the stored bodies; nothing is fetched.
    """
    job = await reextraction.reextract_pages(app.engine, app.actor, domain=domain)
    if as_json:
        echo_json(job)
    else:
        follow = with_program_name(f"scrapersky job show {job['id']}")
        click.echo(f"Submitted job {job['id']}. Follow it with: {follow}")
