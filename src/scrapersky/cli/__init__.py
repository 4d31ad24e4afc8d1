"""The command line: thin shells over the same functions as the web; each command loads when it is run."""

from __future__ import annotations

import click

from scrapersky.cli.program import Program

COMMANDS = {
    "up": ("scrapersky.cli.up:up", "Start everything: private database, web and workers; Ctrl+C stops it."),
    "serve": ("scrapersky.cli.serve:serve", "Start the web application alone."),
    "find": ("scrapersky.cli.find:find", "Find the contacts of domains, here and now."),
    "demo": ("scrapersky.cli.demo:demo", "The whole pipeline on an invented internet: no key, no network."),
    "search": ("scrapersky.cli.search:search", "Ask for places, and see what searches found."),
    "place": ("scrapersky.cli.place:place", "Places as sources listed them."),
    "business": ("scrapersky.cli.business:business", "Businesses: places with their details."),
    "domain": ("scrapersky.cli.domain:domain", "Websites: add, list, decide, reset, run."),
    "sitemap": ("scrapersky.cli.sitemap:sitemap", "Sitemap files: add, list, decide, reset, run, scan."),
    "page": ("scrapersky.cli.page:page", "Pages: add, list, decide, reset, run."),
    "contact": ("scrapersky.cli.contact:contact", "Contacts: list, show, decide, validate again."),
    "export": ("scrapersky.cli.export:export", "Write contacts with their evidence to a file."),
    "worker": ("scrapersky.cli.worker:worker", "Start workers alone."),
    "status": ("scrapersky.cli.status:status", "One line per stage: waiting, running, done, failed."),
    "stage": ("scrapersky.cli.stage:stage", "List, run, pause and resume stages; their dead letters."),
    "job": ("scrapersky.cli.job:job", "List, show, measure, retry and cancel jobs."),
    "db": ("scrapersky.cli.db:db", "Migrate, inspect, back up and restore the database."),
    "extract": ("scrapersky.cli.extract:extract", "Run the extractors on files; no database is needed."),
    "doctor": ("scrapersky.cli.doctor:doctor", "Diagnose the installation and suggest fixes."),
    "version": ("scrapersky.cli.version:version", "Print the version."),
}


@click.group(cls=Program, lazy=COMMANDS, context_settings={"max_content_width": 100})
def main() -> None:
    """Find businesses and their contacts.

    Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 key or permission, 5 part failed,
    6 service or database unreachable, 7 conflict, 130 interrupted.
    """
