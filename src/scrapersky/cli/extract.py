"""The `extract` group: extractors run on files, without a database; each sub-command loads when asked for."""

from __future__ import annotations

import click

from scrapersky.cli.lazy import LazyGroup

COMMANDS = {
    "pages": (
        "scrapersky.cli.extract_pages:pages",
        "Read contacts from the pages that the lines of a file name.",
    ),
    "sitemap": (
        "scrapersky.cli.extract_files:sitemap",
        "Read a sitemap or feed: what kind it is, how much it lists, what was wrong with it.",
    ),
    "pagetype": (
        "scrapersky.cli.extract_files:pagetype",
        "Tell what kind of page each URL leads to, how soon to read it, and why.",
    ),
    "robots": (
        "scrapersky.cli.extract_files:robots",
        "Tell what a robots.txt allows an agent, by which rule, and the pause it asks for.",
    ),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def extract() -> None:
    """Run the extractors on files; no database is needed."""
