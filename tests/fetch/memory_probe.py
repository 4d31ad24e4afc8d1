"""Run as a program: fetches paths of a hostile server; tells class, seconds and growth of memory for each."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from rig import open_fetcher, resident_kib

from scrapersky.fetch.errors import Failure
from scrapersky.fetch.limits import SITEMAP, Limits


async def probe(port: int, paths: list[str]) -> list[dict[str, object]]:
    reports: list[dict[str, object]] = []
    async with open_fetcher(port) as fetcher:
        await fetcher.get("http://shop.example/ok")
        for path in paths:
            limits = SITEMAP if path.startswith("sitemap:") else Limits()
            before, started = resident_kib(), time.monotonic()
            try:
                async with fetcher.stream(
                    f"http://shop.example{path.removeprefix('sitemap:')}", limits=limits
                ) as stream:
                    async for _ in stream:
                        pass
                word = "cut" if stream.truncated else "page"
            except Failure as failure:
                word = failure.failure_class
            grown = (resident_kib() - before) / 1024
            reports.append(
                {"path": path, "class": word, "seconds": time.monotonic() - started, "grown_mib": grown}
            )
    return reports


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(probe(int(sys.argv[1]), sys.argv[2:]))))
