"""Reads one sitemap file with one reader and prints what it cost; runs in the environment of that reader."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path


def ours() -> Callable[[Path], int]:
    from scrapersky.extract.sitemaps import SitemapReader

    def read(file: Path) -> int:
        reader = SitemapReader("https://example.com/sitemap.xml", max_urls=10**9, max_bytes=10**12)
        count = 0
        with file.open("rb") as stream:
            while piece := stream.read(64 * 1024):
                count += sum(1 for listing in reader.feed(piece) if listing.lastmod)
        return count + sum(1 for listing in reader.close() if listing.lastmod)

    return read


def usp() -> Callable[[Path], int]:
    from usp.tree import sitemap_from_str

    def read(file: Path) -> int:
        tree = sitemap_from_str(file.read_text(encoding="utf-8"))
        return sum(1 for page in tree.all_pages() if page.last_modified)

    return read


def advertools() -> Callable[[Path], int]:
    import advertools as adv

    def read(file: Path) -> int:
        frame = adv.sitemap_to_df(file.as_uri())
        return int(frame["lastmod"].notna().sum())

    return read


def memory(field: str) -> float:
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def main(who: str, file: str) -> None:
    read = {"ours": ours, "ultimate-sitemap-parser": usp, "advertools": advertools}[who]()
    before = memory("VmRSS")
    started = time.process_time()
    count = read(Path(file))
    seconds = time.process_time() - started
    peak = memory("VmHWM")
    print(json.dumps({"urls": count, "seconds": seconds, "peak": peak, "more": peak - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])
