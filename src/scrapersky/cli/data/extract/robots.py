"""Check URLs against a robots.txt: verdict, rule and crawl delay."""

from __future__ import annotations

from pathlib import Path

import click

from scrapersky.cli.exit_codes import PART_FAILED
from scrapersky.cli.input_files import INPUT_FILE, open_input, read_urls
from scrapersky.cli.output import echo, echo_json
from scrapersky.extract.robots import read_robots
from scrapersky.extract.robots.policy import MAX_BYTES, RobotsDecision


@click.command()
@click.argument("file", type=INPUT_FILE)
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option("--agent", default="ScraperSky", show_default=True, help="Product name or full user agent.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON Lines: a verdict for each URL.")
@click.pass_context
def robots(ctx: click.Context, file: Path, urls: tuple[str, ...], agent: str, as_json: bool) -> None:
    """Check URLs against a robots.txt: verdict, rule and crawl delay.

    A URL may be a path alone (/shop); "-" reads URLs from standard input.

    Exit codes: 0 every URL checked, 1 the file cannot be read, 2 wrong usage, 5 some arguments are not URLs.
    """
    with open_input(file) as stream:
        rules = read_robots(stream.read(MAX_BYTES + 1))
    is_bad = False
    for url in read_urls(urls):
        verdict = rules.decide(f"https://site.invalid{url}" if url.startswith("/") else url, agent)
        is_bad = is_bad or verdict.reason == "not a URL"
        _verdict(url, verdict, rules.sitemaps, rules.problems, as_json)
    ctx.exit(PART_FAILED if is_bad else 0)


def _verdict(
    url: str, verdict: RobotsDecision, sitemaps: tuple[str, ...], problems: tuple[str, ...], as_json: bool
) -> None:
    if not as_json:
        pause = f", {verdict.delay:g} s between requests" if verdict.delay is not None else ""
        echo(f"{url}  {'allowed' if verdict.is_allowed else 'not allowed'} ({verdict.reason}){pause}")
        return
    echo_json(
        {
            "url": url,
            "allowed": verdict.is_allowed,
            "reason": verdict.reason,
            "delay": verdict.delay,
            "sitemaps": sitemaps,
            "problems": problems,
        }
    )
