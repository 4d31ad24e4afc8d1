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
        page = classify_url(url, anchor=anchor, title=title)
        if as_json:
            echo_json(
                {
                    "url": url,
                    "type": page.kind,
                    "page_type": page.page_type,
                    "topic": page.topic,
                    "priority": page.priority,
                    "confidence": page.confidence,
                    "is_excluded": page.is_excluded,
                    "depth": page.depth,
                    "reason": page.reason,
                }
            )
        else:
            mark = ", left out" if page.is_excluded else ""
            echo(f"{url}  {page.page_type}, priority {page.priority}{mark}: {page.reason}")
