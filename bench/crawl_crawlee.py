"""Crawlee's side of the crawl: `python -m bench.crawl_crawlee PORT DOMAINS OUT AT-ONCE`."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawlee import ConcurrencySettings, Request
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient

from bench.crawl_reading import MOST_SITEMAPS, USUAL, chosen, host_of, listed, promising_links, values_in

GAP = 0.02


class PoliteClient(ImpitHttpClient):
    """One request at a time per host and the gap, which Crawlee does not keep; the world is its proxy."""

    def __init__(self, port: int) -> None:
        super().__init__(proxy=f"http://127.0.0.1:{port}", persist_cookies_per_session=False)
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._next: dict[str, float] = {}

    async def crawl(self, request: Request, **more: Any) -> Any:
        return await self._in_turn(request.url, super().crawl(request, **more))

    async def send_request(self, url: str, **more: Any) -> Any:
        return await self._in_turn(url, super().send_request(url, **more))

    async def _in_turn(self, url: str, call: Any) -> Any:
        host = urlsplit(url).hostname or ""
        async with self._locks[host]:
            await asyncio.sleep(max(0.0, self._next.get(host, 0.0) - time.monotonic()))
            try:
                return await call
            finally:
                self._next[host] = time.monotonic() + GAP


def ask(urls: Iterable[str], label: str, domain: str, *, depth: int = 0) -> list[Request]:
    requests = []
    for url in urls:
        try:
            requests.append(
                Request.from_url(
                    urlsplit(url)._replace(scheme="http").geturl(),
                    label=label,
                    user_data={"domain": domain, "depth": depth},
                )
            )
        except ValueError:
            continue
    return requests


async def main(port: int, domains: list[str], out: Path, at_once: int) -> None:
    crawler = HttpCrawler(
        http_client=PoliteClient(port),
        storage_client=MemoryStorageClient(),
        respect_robots_txt_file=True,
        max_request_retries=3,
        retry_on_blocked=False,
        navigation_timeout=timedelta(seconds=5),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=at_once // 2, desired_concurrency=at_once, max_concurrency=at_once
        ),
        configure_logging=False,
    )
    with out.open("w", encoding="utf-8") as file:

        async def keep(context: HttpCrawlingContext) -> tuple[str, str]:
            text = (await context.http_response.read()).decode("utf-8", "replace")
            domain = str(context.request.user_data["domain"])
            line = {"domain": domain, "url": context.request.url, "values": values_in(text)}
            file.write(json.dumps({**line, "at": time.monotonic()}) + "\n")
            return domain, text

        @crawler.router.handler("page")
        async def page(context: HttpCrawlingContext) -> None:
            await keep(context)

        @crawler.router.handler("home")
        async def home(context: HttpCrawlingContext) -> None:
            domain, text = await keep(context)
            address = context.request.loaded_url or context.request.url
            await context.add_requests(ask(promising_links(text, address), "page", domain))

        @crawler.router.handler("robots")
        async def robots(context: HttpCrawlingContext) -> None:
            domain = str(context.request.user_data["domain"])
            lines = (await context.http_response.read()).decode("utf-8", "replace").splitlines()
            named = [line.split(":", 1)[1].strip() for line in lines if line.lower().startswith("sitemap:")]
            named = named or [f"http://{domain}{path}" for path in USUAL]
            await context.add_requests(ask(named[:MOST_SITEMAPS], "sitemap", domain))

        @crawler.router.handler("sitemap")
        async def sitemap(context: HttpCrawlingContext) -> None:
            domain, depth = str(context.request.user_data["domain"]), int(context.request.user_data["depth"])
            body = await context.http_response.read()
            if body[:2] == b"\x1f\x8b":
                body = gzip.decompress(body)
            sitemaps, pages = listed(body.decode("utf-8", "replace"))
            if depth < 3:
                await context.add_requests(ask(sitemaps[:MOST_SITEMAPS], "sitemap", domain, depth=depth + 1))
            host = host_of(context.request.loaded_url or context.request.url)
            await context.add_requests(ask(chosen(pages, host), "page", domain))

        first = [one for name in domains for one in ask([f"http://{name}/"], "home", name)]
        first += [one for name in domains for one in ask([f"http://{name}/robots.txt"], "robots", name)]
        await crawler.run(first)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    names = Path(sys.argv[2]).read_text(encoding="utf-8").split()
    asyncio.run(main(int(sys.argv[1]), names, Path(sys.argv[3]), int(sys.argv[4])))
