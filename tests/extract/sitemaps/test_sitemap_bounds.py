"""The sitemap reader stays inside its bounds: memory, time, size (RELIABILITY B11, SM-04, SM-05)."""

import gzip
import subprocess
import sys
from time import process_time

import pytest

from scrapersky.extract.sitemaps import SitemapReader
from scrapersky.extract.sitemaps.reader import read_sitemap

HOME = "https://example.com/sitemap.xml"
MIB = 2**20

# Runs alone, so that the peak is that of the reader: what was in use before it is taken off.
PROGRAM = """
import re, sys
from pathlib import Path
from scrapersky.extract.sitemaps.reader import SitemapReader
count, limit = int(sys.argv[1]), int(sys.argv[2])
def peak():  # The figure of getrusage would still hold the parent's memory.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
def pieces():
    yield b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    for start in range(0, count, 500):
        yield b"".join(
            b"<url><loc>https://example.com/a/fairly/long/path/to/a/page-%d.html</loc><lastmod>2024-05-01T10:00:00"
            b"+00:00</lastmod><changefreq>weekly</changefreq><priority>0.5</priority></url>" % number
            for number in range(start, min(count, start + 500))
        )
    yield b"</urlset>"
SitemapReader("https://example.com/").feed(b"<urlset><url><loc>https://example.com/</loc></url></urlset>")
before = peak()
reader = SitemapReader("https://example.com/", max_bytes=10**12, max_urls=limit)
listed = sum(len(reader.feed(piece)) for piece in pieces()) + len(reader.close())
print(listed, reader.n_urls, before, peak())
"""


def measured(count, *, limit):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count), str(limit)], capture_output=True, text=True, check=True
    )
    listed, n_urls, before, peak = map(int, done.stdout.split())
    return listed, n_urls, (peak - before) / 1024, peak / 1024


def test_fifty_thousand_urls_fit_in_64_mib():
    listed, n_urls, more, whole = measured(50_000, limit=50_000)
    assert listed == n_urls == 50_000
    assert more <= 32
    assert whole <= 64


@pytest.mark.reliability
def test_millions_of_urls_are_read_in_bounded_memory():
    listed, n_urls, more, whole = measured(2_600_000, limit=10**9)
    assert listed == n_urls == 2_600_000
    assert more <= 32
    assert whole <= 128


def test_an_endless_stream_ends_at_the_limit():  # SM-05
    reader = SitemapReader(HOME, max_bytes=2 * MIB)
    fed = 0
    reader.feed(b"<urlset>")
    while not reader.is_done:
        fed += 1
        reader.feed(
            b"".join(b"<url><loc>https://example.com/%d</loc></url>" % (fed * 1000 + n) for n in range(999))
        )
        assert fed < 100
    reader.close()
    assert reader.is_partial
    assert reader.n_urls > 10_000
    assert reader.problems[0].kind == "too_large"


@pytest.mark.timed
def test_a_bomb_of_gzip_ends_at_the_limit():  # SM-05
    bomb = gzip.compress(gzip.compress(b"<urlset>" + b" " * (80 * MIB)))
    assert len(bomb) < 20_000
    started = process_time()
    reading = read_sitemap(bomb, url=HOME)
    assert process_time() - started < 10
    assert "too_large" in {problem.kind for problem in reading.problems}


@pytest.mark.timed
def test_millions_of_gzip_members_are_not_read():
    started = process_time()
    reading = read_sitemap(gzip.compress(b"<urlset>") + gzip.compress(b"") * 500_000, url=HOME)
    assert process_time() - started < 3
    assert "gzip_damaged" in {problem.kind for problem in reading.problems}


def test_an_index_of_fifty_thousand_children_stops_at_its_limit():  # SM-04
    children = "".join(f"<sitemap><loc>https://example.com/{n}.xml</loc></sitemap>" for n in range(50_000))
    reading = read_sitemap(f"<sitemapindex>{children}</sitemapindex>".encode(), url=HOME, max_urls=500)
    assert (reading.n_sitemaps, reading.dropped["over the limit"]) == (500, 49_500)


PATTERNS = [
    b"<url>",
    b"<url><loc>",
    b"<loc>https://example.com/a</loc>",
    b"<url><loc>https://example.com/a&amp;b</loc></url>",
    b"<!--",
    b"<![CDATA[",
    b"<!",
    b"<",
    b"<image:image><image:loc>",
    b"<xhtml:link hreflang='de' href='x'",
    b"&",
    b"&amp",
    b" ",
    b"<url ",
    b"<item><link>",
    b"a",
    b"<url><image>",
    b"<loc><b>",
]


@pytest.mark.timed
@pytest.mark.parametrize("head", [b"<urlset>", b"<rss><channel>", b""])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_grows_with_the_size_and_no_faster(pattern, head):
    def seconds(size):
        body = head + pattern * (size // len(pattern))
        return min(timed(body) for _ in range(2))

    def timed(body):
        started = process_time()
        read_sitemap(body, url=HOME)
        return process_time() - started

    # Four times the input may cost eight times as much on a busy machine; quadratic would be sixteen.
    assert seconds(200_000) <= 8 * max(seconds(50_000), 0.01)
