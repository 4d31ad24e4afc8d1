"""A page of one thing over and over costs as much more as it is longer: every pattern, as it is used (B9)."""

from __future__ import annotations

from time import process_time

import pytest

from scrapersky.extract.report import report_home, report_page

URL = "https://lune.co.uk/contact"
SEEDS = [
    "a", "A", "0", "1 ", " ", "\n", "a\n", ".", "-", "@", "a@", "a@a.", "a.", "a-", "A a ", "Aa ", "Aa-",
    "Aa, ", "+1", "+49 ", "(1", "1/", "12-", "1 a ", "12 Aa St, ", "<", "<a ", "&#1", "'", '"', "(", "//", "http://a.",
    "www.a", "a [at] ", "a (at) b dot ", "str. ", "é", "東", ", ", "{", "\\u0041", "<!--", ":", "a: ",
    "\u00a0", "Tel: ", "CEO Aa ", "<br>", "<p>a", "<b>Aa</b> ", "2024-", "facebook.com/",
]  # fmt: skip
WRAPPERS = {
    "text": "<html><body><p>{}</p></body></html>",
    "head": "<html><head><title>{0}</title><meta name='description' content='{0}'></head></html>",
    "link": "<html><body><a href='mailto:{0}'>x</a><a href='tel:{0}' title='{0}'>{0}</a></body></html>",
    "script": '<html><script type="application/ld+json">{{"@type":"Person","name":"{0}"}}</script></html>',
}


def seconds(seed: str, wrapper: str, size: int) -> float:
    body = WRAPPERS[wrapper].format(seed * (size // len(seed.encode()))).encode()
    began = process_time()
    report_page(body, URL, "lune.co.uk", "text/html; charset=utf-8", None)
    report_home(body, URL, "lune.co.uk", "text/html; charset=utf-8", None, {})
    return process_time() - began


@pytest.mark.timed
@pytest.mark.parametrize(
    "wrapper", ["text", *(pytest.param(name, marks=pytest.mark.reliability) for name in list(WRAPPERS)[1:])]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_ten_times_the_page_costs_at_most_fifteen_times_as_much(seed: str, wrapper: str) -> None:
    # The first use compiles patterns and fills caches; of the rest the quickest counts, so that neither a
    # pause of the machine nor a first use is taken for growth.
    seconds(seed, wrapper, 1_000)
    short = max(min(seconds(seed, wrapper, 10_000) for _ in range(2)), 0.02)
    if seconds(seed, wrapper, 100_000) > 15 * short:
        assert seconds(seed, wrapper, 100_000) <= 15 * max(seconds(seed, wrapper, 10_000), short)


@pytest.mark.timed
@pytest.mark.reliability
@pytest.mark.parametrize("seed", SEEDS)
def test_a_megabyte_of_one_thing_is_soon_read(seed: str) -> None:
    """One second is the goal for one pattern; here all of them run, twice."""
    seconds(seed, "text", 1_000)
    assert seconds(seed, "text", 1_000_000) <= 2 * 2
