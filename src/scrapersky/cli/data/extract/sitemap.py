"""Read a sitemap or feed: its kind, size and problems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from scrapersky.cli.exit_codes import FAILED, PART_FAILED
from scrapersky.cli.input_files import INPUT_FILE, open_input
from scrapersky.cli.output import echo, echo_json
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.log import pluralize

CHUNK_BYTES = 64 * 1024


@click.command()
@click.argument("file", type=INPUT_FILE)
@click.option("--url", default="", help="URL of the file, to resolve relative entries.")
@click.option(
    "--urls", "with_urls", is_flag=True, help="Also print every entry, one per line, before the summary."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def sitemap(ctx: click.Context, file: Path, url: str, with_urls: bool, as_json: bool) -> None:
    """Read a sitemap or feed: its kind, size and problems.

    Exit codes: 0 read whole, 1 not a sitemap, 2 wrong usage, 5 read in part.
    """
    reader = SitemapReader(url)
    with open_input(file) as stream:
        while not reader.is_done and (chunk := stream.read(CHUNK_BYTES)):
            _entries(reader.feed(chunk), with_urls, as_json)
    _entries(reader.close(), with_urls, as_json)
    summary = _summary(file, reader)
    if as_json:
        echo_json(summary)
    else:
        echo(_sentence(summary))
    ctx.exit(FAILED if reader.refused else PART_FAILED if reader.is_partial else 0)


def _entries(listings: list[SitemapEntry], with_urls: bool, as_json: bool) -> None:
    if with_urls:
        for listing in listings:
            if as_json:
                echo_json(listing._asdict())
            else:
                echo(listing.url)


def _summary(file: Path, reader: SitemapReader) -> dict[str, Any]:
    return {
        "file": file.name,
        "url": reader.url,
        "kind": reader.kind,
        "n_urls": 0 if reader.refused else reader.n_urls,
        "n_sitemaps": 0 if reader.refused else reader.n_sitemaps,
        "is_partial": reader.is_partial,
        "refused": reader.refused,
        "problems": [problem._asdict() for problem in reader.problems],
        "dropped": dict(reader.dropped),
    }


def _sentence(summary: dict[str, Any]) -> str:
    if summary["refused"]:
        details = "; ".join(problem["detail"] for problem in summary["problems"] if problem["detail"])
        return f"{summary['file']}: refused ({summary['refused']}): {details}"
    counts = f"{pluralize(summary['n_urls'], 'page')}, {pluralize(summary['n_sitemaps'], 'sitemap')}"
    problems = "; ".join(f"{problem['kind']}: {problem['detail']}" for problem in summary["problems"])
    return f"{summary['file']}: {summary['kind']}, {counts}{'; ' + problems if problems else ''}"
