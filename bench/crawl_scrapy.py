"""Scrapy's side of the crawl: `python -m bench.crawl_scrapy PORT DOMAINS OUT AT-ONCE [usual]`.

It reads pages by two patterns, the cheapest way there is, or with "usual" by the usual parts: selectors,
PhoneNumberMatcher and extruct's JSON-LD.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

from bench.crawl_reading import (
    MOST_SITEMAPS,
    USUAL,
    chosen,
    host_of,
    listed,
    promising_links,
    usual_reader,
    values_in,
)

PORT, AT_ONCE = int(sys.argv[1]), int(sys.argv[4])
READ = usual_reader() if "usual" in sys.argv[5:] else values_in
SETTINGS = {
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": AT_ONCE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 0.02,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "DOWNLOAD_TIMEOUT": 5,
    "DOWNLOAD_MAXSIZE": 2 * 2**20,
    "RETRY_TIMES": 3,
    "REDIRECT_MAX_TIMES": 5,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "CRITICAL",
    "USER_AGENT": "bench/1.0",
    "DNS_RESOLVER": "bench.crawl_scrapy.Loopback",
    "DOWNLOADER_MIDDLEWARES": {"bench.crawl_scrapy.ToTheWorld": 50},
    "ITEM_PIPELINES": {"bench.crawl_scrapy.ToFile": 100},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
}


class Loopback(CachingThreadedResolver):
    """Every name is this machine, without asking anybody."""

    def getHostByName(self, name: str, timeout: Any = ()) -> Any:  # noqa: N802 - Twisted's name.
        return defer.succeed("127.0.0.1")


class ToTheWorld:
    """Requests without a port go to the world's port, on whichever page they were found."""

    def process_request(self, request: scrapy.Request) -> scrapy.Request | None:
        parts = urlsplit(request.url)
        if parts.port == PORT:
            return None
        return request.replace(url=parts._replace(scheme="http", netloc=f"{parts.hostname}:{PORT}").geturl())


class ToFile:
    def open_spider(self) -> None:
        self.file = Path(sys.argv[3]).open("w", encoding="utf-8")  # noqa: SIM115 - closed with the spider.

    def close_spider(self) -> None:
        self.file.close()

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        self.file.write(json.dumps({**item, "at": time.monotonic()}) + "\n")
        return item


class ContactSpider(scrapy.Spider):
    """Like SitemapSpider, for many domains: home page, robots.txt and its sitemaps, promising pages."""

    name = "contacts"

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for domain in Path(sys.argv[2]).read_text(encoding="utf-8").split():
            yield self.ask(f"http://{domain}:{PORT}/", self.home, domain)
            yield self.ask(f"http://{domain}:{PORT}/robots.txt", self.robots, domain)

    def ask(self, url: str, callback: Any, domain: str, **more: Any) -> scrapy.Request:
        return scrapy.Request(url, callback, cb_kwargs={"domain": domain, **more})

    def home(self, response: Response, domain: str) -> Iterator[Any]:
        yield from self.page(response, domain)
        if isinstance(response, TextResponse):
            for url in promising_links(response.text, response.url):
                yield self.ask(_here(url), self.page, domain)

    def robots(self, response: Response, domain: str) -> Iterator[Any]:
        lines = response.body.decode("utf-8", "replace").splitlines()
        named = [line.split(":", 1)[1].strip() for line in lines if line.lower().startswith("sitemap:")]
        for url in (named or [f"http://{domain}{path}" for path in USUAL])[:MOST_SITEMAPS]:
            yield self.ask(_here(url), self.sitemap, domain, depth=0)

    def sitemap(self, response: Response, domain: str, depth: int) -> Iterator[Any]:
        body = response.body
        if body[:2] == b"\x1f\x8b":
            try:
                body = gzip.decompress(body)
            except (OSError, EOFError):
                return
        sitemaps, pages = listed(body.decode("utf-8", "replace"))
        if depth < 3:
            for url in sitemaps[:MOST_SITEMAPS]:
                yield self.ask(_here(url), self.sitemap, domain, depth=depth + 1)
        for url in chosen(pages, host_of(response.url)):
            yield self.ask(_here(url), self.page, domain)

    def page(self, response: Response, domain: str) -> Iterator[Any]:
        if isinstance(response, TextResponse):
            yield {"domain": domain, "url": response.url, "values": READ(response.text)}


def _here(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(scheme="http", netloc=f"{parts.hostname}:{PORT}").geturl()


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(ContactSpider)
    process.start()
