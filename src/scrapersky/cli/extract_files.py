"""`scrapersky extract sitemap | pagetype | robots`: what the readers make of a file or a URL; no database.

Exit codes: 0 read; 1 not a sitemap, or it could not be read; 2 wrong usage; 5 read in part (sitemap), or
some URLs could not be judged (robots).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from scrapersky.cli.running import echo, echo_json
from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.robots import read_robots
from scrapersky.extract.robots.policy import MAX_BYTES, RobotsDecision
from scrapersky.extract.sitemaps import SitemapEntry, SitemapReader
from scrapersky.wording import counted

_PIECE = 64 * 1024
_FAILED, _IN_PART = 1, 5
_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


def _write(record: dict[str, Any]) -> None:
    echo_json(record)


def _opened(file: Path) -> BinaryIO:
    """The file, or standard input for "-"; a file that cannot be opened ends the command with code 1."""
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return file.open("rb")
    except OSError as fault:
        raise click.ClickException(f"cannot read {file}: {fault.strerror}") from fault


@click.command()
@click.argument("file", type=_FILE)
@click.option("--url", default="", help="The address the file came from; relative entries are joined to it.")
@click.option(
    "--urls", "with_urls", is_flag=True, help="Also write every entry, one line each, before the summary."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_context
def sitemap(ctx: click.Context, file: Path, url: str, with_urls: bool, as_json: bool) -> None:
    """Read a sitemap or feed: what kind it is, how much it lists, what was wrong with it.

    Exit codes: 0 read whole, 1 not a sitemap, 2 wrong usage, 5 read in part.
    """
    reader = SitemapReader(url)
    with _opened(file) as stream:
        while not reader.is_done and (piece := stream.read(_PIECE)):
            _entries(reader.feed(piece), with_urls, as_json)
    _entries(reader.close(), with_urls, as_json)
    summary = _summary(file, reader)
    if as_json:
        _write(summary)
    else:
        echo(_sentence(summary))
    ctx.exit(_FAILED if reader.refused else _IN_PART if reader.is_partial else 0)


def _entries(listings: list[SitemapEntry], with_urls: bool, as_json: bool) -> None:
    if with_urls:
        for listing in listings:
            if as_json:
                _write(listing._asdict())
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
    counts = f"{counted(summary['n_urls'], 'page')}, {counted(summary['n_sitemaps'], 'sitemap')}"
    problems = "; ".join(f"{problem['kind']}: {problem['detail']}" for problem in summary["problems"])
    return f"{summary['file']}: {summary['kind']}, {counts}{'; ' + problems if problems else ''}"


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--anchor", default="", help="The text of the link, when it is known.")
@click.option("--title", default="", help="The title of the page, when it is known.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON Lines.")
def pagetype(urls: tuple[str, ...], anchor: str, title: str, as_json: bool) -> None:
    """Tell what kind of page each URL leads to, how soon to read it, and why; "-" reads standard input.

    Exit codes: 0 done, 2 wrong usage. A URL of which nothing is known is "unknown", which is an answer.
    """
    for url in _from_input(urls):
        found = classify_url(url, anchor=anchor, title=title)
        if as_json:
            _write(
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


def _from_input(urls: tuple[str, ...]) -> list[str]:
    if urls != ("-",):
        return list(urls)
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


@click.command()
@click.argument("file", type=_FILE)
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option(
    "--agent", default="ScraperSky", show_default=True, help="The name or whole user agent that asks."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON Lines: a verdict for each URL.")
@click.pass_context
def robots(ctx: click.Context, file: Path, urls: tuple[str, ...], agent: str, as_json: bool) -> None:
    """Tell what a robots.txt allows an agent, by which rule, and the pause it asks for.

    A URL may be a path alone (/shop); "-" reads URLs from standard input.

    Exit codes: 0 every URL judged, 1 the file cannot be read, 2 wrong usage, 5 some texts are not URLs.
    """
    with _opened(file) as stream:
        rules = read_robots(stream.read(MAX_BYTES + 1))
    is_bad = False
    for url in _from_input(urls):
        verdict = rules.decide(f"https://site.invalid{url}" if url.startswith("/") else url, agent)
        is_bad = is_bad or verdict.reason == "not a URL"
        _verdict(url, verdict, rules.sitemaps, rules.problems, as_json)
    ctx.exit(_IN_PART if is_bad else 0)


def _verdict(
    url: str, verdict: RobotsDecision, sitemaps: tuple[str, ...], problems: tuple[str, ...], as_json: bool
) -> None:
    if not as_json:
        pause = f", {verdict.delay:g} s between requests" if verdict.delay is not None else ""
        echo(f"{url}  {'allowed' if verdict.is_allowed else 'not allowed'} ({verdict.reason}){pause}")
        return
    _write(
        {
            "url": url,
            "allowed": verdict.is_allowed,
            "reason": verdict.reason,
            "delay": verdict.delay,
            "sitemaps": sitemaps,
            "problems": problems,
        }
    )
