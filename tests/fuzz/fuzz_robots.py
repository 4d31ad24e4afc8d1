"""Fuzz target: no robots.txt and no question about it raises; for atheris, or for pytest without it."""

import sys

from scrapersky.extract.robots import read_robots

SEEDS = (
    b"User-agent: *\n",
    b"Disallow: /a*b$\n",
    b"Allow: /\n",
    b"Crawl-delay: 1e9\n",
    b"Sitemap: /s\n",
    b"\x00",
    b"\r",
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    robots = read_robots(data, url="https://example.com/robots.txt")
    for path in ("/", "/a/b?c=d", "/%61b"):
        decision = robots.decide(f"https://example.com{path}", "ScraperSky/1.0")
        assert decision.reason
        assert decision.delay is None or 0 <= decision.delay <= 30


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
