"""Fuzz target: no bytes make the reader raise, and pieces change nothing; for atheris or pytest."""

import sys

from scrapersky.extract.sitemaps import SitemapReader
from scrapersky.extract.sitemaps.reader import read_entries

SEEDS = (
    *(
        b"<urlset>",
        b"<url><loc>https://e.com/a</loc></url>",
        b"<sitemapindex>",
        b"<rss><item><link>",
        b"<feed>",
    ),
    *(
        b'<entry><link href="/x"/>',
        b"<!--",
        b"-->",
        b"<![CDATA[",
        b"]]>",
        b"<!DOCTYPE ",
        b"&amp;",
        b"&#xD800;",
    ),
    *(b"\x1f\x8b\x08\x00", b"\xff\xfe<\x00", b"<image:loc>", b"https://e.com/b\n", b"<lastmod>2024-", b"<"),
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    whole, pieces = SitemapReader("https://e.com/s.xml"), SitemapReader("https://e.com/s.xml")
    at_once = list(read_entries([data], whole))
    in_pieces = list(read_entries([data[at : at + 7] for at in range(0, len(data), 7)], pieces))
    if all(problem.kind != "gzip_damaged" for problem in whole.problems):
        assert (at_once, whole.kind, whole.refused) == (in_pieces, pieces.kind, pieces.refused)
    for listing in at_once:
        listing.url.encode("ascii")


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
