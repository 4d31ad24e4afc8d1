"""The command line: the modules of `start`, `data` and `operate` are its commands, each loaded when run."""

from __future__ import annotations

import click

from scrapersky.cli.lazy import Section
from scrapersky.cli.program import Program

# A new command is a new module in one of these packages; `first` orders the help.
SECTIONS = (
    Section("Start", ("scrapersky.cli.start", "scrapersky_demo.commands"), first=("up", "find", "demo")),
    Section(
        "Work with data",
        ("scrapersky.cli.data",),
        first=(
            "search",
            "place",
            "match",
            "business",
            "domain",
            "sitemap",
            "page",
            "contact",
            "score",
            "suppression",
            "person",
            "operation",
            "rule",
            "view",
            "schedule",
            "export",
            "extract",
        ),
    ),
    Section(
        "Operate",
        ("scrapersky.cli.operate",),
        first=("status", "stage", "job", "audit", "db", "serve", "worker", "doctor", "version"),
    ),
)


@click.group(cls=Program, sections=SECTIONS, context_settings={"max_content_width": 100})
@click.option(
    "--as", "as_email", metavar="EMAIL", help="Act as this account [default: by operating-system user]."
)
def main(as_email: str | None) -> None:
    """Find businesses and their contacts.

    Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found, 4 key or permission, 5 part failed,
    6 service or database unavailable, 7 conflict, 130 interrupted.
    """
