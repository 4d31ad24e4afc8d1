"""Classify URLs: type of page, priority and reason."""

from __future__ import annotations

import click

from scrapersky.cli.input_files import read_urls
from scrapersky.cli.output import echo, echo_json
from scrapersky.extract.pagetypes import classify_url


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--anchor", default="", help="Link text, if known.")
@click.option("--title", default="", help="Page title, if known.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON Lines.")
def pagetype(urls: tuple[str, ...], anchor: str, title: str, as_json: bool) -> None:
    """Classify URLs: type of page, priority and reason; "-" reads standard input.

    Exit codes: 0 done, 2 wrong usage. A URL that matches no rule is "unknown", which is not an error.
    """
    for url in read_urls(urls):
        found = classify_url(url, anchor=anchor, title=title)
        if as_json:
            echo_json(
                {
                    "url": url,
                    "type": found.kind,
                    "page_type": found.page_type,
                    "topic": found.topic,
                    "priority": found.priority,
                    "confidence": found.confidence,
                    "is_excluded": found.is_excluded,
                    "depth": found.depth,
                    "reason": found.reason,
                }
            )
        else:
            mark = ", left out" if found.is_excluded else ""
            echo(f"{url}  {found.page_type}, priority {found.priority}{mark}: {found.reason}")
